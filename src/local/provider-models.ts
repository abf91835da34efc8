/** How the demo's model server answers the calls of an account, as `POST /control` sets it. */
export interface Behaviour {
  /** ok, 401, 429, 500, 529, cut (the answer breaks off), or hang. */
  answer: string
  /** The number of calls that get this answer. Later ones get ok. */
  times: number
  /** The used part of the account's quota windows, in percent. Each call adds 2. */
  used: number
}

const FIVE_HOURS_MS = 5 * 3_600_000
const WORDS = ["The demo", " provider", " answers", " as", " account"]

/** The end of the five-hour window that contains this moment. */
const resetAt = (ms: number) => Math.ceil(ms / FIVE_HOURS_MS) * FIVE_HOURS_MS

/** The response headers with an account's limits, for both kinds of provider. `ms`: the current time. */
export function quotaHeaders(
  kind: "messages" | "completions",
  used: number,
  ms: number = Date.now(),
): Record<string, string> {
  const seconds = String(resetAt(ms) / 1000)
  if (kind === "messages") {
    return {
      "anthropic-ratelimit-unified-5h-utilization": String(used / 100),
      "anthropic-ratelimit-unified-5h-reset": seconds,
      "anthropic-ratelimit-unified-7d-utilization": String(used / 1000),
      ...(used >= 100 && { "anthropic-ratelimit-unified-status": "rejected" }),
    }
  }
  return {
    "x-codex-primary-used-percent": String(used),
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": seconds,
  }
}

/** The content of a streamed answer. `call`: a tool call instead of text; only for chat completions. */
export interface Said {
  words: string[]
  input: number
  cached?: number
  output: number
  /** The tier of service that it names. */
  tier?: string | undefined
  call?: { name: string; arguments: object }
}

/** The demo's answer, or only its beginning if `whole` is false. */
export function answerOf(kind: "messages" | "completions", model: string, account: string, whole: boolean): string {
  const events = eventsOf(kind, model, { words: [...WORDS, ` ${account}.`], input: 120, output: 6 })
  return (whole ? events : events.slice(0, 4)).join("")
}

/** The events of a streamed answer, in the format of Anthropic's Messages or of OpenAI's chat completions. */
export const eventsOf = (kind: "messages" | "completions", model: string, said: Said): string[] =>
  kind === "messages" ? messageEvents(model, said) : completionEvents(model, said)

function messageEvents(model: string, { words, input, cached = 0, output }: Said): string[] {
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 1 }
  const empty = { content: [], stop_reason: null, stop_sequence: null }
  return [
    event("message_start", { message: { id: "msg_demo", type: "message", role: "assistant", model, usage, ...empty } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event("message_stop", {}),
  ]
}

function completionEvents(model: string, { words, input, cached = 0, output, tier, call }: Said): string[] {
  const chunk = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: "chatcmpl-demo", object: "chat.completion.chunk", created: 0, model, choices, ...more })}\n\n`
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
  const asked = call && {
    tool_calls: [
      {
        index: 0,
        id: "call_demo",
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      },
    ],
  }
  return [
    ...(asked ? [chunk([{ index: 0, delta: { role: "assistant", ...asked }, finish_reason: null }])] : []),
    ...words.map((content) => chunk([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: asked ? "tool_calls" : "stop" }]),
    chunk([], { usage, ...(tier && { service_tier: tier }) }),
    "data: [DONE]\n\n",
  ]
}

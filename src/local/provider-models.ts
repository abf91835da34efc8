/** How the demo's model server answers an account's calls, as somebody has asked for it. */
export interface Behaviour {
  /** ok, 401, 429, 500, 529, cut (the answer breaks off), or hang. */
  answer: string
  /** For so many calls; then it is ok again. */
  times: number
  /** What the account's windows have used, in percent; each call adds two. */
  used: number
}

const FIVE_HOURS_MS = 5 * 3_600_000
const WORDS = ["The demo", " provider", " answers", " as", " account"]

/** The end of the window of five hours in which we are. */
const resetAt = () => Math.ceil(Date.now() / FIVE_HOURS_MS) * FIVE_HOURS_MS

/** What both kinds of provider say of an account's limits. */
export function quotaHeaders(kind: "messages" | "completions", used: number): Record<string, string> {
  const seconds = String(resetAt() / 1000)
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

/** The events of a streamed answer: of Anthropic's Messages, or of chat completions as OpenAI's. `whole`: false cuts it off. */
export function answerOf(kind: "messages" | "completions", model: string, account: string, whole: boolean): string {
  const words = [...WORDS, ` ${account}.`]
  const events = kind === "messages" ? messageEvents(model, words) : completionEvents(model, words)
  return (whole ? events : events.slice(0, 4)).join("")
}

const [INPUT, OUTPUT] = [120, 6]

function messageEvents(model: string, words: string[]): string[] {
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const usage = { input_tokens: INPUT, output_tokens: 1 }
  const empty = { content: [], stop_reason: null, stop_sequence: null }
  return [
    event("message_start", { message: { id: "msg_demo", type: "message", role: "assistant", model, usage, ...empty } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: OUTPUT },
    }),
    event("message_stop", {}),
  ]
}

function completionEvents(model: string, words: string[]): string[] {
  const chunk = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: "chatcmpl-demo", object: "chat.completion.chunk", created: 0, model, choices, ...more })}\n\n`
  const usage = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: INPUT + OUTPUT }
  return [
    ...words.map((content) => chunk([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ]
}

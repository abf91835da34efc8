import type { World } from "./world.ts"

/** The token counts of Anthropic's Messages API for one prompt (`usage`). */
interface PromptUsage {
  input_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number }
}

type Block = Record<string, unknown> & { cache_control?: { type: string; ttl?: string } }
export interface Body {
  tools?: Block[]
  system?: string | Block[]
  messages: { role: string; content: string | Block[] }[]
}

const LIFETIMES: Record<string, number> = { "5m": 300_000, "1h": 3_600_000 }
const MOST_BREAKPOINTS = 4
const LOOK_BACK = 20

/**
 * An Anthropic-compatible server that computes cache usage from the requests, as Anthropic documents it: breakpoints,
 * equal prefixes, minimum size, 20 blocks of lookback, and lifetimes that a read renews. It answers with `calls` tool
 * calls for `steps` answers per turn, then with text.
 */
export function serveCachingAnthropic(
  world: Pick<World, "serve" | "clock">,
  host: string,
  {
    smallest = 256,
    steps = () => 10,
    calls = () => 1,
    says = () => "It is done.",
    window = () => Number.POSITIVE_INFINITY,
    act,
  }: {
    smallest?: number
    steps?: () => number
    calls?: () => number
    /** The text of a last answer. */
    says?: () => string
    /** The most tokens of a prompt. A longer one is refused. */
    window?: () => number
    /** The calls of an answer, by the number of answers in the turn before it, in place of the above. */
    act?: (body: Body, answered: number) => { name: string; input: object }[]
  } = {},
) {
  const refused: number[] = []
  const kept = new Map<string, { until: number; ttl: string }>()
  const seen: { body: Body; usage: PromptUsage; prompt: number }[] = []
  world.serve(host, async (request) => {
    const body = (await request.json()) as Body
    const blocks = blocksOf(body)
    const marks = blocks.flatMap(({ ttl }, at) => (ttl === undefined ? [] : [{ at, ttl }]))
    const fault = faultOf(blocks, marks)
    if (fault)
      return Response.json({ type: "error", error: { type: "invalid_request_error", message: fault } }, { status: 400 })
    const tokens = blocks.at(-1)?.tokens ?? 0
    if (tokens > window()) {
      refused.push(tokens)
      const message = `prompt is too long: ${tokens} tokens > ${window()} maximum`
      return Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status: 400 })
    }
    const usage = count(blocks, marks)
    seen.push({ body, usage, prompt: blocks.at(-1)?.tokens ?? 0 })
    return answer(body, usage)
  })

  function count(blocks: Counted[], marks: { at: number; ttl: string }[]): PromptUsage {
    const now = world.clock.ms()
    const total = blocks.at(-1)?.tokens ?? 0
    const live = (at: number) => (kept.get(blocks[at]?.prefix ?? "")?.until ?? 0) > now
    let hit = -1
    for (const { at } of marks) {
      for (let back = at; back >= Math.max(0, at - LOOK_BACK); back--) if (live(back)) hit = Math.max(hit, back)
    }
    const tokensAt = (at: number) => blocks[at]?.tokens ?? 0
    const last = marks.filter(({ at }) => at > hit && tokensAt(at) >= smallest).at(-1)?.at ?? hit
    const lastHour =
      marks.filter(({ at, ttl }) => at > hit && ttl === "1h" && tokensAt(at) >= smallest).at(-1)?.at ?? hit
    for (const { at, ttl } of marks) {
      if (tokensAt(at) < smallest) continue
      const { prefix } = blocks[at] as Counted
      const before = kept.get(prefix)
      const longest = before && before.until > now && before.ttl === "1h" ? "1h" : ttl
      kept.set(prefix, { until: now + (LIFETIMES[longest] ?? 0), ttl: longest })
    }
    const entry = kept.get(blocks[hit]?.prefix ?? "")
    if (entry) entry.until = now + (LIFETIMES[entry.ttl] ?? 0)
    return {
      input_tokens: total - tokensAt(last),
      cache_read_input_tokens: tokensAt(hit),
      cache_creation_input_tokens: tokensAt(last) - tokensAt(hit),
      cache_creation: {
        ephemeral_5m_input_tokens: tokensAt(last) - tokensAt(lastHour),
        ephemeral_1h_input_tokens: tokensAt(lastHour) - tokensAt(hit),
      },
    }
  }

  function answer({ messages, tools = [] }: Body, usage: PromptUsage): Response {
    const begins = messages.findLastIndex(({ role, content }) => role === "user" && !isResults(content))
    const answered = messages.slice(begins).filter(({ role }) => role === "assistant").length
    const tool = tools[0]?.name
    const made = act?.({ messages, tools }, answered).map((call, n) => ({
      type: "tool_use",
      id: `call_${answered}_${n}`,
      ...call,
    }))
    const parts =
      made && made.length > 0
        ? made
        : !act && tool !== undefined && answered < steps() - 1
          ? Array.from({ length: calls() }, (_, n) => ({
              type: "tool_use",
              id: `call_${answered}_${n}`,
              name: tool,
              input: { id: `${n}` },
            }))
          : [{ type: "text", text: says() }]
    return new Response(streamOf(parts, usage), { headers: { "content-type": "text/event-stream" } })
  }
  return { seen, refused }
}

interface Counted {
  /** All content up to and including this block, without its breakpoint. */
  prefix: string
  /** The number of tokens in that prefix. */
  tokens: number
  ttl: string | undefined
}

function blocksOf({ tools = [], system = [], messages }: Body): Counted[] {
  const all = [
    ...tools.map((tool) => ["tool", tool] as const),
    ...list(system).map((block) => ["system", block] as const),
    ...messages.flatMap(({ role, content }) => list(content).map((block) => [role, block] as const)),
  ]
  let [prefix, tokens] = ["", 0]
  return all.map(([role, { cache_control, ...block }]) => {
    const text = `${role}${JSON.stringify(block)}`
    prefix += text
    tokens += Math.ceil(text.length / 4)
    return { prefix, tokens, ttl: cache_control && (cache_control.ttl ?? "5m") }
  })
}

const list = (content: string | Block[]): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content
const isResults = (content: string | Block[]) => list(content).some(({ type }) => type === "tool_result")

function faultOf(blocks: Counted[], marks: { at: number; ttl: string }[]): string | null {
  if (marks.length > MOST_BREAKPOINTS)
    return `A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided.`
  if (marks.some(({ ttl }) => !(ttl in LIFETIMES))) return "cache_control.ttl: unknown"
  const firstShort = marks.findIndex(({ ttl }) => ttl === "5m")
  if (firstShort >= 0 && marks.slice(firstShort).some(({ ttl }) => ttl === "1h"))
    return "a ttl of 1h must come before 5m"
  return blocks.length === 0 ? "messages: at least one message is required" : null
}

function streamOf(parts: Record<string, unknown>[], usage: PromptUsage): string {
  const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null }
  const events = [
    { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    ...parts.flatMap((part, index) => {
      const isText = part.type === "text"
      const { input, ...call } = part
      const delta = isText
        ? { type: "text_delta", text: part.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(input) }
      return [
        {
          type: "content_block_start",
          index,
          content_block: isText ? { type: "text", text: "" } : { ...call, input: {} },
        },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ]
    }),
    {
      type: "message_delta",
      delta: { stop_reason: parts[0]?.type === "text" ? "end_turn" : "tool_use" },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
}

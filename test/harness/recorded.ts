/** A stream as a provider sends it, written from its documents and from public reports. */
export interface RecordedStream {
  name: string
  /** Where its form comes from. */
  source: string
  engine: "anthropic" | "openai" | "openai-compatible"
  /** The data of its events. A text is sent as it is, such as "[DONE]". */
  frames: (object | string)[]
  /** The answer; null if the provider itself says that it failed, or if the stream is no evidence of a whole answer. */
  answer: {
    text: string
    finish: string
    /** The calls that are made: the tool and its input. */
    calls?: [string, unknown][]
    /** The calls that are answered with a reason instead, which matches. */
    refused?: RegExp[]
    /** Input (cached, written), output. An estimate if the provider counts nothing: null. */
    tokens: { input: number; cached?: number; written?: number; output: number } | null
  } | null
}

/** One chunk of a chat completion. */
export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1764150000,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})

/** A chunk that has only counts. */
export const counts = (usage: object) => ({ ...chunk({}), choices: [], usage })

export const usage = (prompt_tokens: number, completion_tokens: number, more: object = {}) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  ...more,
})

export const toolCall = (name: string | undefined, input: unknown, more: object = {}) => ({
  ...more,
  type: "function",
  function: { ...(name !== undefined && { name }), arguments: input },
})

/** The text of every whole answer, in two pieces. */
export const TEXT = "Hello there."
export const texts = () => [chunk({ role: "assistant", content: "Hello " }), chunk({ content: "there." })]

/** The beginning of a message of Anthropic's protocol. */
export const messageStart = (usage: object) => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage },
})

export const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
]

export const said = (index: number, ...pieces: string[]) =>
  block(index, { type: "text", text: "" }, ...pieces.map((text) => ({ type: "text_delta", text })))

export const used = (index: number, name: string, ...pieces: string[]) =>
  block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    ...pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  )

export const ends = (stop_reason: string | null, usage: object) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
]

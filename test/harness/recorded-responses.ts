import { type RecordedStream, TEXT } from "./recorded.ts"

const created = { type: "response.created", response: { id: "resp_1", created_at: 1764150000, model: "m" } }
const item = (id: string, more: object = {}) => ({ type: "message", id, role: "assistant", ...more })
const added = (output_index: number, given: object) => ({
  type: "response.output_item.added",
  output_index,
  item: given,
})
const done = (output_index: number, given: object) => ({ type: "response.output_item.done", output_index, item: given })
const delta = (output_index: number, item_id: string, text: string) => ({
  type: "response.output_text.delta",
  item_id,
  output_index,
  content_index: 0,
  delta: text,
})
const written = (text: string) => ({ content: [{ type: "output_text", text, annotations: [] }] })
const calling = (args: string, more: object = {}) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: args,
  ...more,
})
const counted = {
  input_tokens: 36,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 44,
}
const tokens = { input: 36, cached: 10, output: 8 }
const ended = (type: string, more: object = {}) => ({
  type: `response.${type}`,
  response: { id: "resp_1", status: type, usage: counted, ...more },
})
const message = [
  added(0, item("m1", { content: [] })),
  delta(0, "m1", "Hello "),
  delta(0, "m1", "there."),
  { type: "response.output_text.done", item_id: "m1", output_index: 0, content_index: 0, text: TEXT },
  done(0, item("m1", written(TEXT))),
]
const STREAMING = "https://platform.openai.com/docs/api-reference/responses-streaming"

/** Streams of OpenAI's Responses API. */
export const RESPONSE_STREAMS: RecordedStream[] = [
  {
    name: "OpenAI: a message",
    source: STREAMING,
    engine: "openai",
    frames: [created, ...message, ended("completed")],
    answer: { text: TEXT, finish: "stop", tokens },
  },
  {
    name: "OpenAI: a call",
    source: STREAMING,
    engine: "openai",
    frames: [
      created,
      added(0, calling("", { status: "in_progress" })),
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"id":' },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '"7"}' },
      { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: '{"id":"7"}' },
      done(0, calling('{"id":"7"}', { status: "completed" })),
      ended("completed"),
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens },
  },
  {
    name: "OpenAI: a commentary and a final answer are two messages",
    source: "https://platform.openai.com/docs/guides/latest-model (phase)",
    engine: "openai",
    frames: [
      created,
      added(0, item("m1", { phase: "commentary" })),
      delta(0, "m1", "I look."),
      done(0, item("m1", { phase: "commentary", ...written("I look.") })),
      added(1, item("m2", { phase: "final_answer" })),
      delta(1, "m2", "It is "),
      delta(1, "m2", "there."),
      done(1, item("m2", { phase: "final_answer", ...written("It is there.") })),
      ended("completed"),
    ],
    answer: { text: "I look.\n\nIt is there.", finish: "stop", tokens },
  },
  {
    name: "OpenAI: a search that the provider made itself",
    source: "https://platform.openai.com/docs/guides/tools-web-search",
    engine: "openai",
    frames: [
      created,
      added(0, { type: "web_search_call", id: "ws_1", status: "in_progress" }),
      done(0, { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }),
      ...message.map((frame) => ({ ...frame, output_index: 1 })),
      ended("completed"),
    ],
    answer: { text: TEXT, finish: "stop", tokens },
  },
  {
    name: "OpenAI: an incomplete response with a call",
    source: STREAMING,
    engine: "openai",
    frames: [
      created,
      added(0, calling("")),
      done(0, calling('{"id":"7"}', { status: "incomplete" })),
      ended("incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
    ],
    answer: { text: "", finish: "length", refused: [/output limit/], tokens },
  },
  {
    name: "OpenAI: a response that failed, with its counts",
    source: STREAMING,
    engine: "openai",
    frames: [
      created,
      ...message.slice(0, 2),
      ended("failed", { error: { code: "server_error", message: "An error occurred." } }),
    ],
    answer: null,
  },
  {
    name: "A gateway whose text is only in the item that is done",
    source: "https://github.com/open-webui/open-webui/discussions/17498",
    engine: "openai",
    frames: [created, added(0, item("m1")), done(0, item("m1", written(TEXT))), ended("completed")],
    answer: { text: TEXT, finish: "stop", tokens },
  },
  {
    name: "A gateway whose text is only in the completed response",
    source: "https://github.com/BerriAI/litellm/pull/37710",
    engine: "openai",
    frames: [created, ended("completed", { output: [item("m1", written(TEXT)), calling('{"id":"7"}')] })],
    answer: { text: TEXT, finish: "tool-calls", calls: [["look", { id: "7" }]], tokens },
  },
  {
    name: "A response in place of a stream",
    source: "https://platform.openai.com/docs/api-reference/responses/object",
    engine: "openai",
    frames: [
      { id: "resp_1", object: "response", status: "completed", output: [item("m1", written(TEXT))], usage: counted },
    ],
    answer: { text: TEXT, finish: "stop", tokens },
  },
  {
    name: "A response that was cancelled",
    source: STREAMING,
    engine: "openai",
    frames: [created, ...message, ended("incomplete", { status: "cancelled" })],
    answer: null,
  },
]

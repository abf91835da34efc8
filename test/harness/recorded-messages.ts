import { block, ends, messageStart, type RecordedStream, said, TEXT, used } from "./recorded.ts"

const start = { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }

/** Streams of Anthropic's Messages API, from Anthropic and from servers with its protocol. */
export const MESSAGE_STREAMS: RecordedStream[] = [
  {
    name: "Anthropic: a text, with a ping",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/streaming",
    engine: "anthropic",
    frames: [
      messageStart(start),
      { type: "ping" },
      ...said(0, "Hello ", "there."),
      ...ends("end_turn", { output_tokens: 15 }),
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 40, output: 15 } },
  },
  {
    name: "Anthropic: thinking with its signature, then a call",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
    engine: "anthropic",
    frames: [
      messageStart({
        input_tokens: 20,
        cache_creation_input_tokens: 30,
        cache_read_input_tokens: 50,
        output_tokens: 1,
      }),
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Look it up." },
        { type: "signature_delta", signature: "EqQB" },
      ),
      ...used(1, "look", '{"id":', '"7"}'),
      ...ends("tool_use", { output_tokens: 89 }),
    ],
    answer: {
      text: "",
      finish: "tool-calls",
      calls: [["look", { id: "7" }]],
      tokens: { input: 100, cached: 50, written: 30, output: 89 },
    },
  },
  {
    name: "Anthropic: a call without input",
    source: "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview",
    engine: "anthropic",
    frames: [messageStart(start), ...used(0, "look", ""), ...ends("tool_use", { output_tokens: 30 })],
    answer: { text: "", finish: "tool-calls", calls: [["look", {}]], tokens: { input: 40, output: 30 } },
  },
  {
    name: "Anthropic: the output limit right after the name of a call",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons",
    engine: "anthropic",
    frames: [messageStart(start), ...said(0, TEXT), ...used(1, "delete"), ...ends("max_tokens", { output_tokens: 90 })],
    answer: { text: TEXT, finish: "length", refused: [/output limit/], tokens: { input: 40, output: 90 } },
  },
  {
    name: "Anthropic: the output limit within a call that is not closed",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons",
    engine: "anthropic",
    frames: [
      messageStart(start),
      ...used(0, "delete", '{"all"').slice(0, -1),
      ...ends("model_context_window_exceeded", { output_tokens: 90 }),
    ],
    answer: { text: "", finish: "length", refused: [/output limit/], tokens: { input: 40, output: 90 } },
  },
  {
    name: "Anthropic: a pause with tools of its own",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons (pause_turn)",
    engine: "anthropic",
    frames: [
      messageStart(start),
      ...said(0, TEXT),
      ...block(1, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      ...ends("pause_turn", { output_tokens: 60 }),
    ],
    answer: { text: TEXT, finish: "paused", tokens: { input: 40, output: 60 } },
  },
  {
    name: "Anthropic: an overload within the stream",
    source: "https://docs.anthropic.com/en/docs/build-with-claude/streaming (error events)",
    engine: "anthropic",
    frames: [
      messageStart(start),
      ...said(0, "Hello ").slice(0, -1),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
    answer: null,
  },
  {
    name: "SGLang: the counts of the prompt at the end",
    source: "https://github.com/sgl-project/sglang/issues/20678",
    engine: "anthropic",
    frames: [
      messageStart({ input_tokens: 0, output_tokens: 0 }),
      ...said(0, TEXT),
      ...ends("end_turn", { input_tokens: 123, output_tokens: 45 }),
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 123, output: 45 } },
  },
  {
    name: "SGLang: a zero for the prompt at the end",
    source: "https://github.com/sgl-project/sglang/pull/20830",
    engine: "anthropic",
    frames: [
      messageStart({ input_tokens: 123, output_tokens: 0 }),
      ...said(0, TEXT),
      ...ends("end_turn", { input_tokens: 0, output_tokens: 45 }),
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 123, output: 45 } },
  },
  {
    name: "LiteLLM: cache counts that the end sets to zero",
    source: "https://github.com/BerriAI/litellm/pull/40845",
    engine: "anthropic",
    frames: [
      messageStart({
        input_tokens: 100,
        cache_read_input_tokens: 50,
        cache_creation_input_tokens: 20,
        output_tokens: 1,
      }),
      ...said(0, TEXT),
      ...ends("end_turn", { output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }),
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 170, cached: 50, written: 20, output: 5 } },
  },
  {
    name: "Bedrock: metrics in the last event",
    source: "https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html",
    engine: "anthropic",
    frames: [
      messageStart({ input_tokens: 40, output_tokens: 1 }),
      ...said(0, TEXT),
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 8 } },
      {
        type: "message_stop",
        "amazon-bedrock-invocationMetrics": { inputTokenCount: 40, outputTokenCount: 8, invocationLatency: 900 },
      },
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 40, output: 8 } },
  },
  {
    name: "A server that sends a text with the beginning of its block",
    source: "https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/lib/MessageStream.ts",
    engine: "anthropic",
    frames: [
      messageStart(start),
      ...block(0, { type: "text", text: "Hello " }, { type: "text_delta", text: "there." }),
      ...ends("end_turn", { output_tokens: 4 }),
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 40, output: 4 } },
  },
  {
    name: "A message in place of a stream",
    source: "https://docs.anthropic.com/en/api/messages",
    engine: "anthropic",
    frames: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        content: [
          { type: "text", text: TEXT },
          { type: "tool_use", id: "toolu_1", name: "look", input: { id: "7" } },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 40, output_tokens: 25 },
      },
    ],
    answer: { text: TEXT, finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 40, output: 25 } },
  },
  {
    name: "A call that is never closed, although the model wanted it",
    source: "https://github.com/anthropics/claude-code/issues/12223",
    engine: "anthropic",
    frames: [
      messageStart(start),
      ...used(0, "look", '{"id":"7"}').slice(0, -1),
      ...ends("tool_use", { output_tokens: 25 }),
    ],
    answer: null,
  },
]

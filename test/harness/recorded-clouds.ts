import { chunk, counts, type RecordedStream, TEXT, texts, toolCall, usage } from "./recorded.ts"

/** Streams of clouds and gateways whose form differs from OpenAI's chat completions. */
export const CLOUD_STREAMS: RecordedStream[] = [
  {
    name: "Gemini: calls without an index, and thoughts in the total only",
    source: "https://github.com/noho/dayu-agent/issues/45",
    engine: "openai-compatible",
    frames: [
      chunk({
        role: "assistant",
        tool_calls: [
          toolCall("look", '{"id":"7"}', { id: "jm4owj31", extra_content: { google: { thought_signature: "EjQK" } } }),
        ],
      }),
      chunk({ role: "assistant" }, "tool_calls", {
        usage: { prompt_tokens: 50, completion_tokens: 9, total_tokens: 99 },
      }),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 50, output: 49 } },
  },
  {
    name: "Vertex: a signature under its own name",
    source: "https://github.com/earendil-works/pi/issues/6733",
    engine: "openai-compatible",
    frames: [
      chunk({
        role: "assistant",
        tool_calls: [
          toolCall("look", '{"id":"7"}', {
            index: 0,
            id: "call_7",
            extra_content: { vertex: { thought_signature: "AY89" } },
          }),
        ],
      }),
      chunk({}, "tool_calls"),
      counts(usage(50, 9)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 50, output: 9 } },
  },
  {
    name: "LiteLLM: Anthropic's cache counts inside the prompt",
    source: "https://github.com/BerriAI/litellm/issues/11789",
    engine: "openai-compatible",
    frames: [
      ...texts(),
      chunk({}, "stop"),
      {
        ...chunk({}),
        usage: usage(97, 23, {
          prompt_tokens_details: { audio_tokens: null, cached_tokens: 80 },
          cache_read_input_tokens: 80,
          cache_creation_input_tokens: 10,
        }),
      },
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 97, cached: 80, written: 10, output: 23 } },
  },
  {
    name: "Bedrock through a gateway: an exception within the stream",
    source: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html",
    engine: "openai-compatible",
    frames: [...texts(), { modelStreamErrorException: { message: "The model stopped.", originalStatusCode: 424 } }],
    answer: null,
  },
  {
    name: "xAI: reasoning besidess the output, and the counts in the last chunk but one",
    source: "https://github.com/Wei-Shaw/sub2api/issues/5771",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", reasoning_content: "Hm." }),
      ...texts(),
      chunk({}, "stop"),
      counts({
        prompt_tokens: 101,
        completion_tokens: 14,
        total_tokens: 144,
        prompt_tokens_details: { text_tokens: 101, audio_tokens: 0, image_tokens: 0, cached_tokens: 12 },
        completion_tokens_details: { reasoning_tokens: 29, audio_tokens: 0 },
      }),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 101, cached: 12, output: 43 } },
  },
  {
    name: "Mistral: a thinking part in a list, and a whole call",
    source: "https://docs.mistral.ai/capabilities/reasoning/",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: "Look." }] }] }),
      chunk(
        { content: "", tool_calls: [toolCall("look", '{"id":"7"}', { id: "D681PevKs", index: 0 })] },
        "tool_calls",
        {
          usage: usage(80, 26),
        },
      ),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 80, output: 26 } },
  },
  {
    name: "Mistral: the limit of the model",
    source: "https://docs.mistral.ai/api/ (finish_reason: model_length)",
    engine: "openai-compatible",
    frames: [...texts(), chunk({ content: "" }, "model_length", { usage: usage(80, 4) }), "[DONE]"],
    answer: { text: TEXT, finish: "length", tokens: { input: 80, output: 4 } },
  },
  {
    name: "Azure: a first chunk with filter results and no choices",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter",
    engine: "openai-compatible",
    frames: [
      { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] },
      ...texts(),
      chunk({}, "stop"),
      counts(usage(19, 4)),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 19, output: 4 } },
  },
  {
    name: "A gateway that sends a call again in its last chunk",
    source: "https://github.com/BerriAI/litellm/issues/12463",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", tool_calls: [toolCall("look", '{"id":', { index: 0, id: "call_1" })] }),
      chunk({ tool_calls: [toolCall(undefined, '"7"}', { index: 0 })] }),
      chunk({ tool_calls: [toolCall("look", '{"id":"7"}', { index: 0, id: "call_1" })] }, "tool_calls"),
      counts(usage(50, 9)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 50, output: 9 } },
  },
  {
    name: "A gateway with whole messages in place of deltas",
    source: "https://github.com/cloudflare/ai/pull/204",
    engine: "openai-compatible",
    frames: [
      { id: "c", choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }] },
      counts(usage(19, 4)),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 19, output: 4 } },
  },
  {
    name: "A tool was announced and none came",
    source: "https://github.com/ollama/ollama/issues/12557",
    engine: "openai-compatible",
    frames: [chunk({ role: "assistant", content: "" }), chunk({}, "tool_calls"), counts(usage(50, 581)), "[DONE]"],
    answer: null,
  },
]

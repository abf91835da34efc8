import { chunk, counts, type RecordedStream, TEXT, texts, toolCall, usage } from "./recorded.ts"

const details = { prompt_tokens_details: { cached_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 } }

/** Streams of gateways and clouds with OpenAI's chat completions. */
export const GATEWAY_STREAMS: RecordedStream[] = [
  {
    name: "OpenAI: a text",
    source: "https://platform.openai.com/docs/api-reference/chat-streaming",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "", refusal: null }, null, { usage: null }),
      ...texts(),
      chunk({}, "stop", { usage: null }),
      counts(usage(19, 10, details)),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 19, output: 10 } },
  },
  {
    name: "OpenAI: parallel calls in pieces",
    source: "https://platform.openai.com/docs/guides/function-calling",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: null, tool_calls: [toolCall("look", "", { index: 0, id: "call_1" })] }),
      chunk({ tool_calls: [toolCall(undefined, '{"id":"1"}', { index: 0 })] }),
      chunk({ tool_calls: [toolCall("look", "", { index: 1, id: "call_2" })] }),
      chunk({ tool_calls: [toolCall(undefined, '{"id":', { index: 1 })] }),
      chunk({ tool_calls: [toolCall(undefined, '"2"}', { index: 1 })] }),
      chunk({}, "tool_calls"),
      counts(usage(70, 40, details)),
      "[DONE]",
    ],
    answer: {
      text: "",
      finish: "tool-calls",
      calls: [
        ["look", { id: "1" }],
        ["look", { id: "2" }],
      ],
      tokens: { input: 70, output: 40 },
    },
  },
  {
    name: "OpenAI: the older form of a call",
    source: "https://platform.openai.com/docs/api-reference/chat-streaming (function_call, deprecated)",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: null, function_call: { name: "look", arguments: "" } }),
      chunk({ function_call: { arguments: '{"id":"7"}' } }),
      chunk({}, "function_call"),
      counts(usage(70, 20)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 70, output: 20 } },
  },
  {
    name: "Moonshot: counts in the choice",
    source: "https://github.com/AstrBotDevs/AstrBot/issues/6614",
    engine: "openai-compatible",
    frames: [
      ...texts(),
      {
        ...chunk({}),
        choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: usage(90, 31, { cached_tokens: 64 }) }],
      },
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 90, cached: 64, output: 31 } },
  },
  {
    name: "Moonshot: the engine is overloaded",
    source: "https://platform.moonshot.ai/docs/api/chat (engine_overloaded_error)",
    engine: "openai-compatible",
    frames: [...texts(), chunk({}, "engine_overloaded"), "[DONE]"],
    answer: null,
  },
  {
    name: "DeepSeek: reasoning, keep-alives, and cache hits next tos the prompt's details",
    source: "https://api-docs.deepseek.com/guides/kv_cache",
    engine: "openai-compatible",
    frames: [
      ": keep-alive",
      chunk({ role: "assistant", content: null, reasoning_content: "Greet." }, null, { usage: null }),
      ...texts(),
      chunk({ content: "" }, "stop", {
        usage: usage(90, 12, {
          prompt_cache_hit_tokens: 64,
          prompt_cache_miss_tokens: 26,
          completion_tokens_details: { reasoning_tokens: 8 },
        }),
      }),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 90, cached: 64, output: 12 } },
  },
  {
    name: "Groq: counts in x_groq",
    source: "https://github.com/vercel/ai/issues/1651",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "" }, null, { x_groq: { id: "req_1" } }),
      ...texts(),
      chunk({}, "stop", { x_groq: { id: "req_1", usage: { queue_time: 0.07, ...usage(23, 19), total_time: 0.03 } } }),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 23, output: 19 } },
  },
  {
    name: "Groq: an error in x_groq",
    source: "https://console.groq.com/docs/errors",
    engine: "openai-compatible",
    frames: [...texts(), { ...chunk({}), choices: [], x_groq: { id: "req_1", error: "over capacity" } }],
    answer: null,
  },
  {
    name: "OpenRouter: reasoning details in pieces, a call, and a comment",
    source: "https://github.com/agno-agi/agno/pull/5802",
    engine: "openai-compatible",
    frames: [
      ": OPENROUTER PROCESSING",
      chunk({
        role: "assistant",
        content: "",
        reasoning: "Let ",
        reasoning_details: [{ type: "reasoning.text", text: "Let ", format: "anthropic-claude-v1", index: 0 }],
      }),
      chunk({
        content: "",
        reasoning: "me look.",
        reasoning_details: [{ type: "reasoning.text", text: "me look.", format: "anthropic-claude-v1", index: 0 }],
      }),
      chunk({
        content: "",
        reasoning: null,
        reasoning_details: [{ type: "reasoning.text", signature: "Et8B", format: "anthropic-claude-v1", index: 0 }],
      }),
      chunk({ content: null, tool_calls: [toolCall("look", '{"id":"7"}', { index: 0, id: "toolu_1" })] }),
      chunk({ content: "" }, "tool_calls", { native_finish_reason: "tool_use" }),
      { ...chunk({ role: "assistant", content: "" }), usage: usage(64, 33, { cost: 0.001 }) },
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 64, output: 33 } },
  },
  {
    name: "OpenRouter: an error within the stream, next to choices",
    source: "https://openrouter.ai/docs/api-reference/errors-and-debugging",
    engine: "openai-compatible",
    frames: [
      ...texts(),
      { ...chunk({ content: "" }, "error"), error: { code: "server_error", message: "Provider disconnected" } },
    ],
    answer: null,
  },
]

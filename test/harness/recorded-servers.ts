import { chunk, counts, type RecordedStream, TEXT, texts, toolCall, usage } from "./recorded.ts"

/** Streams of servers that operators run themselves: vLLM, SGLang, Ollama, llama.cpp, LMDeploy. */
export const SERVER_STREAMS: RecordedStream[] = [
  {
    name: "vLLM: a text, with counts in each chunk",
    source:
      "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html (stream_options.continuous_usage_stats)",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "" }, null, { usage: usage(31, 0) }),
      chunk({ content: "Hello " }, null, { usage: usage(31, 1) }),
      chunk({ content: "there." }, "stop", { usage: usage(31, 3) }),
      counts(usage(31, 3)),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 31, output: 3 } },
  },
  {
    name: "vLLM: reasoning and a call whose header is repeated",
    source: "https://github.com/vllm-project/vllm/pull/46344",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", reasoning_content: "I look " }),
      chunk({ reasoning_content: "it up." }),
      chunk({ tool_calls: [toolCall("look", "", { index: 0, id: "functions.look:0" })] }),
      chunk({ tool_calls: [toolCall("look", '{"id":', { index: 0, id: "functions.look:0" })] }),
      chunk({ tool_calls: [toolCall(undefined, '"7"}', { index: 0 })] }),
      chunk({}, "tool_calls"),
      counts(usage(44, 21)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 44, output: 21 } },
  },
  {
    name: "vLLM: its own form of an error within the stream",
    source: "https://github.com/vllm-project/vllm/pull/40986",
    engine: "openai-compatible",
    frames: [
      ...texts(),
      { object: "error", message: "EngineCore encountered an issue.", type: "InternalServerError", code: 500 },
      "[DONE]",
    ],
    answer: null,
  },
  {
    name: "vLLM: an abort by the engine that ends like an answer",
    source: "https://github.com/vllm-project/vllm/issues/57082",
    engine: "openai-compatible",
    frames: [...texts(), chunk({}, "abort"), counts(usage(31, 3)), "[DONE]"],
    answer: null,
  },
  {
    name: "SGLang: an abort by the scheduler",
    source: "https://github.com/sgl-project/sglang/pull/19357",
    engine: "openai-compatible",
    frames: [...texts(), chunk({ content: "" }, "abort", { matched_stop: null }), "[DONE]"],
    answer: null,
  },
  {
    name: "SGLang: a stop with the token that matched",
    source: "https://github.com/sgl-project/sglang/pull/2013",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "", reasoning_content: null, tool_calls: null }),
      chunk({ content: TEXT, reasoning_content: null, tool_calls: null }),
      { ...chunk({}), choices: [{ index: 0, delta: { content: null }, finish_reason: "stop", matched_stop: 151645 }] },
      counts(usage(20, 4, { prompt_tokens_details: null })),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 20, output: 4 } },
  },
  {
    name: "Ollama: a whole call in one chunk, and stop as the reason",
    source: "https://github.com/ollama/ollama/pull/7963",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "", reasoning: "Look it up." }),
      chunk({
        role: "assistant",
        content: "",
        tool_calls: [toolCall("look", '{"id":"7"}', { id: "call_x1", index: 0 })],
      }),
      chunk({ role: "assistant", content: "" }, "stop"),
      counts(usage(61, 18)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", calls: [["look", { id: "7" }]], tokens: { input: 61, output: 18 } },
  },
  {
    name: "Ollama: two calls with the same index",
    source: "https://github.com/ollama/ollama/issues/7881",
    engine: "openai-compatible",
    frames: [
      chunk({
        role: "assistant",
        content: "",
        tool_calls: [toolCall("look", '{"id":"1"}', { id: "call_a", index: 0 })],
      }),
      chunk({
        role: "assistant",
        content: "",
        tool_calls: [toolCall("look", '{"id":"2"}', { id: "call_b", index: 0 })],
      }),
      chunk({ role: "assistant", content: "" }, "tool_calls"),
      counts(usage(61, 30)),
      "[DONE]",
    ],
    answer: {
      text: "",
      finish: "tool-calls",
      calls: [
        ["look", { id: "1" }],
        ["look", { id: "2" }],
      ],
      tokens: { input: 61, output: 30 },
    },
  },
  {
    name: "llama.cpp: counts in timings only",
    source: "https://github.com/ggml-org/llama.cpp/pull/15827",
    engine: "openai-compatible",
    frames: [
      ...texts(),
      chunk({}, "stop", { timings: { cache_n: 36, prompt_n: 5, predicted_n: 4, predicted_ms: 66.1 } }),
      "[DONE]",
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 41, cached: 36, output: 4 } },
  },
  {
    name: "llama.cpp: a limit within the input of a call",
    source: "https://github.com/ggml-org/llama.cpp/issues/12137",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: null }),
      chunk({ tool_calls: [toolCall("delete", '{"all":', { index: 0, id: "a1" })] }),
      chunk({}, "length", { usage: usage(43, 6), timings: { prompt_n: 43, predicted_n: 6 } }),
      "[DONE]",
    ],
    answer: { text: "", finish: "length", refused: [/output limit/], tokens: { input: 43, output: 6 } },
  },
  {
    name: "llama.cpp: a limit right after the name of a call",
    source: "https://github.com/ggml-org/llama.cpp/issues/12137",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: "Now I delete it." }),
      chunk({ tool_calls: [toolCall("delete", "", { index: 0, id: "a1" })] }),
      chunk({}, "length", { usage: usage(43, 6) }),
      "[DONE]",
    ],
    answer: { text: "Now I delete it.", finish: "length", refused: [/output limit/], tokens: { input: 43, output: 6 } },
  },
  {
    name: "llama.cpp: no finish reason, and an input without evidence that it is whole",
    source: "https://github.com/InternLM/xtuner/pull/1755",
    engine: "openai-compatible",
    frames: [
      chunk({ role: "assistant", content: null }),
      chunk({ tool_calls: [toolCall("delete", "", { index: 0, id: "a1" })] }),
      counts(usage(43, 6)),
      "[DONE]",
    ],
    answer: { text: "", finish: "tool-calls", refused: [/empty/], tokens: { input: 43, output: 6 } },
  },
  {
    name: "A server that answers with JSON although a stream was asked for",
    source: "https://github.com/earendil-works/pi/pull/1125",
    engine: "openai-compatible",
    frames: [
      {
        id: "chatcmpl-1",
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
        usage: usage(20, 4),
      },
    ],
    answer: { text: TEXT, finish: "stop", tokens: { input: 20, output: 4 } },
  },
  {
    name: "FastAPI: an error with only a detail",
    source: "https://fastapi.tiangolo.com/tutorial/handling-errors/",
    engine: "openai-compatible",
    frames: [...texts(), { detail: "Internal Server Error" }],
    answer: null,
  },
  {
    name: "Counts, but neither a finish reason nor [DONE]",
    source: "https://github.com/MLT-OSS/open-assistant-api/pull/28",
    engine: "openai-compatible",
    frames: [...texts(), counts(usage(20, 4))],
    answer: { text: TEXT, finish: "other", tokens: { input: 20, output: 4 } },
  },
]

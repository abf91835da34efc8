import { expect, test } from "vitest"
import { tooLongOf } from "../../src/agent/refusals.ts"

/** Refusals of providers and servers as they send them: status, text, and the limit and the prompt that they name. */
const TOO_LONG: [from: string, status: number, text: string, limit: number | null, prompt: number | null][] = [
  ["Anthropic", 400, "prompt is too long: 210315 tokens > 200000 maximum", 200_000, 210_315],
  [
    "Anthropic, with the answer",
    400,
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`",
    200_000,
    188_240,
  ],
  [
    "Anthropic, size",
    413,
    '{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
    null,
    null,
  ],
  [
    "OpenAI",
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 10435 tokens.",
    8_192,
    10_435,
  ],
  [
    "OpenAI, with the answer",
    400,
    "This model's maximum context length is 4097 tokens. However, you requested 5360 tokens (1360 in the messages, 4000 in the completion).",
    4_097,
    1_360,
  ],
  [
    "OpenAI, responses",
    400,
    '{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}',
    null,
    null,
  ],
  [
    "DeepSeek",
    400,
    "This model's maximum context length is 65536 tokens. However, you requested 71022 tokens (66926 in the messages, 4096 in the completion).",
    65_536,
    66_926,
  ],
  [
    "OpenRouter",
    400,
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 205311 tokens (200311 of text input, 5000 in the output).",
    131_072,
    200_311,
  ],
  ["Groq", 400, "Please reduce the length of the messages or completion.", null, null],
  [
    "vLLM",
    400,
    "The decoder prompt (length 9012) is longer than the maximum model length of 8192. Make sure that…",
    8_192,
    9_012,
  ],
  ["vLLM, newer", 400, "Input length (5121) exceeds model's maximum context length (4096).", 4_096, 5_121],
  [
    "Gemini",
    400,
    "The input token count (1200047) exceeds the maximum number of tokens allowed (1048576).",
    1_048_576,
    1_200_047,
  ],
  [
    "Mistral",
    400,
    "Prompt contains 40012 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    32_768,
    40_012,
  ],
  [
    "xAI",
    400,
    "This model's maximum prompt length is 131072 but the request contains 200001 tokens.",
    131_072,
    200_001,
  ],
  ["Fireworks", 400, "The prompt is too long: 40100, model maximum context length: 32767", 32_767, 40_100],
  [
    "Text Generation Inference",
    422,
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    4_097,
    5_000,
  ],
  ["Moonshot", 400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 9044)", 8_192, 9_044],
  [
    "llama.cpp",
    400,
    '{"code":400,"message":"request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}',
    4_096,
    9_001,
  ],
  [
    "llama.cpp, older",
    500,
    "the request exceeds the available context size (4096 tokens), try increasing the context size",
    4_096,
    null,
  ],
  ["Ollama", 400, "prompt too long; exceeded max context length by 113 tokens", null, null],
  ["Cohere", 400, "too many tokens: total number of tokens in the prompt cannot exceed 4081", 4_081, null],
  ["DashScope", 400, "Range of input length should be [1, 30720]", 30_720, null],
  ["Bedrock", 400, "Input is too long for requested model.", null, null],
  ["Bedrock, Titan", 400, "ValidationException: too many total text bytes: 5000 > 4096", null, null],
  ["Zhipu", 400, '{"error":{"code":"1261","message":"Prompt exceeds max length"}}', null, null],
  [
    "LM Studio",
    400,
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    null,
    null,
  ],
]

test.each(TOO_LONG)("%s: %i %j", (_from, status, text, limit, prompt) => {
  expect(tooLongOf(status, text)).toEqual({ limit, prompt })
})

test.each([
  [400, "max_tokens is too large: 10000. This model supports at most 4096 completion tokens."],
  [400, "Unsupported parameter: 'temperature' is not supported with this model."],
  [400, "messages: at least one message is required"],
  [429, "Rate limit reached: prompt is too long: 3 tokens > 2 maximum"],
  [500, "Internal error: input is too long"],
  [401, "context_length_exceeded"],
  [undefined, "prompt is too long: 3 tokens > 2 maximum"],
])("Another failure is no prompt that is too long: %j %j", (status, text) => {
  expect(tooLongOf(status, text)).toBeNull()
})

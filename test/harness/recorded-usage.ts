import type { RecordedStream } from "./recorded.ts"

/** The usage of one answer as a provider sends it, and the tokens that its bill must have. */
export interface UsageShape {
  name: string
  /** Where it was seen. "made": derived from the form above it, since no recording has these numbers. */
  source: string
  engine: RecordedStream["engine"]
  usage: Record<string, unknown>
  /** Input, of it cached and written, and output. */
  right: [input: number, cached: number, written: number, output: number]
}

const chat = "openai-compatible" as const

/**
 * Prices per million tokens in the test: 1.25 input, 0.20 cached, 2.50 output; written tokens cost as much as input.
 * The output limit of the call is 4,000.
 */
export const USAGE_SHAPES: UsageShape[] = [
  {
    name: "xAI: reasoning in addition to the output",
    source: "https://github.com/Wei-Shaw/sub2api/issues/5771",
    engine: chat,
    usage: {
      prompt_tokens: 10120,
      completion_tokens: 1499,
      total_tokens: 14428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    },
    right: [10120, 128, 0, 4308],
  },
  {
    name: "xAI: a short answer after long reasoning",
    source: "https://github.com/vercel/ai/pull/12425",
    engine: chat,
    usage: {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 399,
      completion_tokens_details: { reasoning_tokens: 386 },
    },
    right: [12, 0, 0, 387],
  },
  {
    name: "OpenAI: reasoning within the output",
    source: "https://platform.openai.com/docs/guides/reasoning",
    engine: chat,
    usage: {
      prompt_tokens: 10120,
      completion_tokens: 3308,
      total_tokens: 13428,
      prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 2809, accepted_prediction_tokens: 0 },
    },
    right: [10120, 128, 0, 3308],
  },
  {
    name: "Moonshot: cached tokens at the top",
    source: "https://github.com/AstrBotDevs/AstrBot/issues/6614",
    engine: chat,
    usage: {
      prompt_tokens: 1336,
      completion_tokens: 31,
      total_tokens: 1367,
      cached_tokens: 1280,
      prompt_tokens_details: { cached_tokens: 1280 },
    },
    right: [1336, 1280, 0, 31],
  },
  {
    name: "Moonshot: cached tokens only at the top",
    source: "https://github.com/aallan/vera-bench/pull/97",
    engine: chat,
    usage: { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
    right: [19, 10, 0, 21],
  },
  {
    name: "Moonshot: without a cache",
    source: "https://github.com/higress-group/higress/pull/1568",
    engine: chat,
    usage: { prompt_tokens: 10, completion_tokens: 79, total_tokens: 89 },
    right: [10, 0, 0, 79],
  },
  {
    name: "Groq: counts with times",
    source: "https://github.com/vercel/ai/issues/1651",
    engine: chat,
    usage: {
      queue_time: 0.07535312,
      prompt_tokens: 23,
      prompt_time: 0.006,
      completion_tokens: 19,
      completion_time: 0.022,
      total_tokens: 42,
      total_time: 0.028,
    },
    right: [23, 0, 0, 19],
  },
  {
    name: "DeepSeek: cache misses",
    source: "https://github.com/BerriAI/litellm/issues/5017",
    engine: chat,
    usage: {
      completion_tokens: 40,
      prompt_tokens: 11,
      total_tokens: 51,
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 11,
    },
    right: [11, 0, 0, 40],
  },
  {
    name: "DeepSeek: cache hits",
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
    engine: chat,
    usage: {
      completion_tokens: 40,
      prompt_tokens: 911,
      total_tokens: 951,
      prompt_cache_hit_tokens: 896,
      prompt_cache_miss_tokens: 15,
    },
    right: [911, 896, 0, 40],
  },
  {
    name: "LiteLLM: a stream with the cache within the prompt",
    source: "https://github.com/BerriAI/litellm/issues/11789",
    engine: chat,
    usage: {
      total_tokens: 2482,
      prompt_tokens: 2459,
      completion_tokens: 23,
      prompt_tokens_details: { audio_tokens: null, cached_tokens: 0 },
      cache_read_input_tokens: 2455,
      completion_tokens_details: { audio_tokens: null, reasoning_tokens: 0 },
      cache_creation_input_tokens: 0,
    },
    right: [2459, 2455, 0, 23],
  },
  {
    name: "LiteLLM: a stale count of written tokens",
    source: "https://github.com/BerriAI/litellm/pull/40845",
    engine: chat,
    usage: {
      prompt_tokens: 58354,
      completion_tokens: 20,
      total_tokens: 58374,
      cache_read_input_tokens: 58352,
      cache_creation_input_tokens: 58352,
    },
    right: [58354, 58352, 2, 20],
  },
]

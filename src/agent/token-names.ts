import { composed } from "../base/casts.ts"

/** A count of a provider's usage. `prompt` and `total` may or may not include others (src/agent/token-counts.ts). */
export type CountName =
  | "prompt"
  | "completion"
  | "total"
  | "read"
  | "written"
  | "writtenHour"
  | "image"
  | "audio"
  | "video"
  | "tool"
  | "reasoning"
  | "searches"
  | "xSearches"
  | "executions"

/** The greatest value of each count so far. */
export type Counts = Partial<Record<CountName, number>>

/**
 * The names of each count, as providers and gateways write them: OpenAI, Anthropic, DeepSeek, Moonshot, xAI, Gemini,
 * Bedrock, Ollama, OpenRouter, LiteLLM, Perplexity. A dot leads into an object of details.
 */
export const COUNT_NAMES: Record<CountName, readonly string[]> = {
  prompt: ["prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "inputTokenCount", "prompt_eval_count"],
  completion: [
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount",
    "outputTokens",
    "outputTokenCount",
    "eval_count",
  ],
  total: ["total_tokens", "totalTokenCount", "totalTokens"],
  read: [
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "cache_read_input_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
    "cachedContentTokenCount",
    "cacheReadInputTokens",
    "cacheReadInputTokenCount",
  ],
  written: [
    "cache_creation_input_tokens",
    "prompt_tokens_details.cache_write_tokens",
    "prompt_tokens_details.cache_creation_tokens",
    "input_tokens_details.cache_write_tokens",
    "cache_write_tokens",
    "cacheWriteInputTokens",
    "cacheWriteInputTokenCount",
  ],
  writtenHour: [
    "cache_creation.ephemeral_1h_input_tokens",
    "prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens",
  ],
  image: ["prompt_tokens_details.image_tokens", "input_tokens_details.image_tokens", "image_tokens"],
  audio: ["prompt_tokens_details.audio_tokens", "input_tokens_details.audio_tokens", "audio_tokens"],
  video: ["prompt_tokens_details.video_tokens", "input_tokens_details.video_tokens", "video_tokens"],
  tool: ["tool_use_prompt_tokens", "prompt_tokens_details.tool_use_prompt_tokens", "toolUsePromptTokenCount"],
  reasoning: [
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "output_tokens_details.thinking_tokens",
    "reasoning_tokens",
    "thoughtsTokenCount",
  ],
  searches: [
    "server_tool_use.web_search_requests",
    "server_tool_use_details.web_search_requests",
    "prompt_tokens_details.web_search_requests",
    "server_side_tool_usage_details.web_search_calls",
    "num_search_queries",
  ],
  xSearches: ["server_side_tool_usage_details.x_search_calls"],
  executions: ["server_tool_use.code_execution_requests", "server_side_tool_usage_details.code_interpreter_calls"],
}

/** A number of a model call: a column of model_calls, and a field of a bill. */
interface CallCount {
  /** The provider's count that it is; docs/architecture/answers.md says how whole prompts and outputs are read. */
  reads?: CountName
  /** The count that it is a part of. Parts of the same count share no units. */
  partOf?: string
  /**
   * The most that one call can have, of a number that neither the prompt nor the output bounds. Each call with a price
   * for it holds the price of that many.
   */
  most?: number
  /** What it is, for descriptions. */
  about: string
  /** Its column in a table. */
  title: string
  example: number
}

/**
 * The numbers that are kept of each model call. Readers of answers, stored steps, receipts and bills follow this
 * declaration. Each has the column of its name in model_calls: `tokens_cached` for `tokensCached`. A number that many
 * calls lack (all but REQUIRED_COUNTS) is null there if it is 0.
 */
export const CALL_COUNTS = {
  tokensInput: { about: "All prompt tokens, including cached tokens.", title: "Input tokens", example: 812 },
  tokensCached: {
    reads: "read",
    partOf: "tokensInput",
    about: "The part of `tokens_input` that came from the provider's cache.",
    title: "Cached input tokens",
    example: 0,
  },
  tokensCacheWritten: {
    reads: "written",
    partOf: "tokensInput",
    about: "The part of `tokens_input` that was written to the provider's cache.",
    title: "Cache write tokens",
    example: 0,
  },
  tokensCacheWrittenHour: {
    reads: "writtenHour",
    partOf: "tokensCacheWritten",
    about: "The part of `tokens_cache_written` that is cached for an hour instead of five minutes.",
    title: "Cache write tokens, one hour",
    example: 0,
  },
  tokensAudio: {
    reads: "audio",
    partOf: "tokensInput",
    about: "The part of `tokens_input` that is audio and was neither read from the provider's cache nor written to it.",
    title: "Audio input tokens",
    example: 0,
  },
  tokensOutput: { about: "All output tokens, including hidden ones.", title: "Output tokens", example: 64 },
  tokensReasoning: {
    reads: "reasoning",
    partOf: "tokensOutput",
    about: "The part of `tokens_output` that is reasoning, if the provider counts it.",
    title: "Reasoning tokens",
    example: 0,
  },
  webSearches: {
    reads: "searches",
    most: 20,
    about: "The web searches that the provider has made itself.",
    title: "Web searches",
    example: 0,
  },
  xSearches: {
    reads: "xSearches",
    most: 20,
    about: "The searches of posts on X that the provider has made itself.",
    title: "X searches",
    example: 0,
  },
  codeExecutions: {
    reads: "executions",
    most: 20,
    about: "The runs of code in the provider's own container.",
    title: "Code executions",
    example: 0,
  },
} as const satisfies Record<string, CallCount>

export type CallCountName = keyof typeof CALL_COUNTS

const REQUIRED_COUNTS = ["tokensInput", "tokensCached", "tokensOutput"] as const
type RequiredCount = (typeof REQUIRED_COUNTS)[number]

/** The numbers of a model call, as its provider has counted them. A missing one is 0. */
export type ModelUsage = Record<RequiredCount, number> & Partial<Record<CallCountName, number>>

export const CALL_COUNT_NAMES = Object.keys(CALL_COUNTS) as CallCountName[]
export const countOf = (name: CallCountName): CallCount => CALL_COUNTS[name]
export const isRequiredCount = (name: CallCountName) => REQUIRED_COUNTS.some((one) => one === name)

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ""
export type CountColumn = Snake<CallCountName>

export const countColumnOf = (name: CallCountName) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as CountColumn
/** The columns of all numbers of a model call. */
export const COUNT_COLUMNS = CALL_COUNT_NAMES.map(countColumnOf)

/** The numbers of a model call as columns, without nulls. */
export const countRowOf = (usage: ModelUsage): Record<CountColumn, number> =>
  composed(Object.fromEntries(CALL_COUNT_NAMES.map((name) => [countColumnOf(name), usage[name] ?? 0])))

/** The numbers of a model call that columns have. */
export const usageOfRow = (row: Record<CountColumn, number | null>): ModelUsage =>
  composed(Object.fromEntries(CALL_COUNT_NAMES.map((name) => [name, row[countColumnOf(name)] ?? 0])))

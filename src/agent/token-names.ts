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

/** The greatest value of each count so far. */
export type Counts = Partial<Record<CountName, number>>

/**
 * The names of each count, as providers and gateways write them: OpenAI, Anthropic, DeepSeek, Moonshot, xAI, Gemini,
 * Bedrock, Ollama, OpenRouter, LiteLLM. A dot leads into an object of details.
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
}

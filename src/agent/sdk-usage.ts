import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import { isFields } from "../base/fields.ts"
import type { ModelCall, ModelUsage } from "./engine.ts"
import { likelyPromptTokens, likelyTokens } from "./estimate.ts"
import type { SdkAnswer } from "./sdk-answer.ts"

/** The provider's final counts. An estimate replaces a count that makes no sense: no prompt, or text without tokens. */
export function usageOf(call: ModelCall, { parts, written, usage }: SdkAnswer): ModelUsage {
  const counted = countedBy(usage, call)
  const tokensInput = counted.tokensInput || likelyPromptTokens(call)
  const tokensCached = Math.min(counted.tokensCached ?? 0, tokensInput)
  const tokensCacheWritten = Math.min(counted.tokensCacheWritten ?? 0, tokensInput - tokensCached)
  const texts = parts.map((part) =>
    part.type === "tool-call" ? (written.get(part.toolCallId) ?? JSON.stringify(part.input)) : part.text,
  )
  const likely = parts.length === 0 ? 0 : Math.min(likelyTokens(...texts), call.maxOutputTokens)
  const tokensOutput = counted.tokensOutput || likely
  const tokensCacheWrittenHour = Math.min(counted.tokensCacheWrittenHour ?? 0, tokensCacheWritten)
  return {
    tokensInput,
    tokensCached,
    ...(tokensCacheWritten > 0 && { tokensCacheWritten }),
    ...(tokensCacheWrittenHour > 0 && { tokensCacheWrittenHour }),
    tokensOutput,
  }
}

/** The counts of a stream's last part. */
export function countedBy(usage: LanguageModelV4Usage, call: ModelCall): Partial<ModelUsage> {
  const { inputTokens, raw = {} } = usage
  // DeepSeek's name for the tokens that it has read from its cache.
  const { prompt_cache_hit_tokens: hit } = counts({ prompt_cache_hit_tokens: raw.prompt_cache_hit_tokens })
  return counts({
    tokensInput: inputTokens.total,
    tokensCached: inputTokens.cacheRead || (hit ?? inputTokens.cacheRead),
    tokensCacheWritten: inputTokens.cacheWrite,
    tokensCacheWrittenHour: writtenForHour(raw),
    tokensOutput: outputCount(usage, call),
  })
}

/**
 * Some servers count reasoning outside completion_tokens (xAI), or in the total only (Gemini's OpenAI protocol).
 * A total is used if it is plausible: within the call's output limit, or within the count of reasoning.
 */
function outputCount({ inputTokens, outputTokens, raw }: LanguageModelV4Usage, call: ModelCall): number | undefined {
  const { completion_tokens_details: details, total_tokens: total } = raw ?? {}
  if (!inputTokens.total || typeof total !== "number" || !Number.isSafeInteger(total)) return outputTokens.total
  const reasoning = isFields(details) && typeof details.reasoning_tokens === "number" ? details.reasoning_tokens : 0
  const said = outputTokens.total ?? 0
  const rest = total - inputTokens.total
  return rest <= Math.max(call.maxOutputTokens, said + reasoning) ? Math.max(said, rest) : outputTokens.total
}

interface AnthropicStart {
  type?: unknown
  message?: { usage?: Record<string, unknown> }
}

/** Anthropic's first event counts the prompt (Messages API, message_start): three counts that add up to it. */
export function promptCountOf(raw: unknown): Partial<ModelUsage> {
  const { type, message } = (raw ?? {}) as AnthropicStart
  const usage = type === "message_start" ? message?.usage : undefined
  if (!usage) return {}
  const [plain, read, written] = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
  const sum = [plain, read, written].reduce<number>((sum, tokens) => sum + (typeof tokens === "number" ? tokens : 0), 0)
  return counts({
    tokensInput: sum,
    tokensCached: read,
    tokensCacheWritten: written,
    tokensCacheWrittenHour: writtenForHour(usage),
  })
}

/** Anthropic's count of the tokens that it has written for an hour (Messages API, usage.cache_creation). */
function writtenForHour(usage: unknown): unknown {
  const { cache_creation } = (usage ?? {}) as { cache_creation?: { ephemeral_1h_input_tokens?: unknown } | null }
  return cache_creation?.ephemeral_1h_input_tokens
}

/** The provider's counts that are whole numbers of tokens, after rounding. */
function counts<Name extends string>(given: Record<Name, unknown>): Partial<Record<Name, number>> {
  const sound = Object.entries(given).filter(([, tokens]) => typeof tokens === "number" && tokens >= 0 && tokens < 1e9)
  return Object.fromEntries(sound.map(([name, tokens]) => [name, Math.round(tokens as number)])) as Partial<
    Record<Name, number>
  >
}

import type { ModelAnswer, ModelCall, ModelUsage } from "./engine.ts"
import { byteLength, likelyPromptTokens, likelyTokens, PROMPT_TOKENS, promptTokenBound } from "./estimate.ts"

/**
 * The tokens of an answer, whole or cut: the provider's counts, within what the call can have used. An estimate of four
 * bytes per token replaces a count that is missing or 0. `said`: the output that arrived, with hidden output.
 * `counted`: the provider's counts, if they are beyond that.
 */
export function usageOf(
  call: ModelCall,
  { counted, said, reasoning = 0 }: { counted: Partial<ModelUsage>; said: string; reasoning?: number },
): Pick<ModelAnswer, "usage" | "counted"> {
  const likely = said === "" ? 0 : Math.min(likelyTokens(said), call.maxOutputTokens)
  const input = counted.tokensInput || likelyPromptTokens(call)
  const output = counted.tokensOutput || likely
  // A server may ignore the limit of the output, but a token has at least one byte. Some count reasoning besides it.
  const mostOutput = Math.max(call.maxOutputTokens, byteLength(said))
  const most = {
    input: promptTokenBound(call) + PROMPT_TOKENS.provider,
    output: mostOutput + Math.min(reasoning, mostOutput),
  }
  const usage = withParts(Math.min(input, most.input), Math.min(output, most.output), counted)
  if (input <= most.input && output <= most.output) return { usage }
  return { usage, counted: withParts(input, output, counted) }
}

function withParts(tokensInput: number, tokensOutput: number, counted: Partial<ModelUsage>): ModelUsage {
  const tokensCached = Math.min(counted.tokensCached ?? 0, tokensInput)
  const tokensCacheWritten = Math.min(counted.tokensCacheWritten ?? 0, tokensInput - tokensCached)
  const tokensCacheWrittenHour = Math.min(counted.tokensCacheWrittenHour ?? 0, tokensCacheWritten)
  return {
    tokensInput,
    tokensCached,
    ...(tokensCacheWritten > 0 && { tokensCacheWritten }),
    ...(tokensCacheWrittenHour > 0 && { tokensCacheWrittenHour }),
    tokensOutput,
  }
}

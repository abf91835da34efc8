import type { ModelAnswer, ModelCall } from "./engine.ts"
import { byteLength, likelyPromptTokens, likelyTokens, PROMPT_TOKENS, promptTokenBound } from "./estimate.ts"
import { CALL_COUNT_NAMES, type CallCountName, countOf, isRequiredCount, type ModelUsage } from "./token-names.ts"

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
  const isPossible = OTHERS.every((name) => (counted[name] ?? 0) <= mostOf(name))
  if (input <= most.input && output <= most.output && isPossible) return { usage }
  return { usage, counted: withParts(input, output, counted, () => Number.POSITIVE_INFINITY) }
}

const mostOf = (name: CallCountName) => countOf(name).most ?? 0

/**
 * Adds the other numbers. A part of the prompt or the output has at most the units that the parts before it leave.
 */
function withParts(
  tokensInput: number,
  tokensOutput: number,
  counted: Partial<ModelUsage>,
  limitOf = mostOf,
): ModelUsage {
  const usage: ModelUsage = { tokensInput, tokensCached: 0, tokensOutput }
  const left: Partial<Record<string, number>> = { tokensInput, tokensOutput }
  for (const name of READ) {
    const { partOf } = countOf(name)
    const limit = partOf === undefined ? limitOf(name) : (left[partOf] ?? 0)
    const units = Math.min(counted[name] ?? 0, limit)
    if (partOf !== undefined) left[partOf] = limit - units
    left[name] = units
    if (units > 0 || isRequiredCount(name)) usage[name] = units
  }
  return usage
}

/** In the order of the declaration: a whole before its parts. */
const READ: readonly CallCountName[] = CALL_COUNT_NAMES.filter((name) => countOf(name).reads !== undefined)
/** The numbers that are no part of the prompt or the output. */
const OTHERS = READ.filter((name) => countOf(name).partOf === undefined)

import type { ModelCall } from "./engine.ts"

/** What a provider's chat template adds around a message, and around the whole prompt, at the most. */
const TOKENS_PER_MESSAGE = 16
const TOKENS_PER_PROMPT = 64

const encoder = new TextEncoder()

/**
 * An upper bound of the prompt's tokens, without a tokenizer: a byte-level BPE never makes more tokens than bytes.
 * Holds are bounded by it; bills come from what the provider counts.
 */
export function promptTokenBound(call: Pick<ModelCall, "system" | "messages">): number {
  let bytes = call.system ? encoder.encode(call.system).length + TOKENS_PER_MESSAGE : 0
  for (const message of call.messages) bytes += encoder.encode(message.content).length + TOKENS_PER_MESSAGE
  return bytes + TOKENS_PER_PROMPT
}

const LIKELY_BYTES_PER_TOKEN = 4

/** The usual count: four bytes a token, at least one. For servers that report none. */
export function likelyTokens(...texts: string[]): number {
  const bytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
  return Math.max(1, Math.ceil(bytes / LIKELY_BYTES_PER_TOKEN))
}

/** The longest beginning of a text that `likelyTokens` counts as at most so many tokens; never half a character. */
export function cutToTokens(text: string, tokens: number): string {
  const bytes = Math.min(tokens * LIKELY_BYTES_PER_TOKEN, text.length * 3)
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}

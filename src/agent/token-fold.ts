import { type Fields, isFields } from "../base/fields.ts"
import type { EngineName } from "./engine.ts"
import { readCounts } from "./token-counts.ts"
import { COUNT_NAMES, type CountName, type Counts, type ModelUsage } from "./token-names.ts"

const NAMES = Object.entries(COUNT_NAMES).flatMap(([name, all]) =>
  all.map((written) => [name as CountName, written.split(".")] as const),
)

/**
 * The token counts of one answer, folded as its frames pass: the greatest value of each field, wherever a provider puts
 * it. So a later zero, a missing count or a failure erases nothing.
 */
export class TokenFold {
  private readonly most: Counts = {}

  /** Takes the counts of a frame. Returns whether a count has grown. */
  take(frame: Fields): boolean {
    return placesIn(frame).reduce((grown, usage) => this.fold(usage) || grown, false)
  }

  /** The counts of output and of reasoning; 0 if no frame had them. */
  get output(): { said: number; reasoning: number } {
    return { said: this.most.completion ?? 0, reasoning: this.most.reasoning ?? 0 }
  }

  /** The counts as we bill them. `limit`: the call's output limit. */
  read(engine: EngineName, limit: number): Partial<ModelUsage> {
    return readCounts(this.most, { engine, limit })
  }

  private fold(usage: Fields): boolean {
    let grown = false
    for (const [name, path] of NAMES) {
      const count = countAt(usage, path, name)
      if (count === undefined || count <= (this.most[name] ?? -1)) continue
      this.most[name] = count
      grown = true
    }
    return grown
  }
}

/** A whole number of tokens, after rounding. A total must be exact, because output is derived from it. */
function countAt(usage: Fields, path: readonly string[], name: CountName): number | undefined {
  let value: unknown = usage
  for (const member of path) value = isFields(value) ? value[member] : undefined
  if (typeof value !== "number" || !(value >= 0 && value < 1e9)) return undefined
  if (name === "total" && !Number.isSafeInteger(value)) return undefined
  return Math.round(value)
}

/** All places in which providers are known to put their counts. */
function placesIn(frame: Fields): Fields[] {
  const { message, response, x_groq, error, metadata, delta, choices } = frame
  const inside = [response, x_groq, error, metadata, delta, ...(Array.isArray(choices) ? choices : [])]
  const places = [frame, ...inside].map((holder) => (isFields(holder) ? holder.usage : undefined))
  return [
    ...places,
    startOf(message),
    frame.usageMetadata,
    frame["amazon-bedrock-invocationMetrics"],
    timingsOf(frame.timings),
    // Ollama's own protocol has its counts in the last frame itself.
    "eval_count" in frame ? frame : undefined,
  ].filter(isFields)
}

/** Anthropic's first event counts the prompt. Its output tokens are the ones before the answer, mostly 1. */
function startOf(message: unknown): unknown {
  if (!isFields(message) || !isFields(message.usage)) return undefined
  const { output_tokens: _begun, ...usage } = message.usage
  return usage
}

/** The counts of llama.cpp's server, which are in each stream, even if it was not asked for usage. */
function timingsOf(timings: unknown): unknown {
  if (!isFields(timings)) return undefined
  const { prompt_n, cache_n = 0, predicted_n } = timings as Record<string, number>
  return {
    ...(typeof prompt_n === "number" && typeof cache_n === "number" && { prompt_tokens: prompt_n + cache_n }),
    cached_tokens: cache_n,
    completion_tokens: predicted_n,
  }
}

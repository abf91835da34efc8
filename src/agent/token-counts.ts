import type { EngineName } from "./engine.ts"
import { CALL_COUNT_NAMES, type Counts, countOf, type ModelUsage } from "./token-names.ts"

/** Parts of a prompt that some providers count in addition to it. */
const INPUT_PARTS = ["read", "written", "image", "audio", "video", "tool"] as const
type InputPart = (typeof INPUT_PARTS)[number]
type Part = InputPart | "reasoning"

/**
 * Reads a provider's counts as the bill needs them. `limit`: the call's output limit. A missing count stays missing.
 * Providers disagree about what the prompt and the total include: docs/architecture/answers.md has the rules.
 */
export function readCounts(
  counts: Counts,
  { engine, limit }: { engine: EngineName; limit: number },
): Partial<ModelUsage> {
  const { input, output = counts.completion } = engine === "anthropic" ? besides(counts) : proven(counts, limit)
  const usage: Partial<ModelUsage> = {
    ...(input !== undefined && { tokensInput: input }),
    ...(output !== undefined && { tokensOutput: output }),
  }
  for (const name of CALL_COUNT_NAMES) {
    const { reads } = countOf(name)
    const count = reads && counts[reads]
    if (count !== undefined) usage[name] = count
  }
  return usage
}

interface Sides {
  input: number | undefined
  output: number | undefined
}

/** Anthropic counts cached and written tokens in addition to input_tokens (Messages API, usage). */
function besides({ prompt, read = 0, written = 0, completion }: Counts): Sides {
  const isCounted = prompt !== undefined || read + written > 0
  return { input: isCounted ? (prompt ?? 0) + read + written : undefined, output: completion }
}

function proven(counts: Counts, limit: number): Sides {
  const { completion, total, reasoning = 0 } = counts
  const prompt = counts.prompt || (total && completion ? Math.max(0, total - completion) : counts.prompt)
  if (prompt === undefined) return { input: undefined, output: completion }
  const said = completion ?? 0
  const outside = greaterThan(counts, prompt)
  const sumOf = (parts: readonly Part[]) => parts.reduce((sum, part) => sum + (counts[part] ?? 0), 0)
  const exact = total === undefined ? null : partsOf(counts, { prompt, rest: total - prompt - said })
  if (exact) {
    const isThought = exact.includes("reasoning")
    const input = prompt + sumOf(exact.filter((part) => part !== "reasoning"))
    return { input, output: isThought || completion !== undefined ? said + (isThought ? reasoning : 0) : undefined }
  }
  const input = prompt + sumOf(outside)
  // Reasoning that is more than the whole output is not in it.
  if (total === undefined) return { input, output: reasoning > said ? said + reasoning : completion }
  const rest = total - input - said
  const known = INPUT_PARTS.filter((part) => !outside.includes(part) && (counts[part] ?? 0) <= rest)
  const left = rest - sumOf(known)
  const isPlausible = left > 0 && said + left <= Math.max(limit, said + reasoning)
  return { input, output: isPlausible ? said + left : completion }
}

/** The parts that add up to the rest of a total, among them all that are greater than the prompt; null: none do. */
function partsOf(counts: Counts, { prompt, rest }: { prompt: number; rest: number }): Part[] | null {
  const parts = ([...INPUT_PARTS, "reasoning"] as const).filter((part) => (counts[part] ?? 0) > 0)
  const greater = greaterThan(counts, prompt)
  let found: Part[] | null = null
  for (let set = 0; set < 2 ** parts.length; set++) {
    const chosen = parts.filter((_, bit) => (set >> bit) % 2 === 1)
    const sum = chosen.reduce((sum, part) => sum + (counts[part] ?? 0), 0)
    if (sum !== rest || !greater.every((part) => chosen.includes(part))) continue
    if (!found || chosen.length < found.length) found = chosen
  }
  return found
}

/** The parts that are certainly not in the prompt. */
const greaterThan = (counts: Counts, prompt: number) => INPUT_PARTS.filter((part) => (counts[part] ?? 0) > prompt)

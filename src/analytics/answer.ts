import * as z from "zod"
import { toUsd } from "../base/money.ts"
import type { Granularity, Range } from "./range.ts"

/** What every report says about itself; `granularity`: that of its series, or null when each of its rows is of the whole range. */
export const envelope = <G extends Granularity | null>(granularity: z.ZodType<G>) => ({
  from: z.iso.datetime().meta({ description: "Where the range begins (UTC).", example: "2026-01-01T00:00:00.000Z" }),
  to: z.iso.datetime().meta({
    description: "Where it ends, exclusive. Days are whole, so today's is tonight.",
    example: "2026-01-31T00:00:00.000Z",
  }),
  granularity,
  as_of: z.iso.datetime().meta({
    description: "When the report was made: it is exact at that moment.",
    example: "2026-01-30T16:05:12.000Z",
  }),
})

/** The `granularity` of a report whose rows are each of the whole range. */
export const wholeRange = z.null().meta({ description: "Null: each row is of the whole range.", example: null })

/** That of a series with a row for each day, or hour. */
export const always = <G extends Granularity>(granularity: G) =>
  z.literal(granularity).meta({ description: "What a row of the series covers.", example: granularity })

/** What a report says of its list, which has pages only when it is very long. */
export const pageFields = {
  total: z.int().meta({ description: "How many there are on all pages.", example: 149 }),
  limit: z.int().meta({ description: "The size of a page.", example: 10_000 }),
  offset: z.int().meta({ description: "How many were skipped.", example: 0 }),
}

/** `now` is taken before the report is read, so that nothing from before that moment is missing. */
export function envelopeOf<G extends Granularity | null>(now: Date, range: Range, granularity: G) {
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    granularity,
    as_of: now.toISOString(),
  }
}

/** What turns and their model calls come to, as it is stored: integers only. */
export interface Sums {
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed: number
}

export const NO_SUMS: Sums = {
  turns: 0,
  model_calls: 0,
  tokens_input: 0,
  tokens_cached: 0,
  tokens_output: 0,
  billed: 0,
}

/** The same in an answer. */
export const sums = {
  turns: z.int().meta({ description: "Live turns that ended, those billed nothing too.", example: 214 }),
  model_calls: z.int().meta({ description: "Those of sub-agents too.", example: 530 }),
  tokens_input: z.int().meta({ description: "All that was read, cached tokens included.", example: 1840200 }),
  tokens_cached: z.int().meta({ example: 1210400 }),
  tokens_output: z.int().meta({ example: 96310 }),
  billed_cost_usd: z.number().meta({ description: "What the turns were billed: exact.", example: 4.1207 }),
}

export function serializeSums({ billed, ...counts }: Sums) {
  const { turns, model_calls, tokens_input, tokens_cached, tokens_output } = counts
  return { turns, model_calls, tokens_input, tokens_cached, tokens_output, billed_cost_usd: toUsd(billed) }
}

/** What is left of a total without some of its rows: in integers, so that all adds up. */
export function restOf(total: Sums, rows: readonly Sums[]): Sums {
  const rest = { ...total }
  for (const row of rows) for (const key of Object.keys(NO_SUMS) as (keyof Sums)[]) rest[key] -= row[key]
  return rest
}

/** A share or an average; null where there is nothing to divide by. */
export const ratio = (sum: number, count: number): number | null => (count === 0 ? null : sum / count)

import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { refundSums, refundsOf } from "../base/refunds.ts"
import type { Range } from "../base/report-range.ts"
import type { Granularity } from "./range.ts"

/**
 * The fields that every report has. `granularity`: that of
 * its series, or null if each row covers the whole range.
 */
export const envelope = <G extends Granularity | null>(granularity: z.ZodType<G>) => ({
  from: z.iso.datetime().meta({ description: "The start of the range (UTC).", example: "2026-01-01T00:00:00.000Z" }),
  to: z.iso.datetime().meta({
    description:
      "The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today.",
    example: "2026-01-31T00:00:00.000Z",
  }),
  granularity,
  as_of: z.iso.datetime().meta({
    description: "The time at which the report was made. Its figures are exact at this time.",
    example: "2026-01-30T16:05:12.000Z",
  }),
})

/** The `granularity` of a report whose rows each cover the whole range. */
export const wholeRange = z.null().meta({ description: "Null: each row covers the whole range.", example: null })

/** The `granularity` of a series with one row per day or hour. */
export const always = <G extends Granularity>(granularity: G) =>
  z.literal(granularity).meta({ description: "The period that a row of the series covers.", example: granularity })

export const imageCalls = z.int().meta({
  description: "How many of `model_calls` made an image. They have no context, so the average leaves them out.",
  example: 2,
})

/** The fields of a list with pages. Only a very long list has more than one page. */
export const pageFields = {
  total: z.int().meta({ description: "The number of entries on all pages.", example: 149 }),
  limit: z.int().meta({ description: "The size of a page.", example: 10_000 }),
  offset: z.int().meta({ description: "The number of entries that were skipped.", example: 0 }),
}

/** The fields of a list whose page may end before its `limit`, because its entries have days. */
export const cutPageFields = {
  ...pageFields,
  limit: z.int().meta({ description: "The most entries on a page.", example: 10_000 }),
  next_offset: z.int().nullable().meta({
    description: "The `offset` of the next page. Null on the last page.",
    example: null,
  }),
}

/** Take `now` before the report is read, so that the report has everything from before that moment. */
export function envelopeOf<G extends Granularity | null>(now: Date, range: Range, granularity: G) {
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    granularity,
    as_of: now.toISOString(),
  }
}

/** Sums of turns and their model calls as they are stored, in integers. */
export interface Sums {
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed: number
  refunded: number
}

export const NO_SUMS: Sums = {
  turns: 0,
  model_calls: 0,
  tokens_input: 0,
  tokens_cached: 0,
  tokens_output: 0,
  billed: 0,
  refunded: 0,
}

/** The fields of `Sums` in a response. */
export const sums = {
  turns: z
    .int()
    .meta({ description: "Live turns that ended, including turns that were billed nothing.", example: 214 }),
  model_calls: z.int().meta({ description: "Model calls, including the calls of sub-agents.", example: 530 }),
  tokens_input: z.int().meta({ description: "All input tokens, including cached ones.", example: 1840200 }),
  tokens_cached: z.int().meta({ example: 1210400 }),
  tokens_output: z.int().meta({ example: 96310 }),
  billed_cost_usd: z.number().meta({
    description: "The exact amount that the turns were billed. Refunds are not subtracted.",
    example: 4.1207,
  }),
  ...refundSums,
}

export function serializeSums({ billed, refunded, ...counts }: Sums) {
  const { turns, model_calls, tokens_input, tokens_cached, tokens_output } = counts
  return {
    turns,
    model_calls,
    tokens_input,
    tokens_cached,
    tokens_output,
    billed_cost_usd: toUsd(billed),
    ...refundsOf({ billed, refunded }),
  }
}

/** Subtracts rows from a total, in integers, so that all parts add up. */
export function restOf(total: Sums, rows: readonly Sums[]): Sums {
  const rest = { ...total }
  for (const row of rows) for (const key of Object.keys(NO_SUMS) as (keyof Sums)[]) rest[key] -= row[key]
  return rest
}

/** A share or an average. Null if the divisor is 0. */
export const ratio = (sum: number, count: number): number | null => (count === 0 ? null : sum / count)

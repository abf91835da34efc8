import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { BookFigures, BookKind, BookLine } from "./compare-day.ts"
import { UNITS } from "./report-day.ts"

/** A row of provider_book_days with the name of its account and its findings, read as JSON. */
export interface BookDayRow extends Omit<JsonRow<"provider_book_days">, "figures" | "lines"> {
  account: string | null
  figures: BookFigures | null
  lines: BookLine[]
  findings: BookFindingRow[]
}
type BookFindingRow = Omit<JsonRow<"provider_book_findings">, "kind" | "units"> & {
  kind: BookKind
  units: Partial<Record<(typeof UNITS)[number], { theirs: number; ours: number }>>
}

const KINDS = {
  provider_more: "The provider has more than our calls of this model.",
  provider_less: "The provider has less than our calls of this model.",
  unknown_calls: "The provider has calls that we do not know, or a model that we did not call.",
} as const satisfies Record<BookKind, string>

const unit = z.enum(["model_calls", "tokens_input", "tokens_cached", "tokens_cache_written", "tokens_output", "usd"])
const numbers = {
  theirs: z.number().meta({ description: "The provider's number. An amount is in USD.", example: 912_000 }),
  ours: z.number().meta({ description: "The number of our calls.", example: 910_500 }),
}
const usd = (description: string, example: number) => z.number().nullable().meta({ description, example })

export const bookFindingSchema = z
  .object({
    kind: z.enum(Object.keys(KINDS) as [BookKind, ...BookKind[]]).meta({
      description: Object.entries(KINDS)
        .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
        .join(" "),
      example: "provider_more",
    }),
    model: z.string().meta({ description: "The model at the provider, without the date of its version." }),
    response_id: z.string().nullable().meta({
      description: "A single call, by the provider's id of its answer. Null: the sum of the model.",
      example: null,
    }),
    turn_id: z.string().nullable().meta({ description: "The turn of that call.", example: null }),
    units: z.array(z.object({ unit, ...numbers })).meta({ description: "The numbers that differ." }),
    calls: z.int().nullable().meta({
      description: "The number of calls that differ. Null: none, or the provider does not count calls.",
      example: 3,
    }),
    difference_usd: usd("The provider's amount less ours. Null: its amounts are equal, or of no model.", 0.42),
    found_at: z.iso.datetime(),
  })
  .meta({ id: "ProviderBookFinding" })

const dayFields = {
  provider_id: z.string().meta({ example: "team-one" }),
  account: z.string().nullable().meta({ description: "Its name. Null: it was removed.", example: "Team one" }),
  day: z.iso.date().meta({ description: "The day (UTC).", example: "2026-01-14" }),
  state: z.enum(["waiting", "preliminary", "settled"]).meta({
    description:
      "`waiting`: not compared yet. `preliminary`: the provider may still change its numbers, so the day is compared again. `settled`: final.",
    example: "settled",
  }),
  compared_at: z.iso.datetime().nullable(),
  next_at: z.iso.datetime().nullable().meta({ description: "The next comparison. Null: none.", example: null }),
  failure: z.string().nullable().meta({
    description:
      "Why the reports could not be read: `http_` and a status, `network_` and a cause, `unknown_form`, `other_currency`, `too_many_pages`, `internal`. Null: they could.",
    example: null,
  }),
  failing_since: z.iso.datetime().nullable().meta({ example: null }),
  provider_usd: usd("All that the provider reports, less its credits and discounts.", 12.9),
  credits_usd: usd("Credits and discounts, as a negative amount.", 0),
  other_usd: usd("Lines of the provider that name no model, such as web searches.", 0),
  foreign_usd: usd("The use of other software, in a shared account.", 0),
  explained_usd: usd("The part of calls whose answer was lost, so that they have no tokens here.", 0),
  cost_usd: usd("The cost of our calls at the provider's prices in the catalog.", 12.4),
  billed_usd: usd("The amount that accounts were billed for these calls.", 14.1),
  margin_usd: usd("The real margin: the billed amount less the provider's.", 1.2),
  model_calls: z.int().nullable().meta({ example: 310 }),
  lost_calls: z.int().nullable().meta({ description: "Calls without an answer that it may have billed.", example: 0 }),
  findings_total: z.int().meta({ example: 1 }),
  seen_at: z.iso.datetime().nullable().meta({
    description: "When an operator marked its findings as seen. Null: not yet.",
    example: null,
  }),
}

export const bookDaySchema = z.object(dayFields).meta({ id: "ProviderBookDay" })

export const bookSchema = z
  .object({
    ...dayFields,
    lines: z
      .array(
        z.object({
          model: z.string().meta({ example: "claude-sonnet-4-5" }),
          unit,
          ...numbers,
          least: z.number().meta({ description: "The lowest number that is no finding.", example: 909_000 }),
          most: z.number().meta({ description: "The highest number that is no finding.", example: 911_800 }),
        }),
      )
      .meta({ description: "The numbers of each model." }),
    findings: z.array(bookFindingSchema),
    calls: z
      .array(
        z.object({
          turn_id: z.string(),
          step: z.int().meta({ example: 0 }),
          model: z.string().meta({ description: "The pin.", example: "anthropic/claude-sonnet-4-5" }),
          response_id: z.string().nullable().meta({ example: "msg_01XFDUDYJgAACzvnptvVoYEL" }),
          tokens_input: z.int(),
          tokens_cached: z.int(),
          tokens_output: z.int(),
          cost_usd: z.number().meta({ example: 0.0041 }),
          billed_usd: z.number().meta({ example: 0.0041 }),
          created_at: z.iso.datetime(),
        }),
      )
      .meta({ description: "Our calls of that day with the largest cost." }),
  })
  .meta({ id: "ProviderBook" })

export type BookDay = z.infer<typeof bookDaySchema>
type BookFinding = z.infer<typeof bookFindingSchema>
export type Book = z.infer<typeof bookSchema>

export function serializeBookDay(row: BookDayRow): BookDay {
  const { provider_id, account, day, figures, failure, compared_at, settled_at } = row
  const amount = (of: keyof BookFigures) => (figures === null ? null : toUsd(figures[of]))
  return {
    provider_id,
    account,
    day: String(day),
    state: settled_at !== null ? "settled" : compared_at === null ? "waiting" : "preliminary",
    compared_at: toInstant(compared_at),
    next_at: toInstant(row.next_at),
    failure,
    failing_since: toInstant(row.failing_since),
    provider_usd: amount("reported"),
    credits_usd: amount("credits"),
    other_usd: amount("other"),
    foreign_usd: amount("foreign"),
    explained_usd: amount("explained"),
    cost_usd: amount("cost"),
    billed_usd: amount("billed"),
    margin_usd: figures === null ? null : toUsd(figures.billed - figures.reported),
    model_calls: figures?.model_calls ?? null,
    lost_calls: figures?.lost_calls ?? null,
    findings_total: row.findings.length,
    seen_at: toInstant(row.seen_at),
  }
}

/** Amounts are in credit micros in the database, and in USD here. */
function numbersOf({ unit, ...values }: { unit: (typeof UNITS)[number]; theirs: number; ours: number }) {
  return unit === "credit_micros"
    ? { unit: "usd" as const, theirs: toUsd(values.theirs), ours: toUsd(values.ours) }
    : { unit, ...values }
}

export function serializeLine({ model, least, most, ...line }: BookLine): Book["lines"][number] {
  const isAmount = line.unit === "credit_micros"
  const bounds = isAmount ? { least: toUsd(least), most: toUsd(most) } : { least, most }
  return { model, ...numbersOf({ unit: line.unit, theirs: line.theirs, ours: line.ours }), ...bounds }
}

export function serializeFinding(row: BookFindingRow): BookFinding {
  const { kind, model, response_id, turn_id, units, calls, credit_micros } = row
  return {
    kind,
    model,
    response_id,
    turn_id,
    units: UNITS.flatMap((of) => (units[of] ? [numbersOf({ unit: of, ...units[of] })] : [])),
    calls,
    difference_usd: credit_micros === null ? null : toUsd(credit_micros),
    found_at: toInstant(row.found_at),
  }
}

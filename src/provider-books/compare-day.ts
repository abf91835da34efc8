import type { Answers } from "../platform/procedures.ts"
import { BOOK_POLICY } from "./policies.ts"
import type { BookSums, BookUnit, ReportDay } from "./report-day.ts"

export type BookKind = "provider_more" | "provider_less" | "unknown_calls"

/** A number of a model on a day. The provider's is fine between `least` and `most`. */
export interface BookLine {
  model: string
  unit: BookUnit
  theirs: number
  ours: number
  least: number
  most: number
}

export interface BookFinding {
  kind: BookKind
  model: string
  response_id: string | null
  turn_id: string | null
  units: Partial<Record<BookUnit, { theirs: number; ours: number }>>
  calls: number | null
  credit_micros: number | null
}

/** Amounts in credit micros. */
export interface BookFigures {
  /** All that the provider reports, less its credits. */
  reported: number
  /** Credits and discounts: the lines below 0. */
  credits: number
  /** Lines of no model. */
  other: number
  /** The part of other software, in a shared account. */
  foreign: number
  /** The part of calls whose answer was lost. */
  explained: number
  cost: number
  billed: number
  model_calls: number
  lost_calls: number
}

export interface Comparison {
  figures: BookFigures
  lines: BookLine[]
  findings: BookFinding[]
}

interface Compared {
  report: ReportDay
  /** The numbers that the provider reports. */
  units: readonly BookUnit[]
  ours: Answers["book_sum"][]
  lost: number
  shared: boolean
}

/** Our calls of a model. A provider counts at least the `least` on a day, and at most the `most`. */
interface OurModel {
  ours: BookSums
  least: BookSums
  most: BookSums
  /** The largest numbers of a single call. */
  largest: BookSums
  searches: number
}

/**
 * Compares a provider's day with our calls, by model and number. A difference is a finding, unless calls at an end of
 * the day, lost calls, rounding or, in a shared account, other software explain it.
 */
export function compareDay({ report, units, ours, lost, shared }: Compared): Comparison {
  const known = ourModels(ours)
  const reported = theirModels(report)
  const names = [...new Set([...known.keys(), ...reported.usage.keys(), ...reported.costs.keys()])]
    .sort()
    .slice(0, BOOK_POLICY.models)
  const figures = figuresOf(report, ours, lost)
  const compared = units.filter((unit) => unit !== "credit_micros" || reported.costs.size > 0)
  const findings: BookFinding[] = []
  const lines: BookLine[] = []
  let lostLeft = lost
  for (const model of names) {
    const own = known.get(model) ?? NOTHING
    const theirs = { ...NONE, ...reported.usage.get(model), credit_micros: reported.costs.get(model) ?? 0 }
    const of = compared.map((unit) => lineOf(model, unit, { theirs, own, other: figures.other }))
    lines.push(...of.filter(({ theirs: said, most }) => said !== 0 || most !== 0))
    const less = of.filter(({ theirs: said, least }) => said < least)
    const more = of.filter(({ theirs: said, most }) => said > most)
    const above = more.find(({ unit }) => unit === "credit_micros")
    const excess = above ? above.theirs - above.ours : 0
    const explains = callsThatExplain(more, own, lostLeft)
    if (less.length > 0) findings.push(findingOf("provider_less", model, less))
    if (more.length === 0) continue
    if (explains !== null) {
      lostLeft -= explains
      figures.explained += excess
    } else if (shared) figures.foreign += excess
    else findings.push(findingOf(own === NOTHING || hasCalls(more) ? "unknown_calls" : "provider_more", model, more))
  }
  return { figures, lines, findings }
}

const NONE: BookSums = {
  model_calls: 0,
  tokens_input: 0,
  tokens_cached: 0,
  tokens_cache_written: 0,
  tokens_output: 0,
  credit_micros: 0,
}
const NOTHING: OurModel = { ours: NONE, least: NONE, most: NONE, largest: NONE, searches: 0 }

const hasCalls = (lines: BookLine[]) => lines.some(({ unit }) => unit === "model_calls")

function lineOf(
  model: string,
  unit: BookUnit,
  { theirs, own, other }: { theirs: BookSums; own: OurModel; other: number },
): BookLine {
  const { callMicros, modelMicros } = BOOK_POLICY
  const rounding = unit === "credit_micros" ? modelMicros + callMicros * own.most.model_calls : 0
  // The searches of a call are in its cost, and in a line of no model.
  const apart = unit === "credit_micros" && own.searches > 0 ? other : 0
  return {
    model,
    unit,
    theirs: theirs[unit],
    ours: own.ours[unit],
    least: Math.max(0, own.least[unit] - rounding - apart),
    most: own.most[unit] + rounding,
  }
}

/**
 * The number of lost calls that explains all that a provider has above our calls: each of them can have used as much as
 * the largest call of the model on that day. Null: they do not explain it.
 */
function callsThatExplain(more: BookLine[], { largest }: OurModel, lost: number): number | null {
  const needed = more.map(({ unit, theirs, most }) =>
    unit === "model_calls" ? theirs - most : Math.ceil((theirs - most) / largest[unit]),
  )
  const calls = Math.max(0, ...needed)
  return more.length > 0 && calls <= lost ? calls : null
}

function findingOf(kind: BookKind, model: string, lines: BookLine[]): BookFinding {
  const units = Object.fromEntries(lines.map(({ unit, theirs, ours }) => [unit, { theirs, ours }]))
  const { model_calls: calls, credit_micros: amount }: BookFinding["units"] = units
  return {
    kind,
    model,
    response_id: null,
    turn_id: null,
    units,
    calls: calls ? Math.abs(calls.theirs - calls.ours) : null,
    credit_micros: amount ? amount.theirs - amount.ours : null,
  }
}

/**
 * A provider bills a version (`gpt-5-mini-2025-08-07`) for a call of its short name (`gpt-5-mini`). So both
 * sides are summed by the name without its date.
 */
export const familyOf = (model: string): string =>
  model
    .toLowerCase()
    .replace(/[-@](?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    .trim()

function ourModels(rows: Answers["book_sum"][]): Map<string, OurModel> {
  const models = new Map<string, OurModel>()
  for (const row of rows) {
    const name = familyOf(row.model)
    const known = models.get(name) ?? NOTHING
    const added = (sums: BookSums, adds: boolean) => (adds ? sumOf(sums, row) : sums)
    models.set(name, {
      ours: added(known.ours, row.ours),
      least: added(known.least, row.certain),
      most: sumOf(known.most, row),
      searches: known.searches + row.web_searches,
      largest: {
        model_calls: 1,
        tokens_input: Math.max(known.largest.tokens_input, row.most_tokens_input),
        tokens_cached: Math.max(known.largest.tokens_cached, row.most_tokens_cached),
        tokens_cache_written: Math.max(known.largest.tokens_cache_written, row.most_tokens_cache_written),
        tokens_output: Math.max(known.largest.tokens_output, row.most_tokens_output),
        credit_micros: Math.max(known.largest.credit_micros, row.most_credit_micros),
      },
    })
  }
  return models
}

function theirModels({ usage, costs }: ReportDay) {
  const models = new Map<string, Partial<BookSums>>()
  for (const { model, sums } of usage) {
    const name = familyOf(model)
    models.set(name, sumOf({ ...NONE, ...models.get(name) }, { ...NONE, ...sums }))
  }
  const amounts = new Map<string, number>()
  for (const { model, micros } of costs) {
    if (model === null || micros < 0) continue
    const name = familyOf(model)
    amounts.set(name, (amounts.get(name) ?? 0) + micros)
  }
  return { usage: models, costs: amounts }
}

function sumOf(sums: BookSums, added: BookSums): BookSums {
  const of = (unit: BookUnit) => sums[unit] + added[unit]
  return {
    model_calls: of("model_calls"),
    tokens_input: of("tokens_input"),
    tokens_cached: of("tokens_cached"),
    tokens_cache_written: of("tokens_cache_written"),
    tokens_output: of("tokens_output"),
    credit_micros: of("credit_micros"),
  }
}

function figuresOf({ costs }: ReportDay, rows: Answers["book_sum"][], lost: number): BookFigures {
  const own = rows.filter(({ ours }) => ours)
  const total = (amounts: number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
  const above = costs.filter(({ micros }) => micros > 0)
  return {
    reported: total(costs.map(({ micros }) => micros)),
    credits: total(costs.map(({ micros }) => Math.min(0, micros))),
    other: total(above.map(({ model, micros }) => (model === null ? micros : 0))),
    foreign: 0,
    explained: 0,
    cost: total(own.map(({ credit_micros }) => credit_micros)),
    billed: total(own.map(({ billed_credit_micros }) => billed_credit_micros)),
    model_calls: total(own.map(({ model_calls }) => model_calls)),
    lost_calls: lost,
  }
}

const MEASURES = [
  "turns",
  "calls",
  "tokens_input",
  "tokens_cached",
  "tokens_output",
  "cost_credit_micros",
  "billed_credit_micros",
]
const TOKENS = ["tokens_input", "tokens_cached", "tokens_output"]
const KEYED = ["keyed_calls", "duration_us"]

/** A usage rollup: SQL for its keys from a queued row `q`, and the columns that it sums. */
export interface Family {
  name: string
  keys: Record<string, string>
  sums: string[]
  /** True if the rollup also has tokens_input_most. */
  most?: true
}

const DAY = { day: "(q.ended_at at time zone 'UTC')::date" }
const HOUR = { hour: "date_trunc('hour', q.ended_at, 'UTC')" }
const SPACE = { space_id: "q.space_id" }
const USER = { user_id: "q.user_id" }
const PROVIDER = { provider_key: "q.provider_key" }
const UNTIL = { until: "m.until" }

export const USAGE_FAMILIES: Family[] = [
  { name: "usage_hours", keys: HOUR, sums: [...MEASURES, ...KEYED], most: true },
  { name: "model_days", keys: { ...DAY, model: "q.model" }, sums: MEASURES },
  {
    name: "provider_days",
    keys: { ...DAY, ...PROVIDER, pooled: "q.pooled", role: "q.role" },
    sums: [...MEASURES, "pictures"],
  },
  {
    name: "space_hours",
    keys: { ...SPACE, ...HOUR },
    sums: ["turns", "calls", "cost_credit_micros", "billed_credit_micros", ...TOKENS],
  },
  { name: "user_hours", keys: { ...USER, ...HOUR }, sums: MEASURES },
  { name: "model_hours", keys: { ...HOUR, model: "q.model" }, sums: MEASURES },
  { name: "provider_hours", keys: { ...HOUR, ...PROVIDER }, sums: MEASURES },
  { name: "space_days", keys: { ...DAY, ...SPACE }, sums: [...MEASURES, ...KEYED, "pictures"], most: true },
  { name: "user_days", keys: { ...DAY, ...USER }, sums: [...MEASURES, ...KEYED] },
  { name: "provider_space_days", keys: { ...DAY, ...PROVIDER, ...SPACE }, sums: MEASURES },
]

/** The rollups with the sums before a marked day; `m` is the mark. */
export const SUM_FAMILIES: Family[] = [
  { name: "space_sums", keys: { ...UNTIL, ...SPACE }, sums: MEASURES },
  { name: "user_sums", keys: { ...UNTIL, ...USER }, sums: MEASURES },
  { name: "provider_space_sums", keys: { ...UNTIL, ...PROVIDER, ...SPACE }, sums: MEASURES },
]

export const columnsOf = ({ keys, sums, most }: Family) => [
  ...Object.keys(keys),
  ...sums,
  ...(most ? ["tokens_input_most"] : []),
]

/** SQL that inserts the rows of a table of queued rows into a rollup. */
export function fillFamily(family: Family, from: string): string {
  const { name, keys, sums, most } = family
  const summed = [...sums.map((column) => `sum(q.${column})`), ...(most ? ["max(q.tokens_input_most)"] : [])]
  const columns = columnsOf(family)
  const groups = Object.keys(keys).map((_, at) => at + 1)
  return `insert into ${name} (${columns}) select ${[...Object.values(keys), ...summed]} from ${from} q group by ${groups} order by ${groups}`
}

/** The numbers of usage that every rollup has. */
export const MEASURES = [
  "turns",
  "calls",
  "tokens_input",
  "tokens_cached",
  "tokens_output",
  "cost_credit_micros",
  "billed_credit_micros",
  "refunded_credit_micros",
] as const
/** The amounts of an account. */
const BILLS = ["billed_credit_micros", "refunded_credit_micros"] as const
/** The further numbers of the reports by day. */
export const DAILY = ["keyed_calls", "duration_us", "tokens_reasoning"] as const

/** A rollup of usage: SQL for its keys from a row `q` of turn_ends, and the columns that it sums. */
export interface Rollup {
  name: string
  keys: Record<string, string>
  sums: readonly string[]
  /** True if the rollup also has tokens_input_most. */
  most?: true
}

const DAY = { day: "(q.ended_at at time zone 'UTC')::date" }
const HOUR = { hour: "date_trunc('hour', q.ended_at, 'UTC')" }
const SPACE = { space_id: "q.space_id" }
const USER = { user_id: "q.user_id" }
const PROVIDER = { provider_key: "q.provider_key" }
/** `q` has the account that is billed. Joined rows have its first brand already. */
const BRAND = { brand: "(select o.brand from account_brands o where o.user_id = q.user_id)" }
const UNTIL = { until: "m.until" }

/** The rollups of days and hours. Their order is the order of the upserts. */
export const ROLLUPS: Rollup[] = [
  { name: "usage_hours", keys: { ...HOUR, ...BRAND }, sums: [...MEASURES, ...DAILY], most: true },
  { name: "model_days", keys: { ...DAY, model: "q.model", ...BRAND }, sums: MEASURES },
  {
    name: "provider_days",
    keys: { ...DAY, ...PROVIDER, pooled: "q.pooled", role: "q.role", ...BRAND },
    sums: [...MEASURES, "pictures"],
  },
  { name: "space_hours", keys: { ...SPACE, ...HOUR }, sums: MEASURES },
  { name: "user_hours", keys: { ...USER, ...HOUR }, sums: MEASURES },
  { name: "model_hours", keys: { ...HOUR, model: "q.model", ...BRAND }, sums: MEASURES },
  { name: "provider_hours", keys: { ...HOUR, ...PROVIDER, ...BRAND }, sums: MEASURES },
  { name: "space_days", keys: { ...DAY, ...SPACE }, sums: [...MEASURES, ...DAILY, "pictures"], most: true },
  { name: "user_days", keys: { ...DAY, ...USER }, sums: [...MEASURES, ...DAILY] },
  { name: "key_days", keys: { ...DAY, ...USER, key_id: "q.key_id" }, sums: ["turns", ...BILLS] },
  { name: "provider_space_days", keys: { ...DAY, ...PROVIDER, ...SPACE }, sums: MEASURES },
]

/** The rollups with the sums before a marked day; `m` is the mark. Each sums the days of the same name. */
export const SUMS_BEFORE: Rollup[] = [
  { name: "space_sums", keys: { ...UNTIL, ...SPACE }, sums: MEASURES },
  { name: "user_sums", keys: { ...UNTIL, ...USER }, sums: MEASURES },
  { name: "provider_space_sums", keys: { ...UNTIL, ...PROVIDER, ...SPACE }, sums: MEASURES },
]

/** The numbers of a rollup. */
export const numbersOf = ({ sums, most }: Rollup) => [...sums, ...(most ? ["tokens_input_most"] : [])]

/** A corruption of a finished day's rollup: the row, and the excess in its column. */
export interface RollupPlant {
  table: string
  /** The row, as a condition on the columns of `facts`. */
  where: string
  column: string
  by: number
  /** The row's name in findings. */
  key: string
  /** Marks whose sums are compared with the days. They are wrong too, by the opposite amount. */
  sums?: string[]
}

export interface RollupFacts {
  space: number
  user: number
  /** The key_id of the turn. */
  key: string
  day: string
  hour: string
}

/**
 * One corruption per rollup. The account's turn made its only call to the rehearsal model, on `day`
 * in `hour`.
 */
export function rollupPlants({ space, user, key, day, hour }: RollupFacts): Record<string, RollupPlant> {
  const onDay = `day = '${day}'`
  const ofSpace = `space_id = ${space}`
  const all = "until = 'infinity'"
  return {
    "an hour": { table: "usage_hours", where: `hour = '${hour}'`, column: "duration_us", by: 5, key: "turnpike" },
    "a model's day": {
      table: "model_days",
      where: onDay,
      column: "cost_credit_micros",
      by: 1,
      key: "rehearsal/standard turnpike",
    },
    "a provider's day": {
      table: "provider_days",
      where: onDay,
      column: "tokens_cached",
      by: 2,
      key: "rehearsal false orchestrator turnpike",
    },
    "pictures of a provider's day": {
      table: "provider_days",
      where: onDay,
      column: "pictures",
      by: 1,
      key: "rehearsal false orchestrator turnpike",
    },
    "pictures of a space's day": {
      table: "space_days",
      where: `${onDay} and ${ofSpace}`,
      column: "pictures",
      by: 2,
      key: `${space}`,
    },
    "failures of a day": { table: "error_days", where: onDay, column: "failures", by: 3, key: "model_call" },
    "a space's hour": { table: "space_hours", where: ofSpace, column: "billed_credit_micros", by: 1, key: `${space}` },
    "tokens of a space's hour": {
      table: "space_hours",
      where: ofSpace,
      column: "tokens_cached",
      by: 4,
      key: `${space}`,
    },
    "an account's hour": {
      table: "user_hours",
      where: `hour = '${hour}' and user_id = ${user}`,
      column: "tokens_output",
      by: 1,
      key: `${user}`,
    },
    "a model's hour": {
      table: "model_hours",
      where: `hour = '${hour}'`,
      column: "turns",
      by: -1,
      key: "rehearsal/standard turnpike",
    },
    "a provider's hour": {
      table: "provider_hours",
      where: `hour = '${hour}'`,
      column: "billed_credit_micros",
      by: 6,
      key: "rehearsal turnpike",
    },
    "a space's day": {
      table: "space_days",
      where: `${onDay} and ${ofSpace}`,
      column: "tokens_input",
      by: 7,
      key: `${space}`,
      sums: ["space_sums"],
    },
    "the maximum of a space's day": {
      table: "space_days",
      where: `${onDay} and ${ofSpace}`,
      column: "tokens_input_most",
      by: -1,
      key: `${space}`,
    },
    "an account's day": {
      table: "user_days",
      where: `${onDay} and user_id = ${user}`,
      column: "turns",
      by: -1,
      key: `${user}`,
      sums: ["user_sums"],
    },
    "a key's day": {
      table: "key_days",
      where: `${onDay} and user_id = ${user} and key_id <> ''`,
      column: "billed_credit_micros",
      by: 4,
      key: `${user} ${key}`,
    },
    "a space's day at a provider": {
      table: "provider_space_days",
      where: `${onDay} and ${ofSpace}`,
      column: "tokens_output",
      by: 3,
      key: `rehearsal ${space}`,
      sums: ["provider_space_sums"],
    },
    "all of a space": { table: "space_sums", where: `${all} and ${ofSpace}`, column: "calls", by: 1, key: `${space}` },
    "all of an account": {
      table: "user_sums",
      where: `${all} and user_id = ${user}`,
      column: "turns",
      by: 2,
      key: `${user}`,
    },
    "a day of the ledger": {
      table: "ledger_days",
      where: `${onDay} and reason = 'usage'`,
      column: "taken_credit_micros",
      by: -9,
      key: "usage turnpike",
    },
    "an account's day in the ledger": {
      table: "ledger_user_days",
      where: `${onDay} and user_id = ${user}`,
      column: "balance_after_credit_micros",
      by: 1,
      key: `${user}`,
    },
  }
}

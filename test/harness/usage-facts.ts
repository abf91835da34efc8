import type { TestNamespace } from "./namespace.ts"

export const GROUPINGS = ["end_user_ref", "space", "model", "key", "day"] as const
export type Grouping = (typeof GROUPINGS)[number]

/** One model call of a turn with the turn's ledger row; a turn without calls is also one row. */
export interface Fact {
  turn_id: string
  end_user_ref: string
  space: string
  key: string
  model: string | null
  day: string
  ended_at: string
  billed: number
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  ledger: number
}

export function factsOf({ sql }: Pick<TestNamespace, "sql">, userId: number): Promise<Fact[]> {
  return sql<Fact>(
    `select t.turn_id, t.end_user_ref, s.slug as space, t.key_id as key, u.model, t.finished_at as ended_at,
       to_char(coalesce(l.created_at, t.finished_at) at time zone 'UTC', 'YYYY-MM-DD') as day,
       coalesce(case when l.turn_id is not null then u.cost_credit_micros end, 0)::float8 as billed,
       (u.turn_id is not null)::int as calls, coalesce(u.tokens_input, 0)::float8 as tokens_input,
       coalesce(u.tokens_cached, 0)::float8 as tokens_cached, coalesce(u.tokens_output, 0)::float8 as tokens_output,
       coalesce(-l.amount_credit_micros, 0)::float8 as ledger
     from turns t join spaces s on s.space_id = t.space_id left join usage u on u.turn_id = t.turn_id
       left join ledger l on l.turn_id = t.turn_id and l.reason = 'usage'
     where t.user_id = $1 and not t.test`,
    [userId],
  )
}

export const micros = (usd: number | string) => Math.round(Number(usd) * 10_000_000)
export const sum = <Row>(rows: Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)

/** Sums of the ledger and the calls by group, in credit micros. Each turn counts once per group. */
export function expected(rows: Fact[], grouping: Grouping) {
  const groups = new Map<string, Fact[]>()
  for (const fact of rows) {
    const group = fact[grouping]
    if (group !== null) groups.set(group, [...(groups.get(group) ?? []), fact])
  }
  const bytes = new TextEncoder()
  const inBytes = (a: string, b: string) => Buffer.compare(bytes.encode(a), bytes.encode(b))
  return [...groups].sort(([a], [b]) => inBytes(a, b)).map(([group, of]) => ({ group, ...sumsOf(of) }))
}

export const sumsOf = (of: Fact[]) => ({
  billed: sum(of, (fact) => fact.billed),
  turns: new Set(of.map((fact) => fact.turn_id)).size,
  model_calls: sum(of, (fact) => fact.calls),
  tokens_input: sum(of, (fact) => fact.tokens_input),
  tokens_cached: sum(of, (fact) => fact.tokens_cached),
  tokens_output: sum(of, (fact) => fact.tokens_output),
})

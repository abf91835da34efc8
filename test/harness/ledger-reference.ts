import { RELEASE } from "../../src/platform/procedures.ts"
import { OF_BRAND } from "./rollups.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000

export interface LedgerEntry {
  user: number
  reason: string
  /** Null for a commission. */
  micros: number | null
  at: string
  balance?: number
}

/** Inserts ledger entries in the given order. */
export async function plantLedger({ sql }: Pick<World, "sql">, entries: LedgerEntry[]): Promise<void> {
  await sql(
    `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, created_at)
     select r.user, r.reason, r.micros, coalesce(r.balance, 0), 'test', r.at
     from jsonb_to_recordset($1::jsonb) r("user" bigint, reason text, micros bigint, balance bigint, at timestamptz)`,
    [JSON.stringify(entries)],
  )
}

/** Stores the balances of recent finished days that have none yet. */
export async function closeDays({ sql, clock }: Pick<World, "sql" | "clock">, days: number): Promise<void> {
  await sql(`select ${RELEASE}.close_balances($1::timestamptz, 90) from generate_series(1, $2::integer)`, [
    clock.now(),
    days,
  ])
}

interface Row {
  ledger_id: number | null
  user_id: number
  reason: string
  amount: number | null
  balance: number
  at: number
}

/** All booked entries of the accounts of a brand, and their postings that are still queued. */
const rowsOf = ({ sql }: Pick<World, "sql">, brand: string) =>
  sql<Row>(
    `select ledger_id::float8, user_id::int,
       case when reason = 'admin_action' and turn_id is not null then 'refund' else reason end as reason,
       amount_credit_micros::float8 as amount, balance_after_credit_micros::float8 as balance,
       extract(epoch from created_at)::float8 * 1000 as at from ledger where ${OF_BRAND}
     union all select null, user_id::int, reason, amount_credit_micros::float8, null, extract(epoch from created_at)::float8 * 1000
     from postings where ${OF_BRAND}`,
    [brand],
  )

export type Unit = "day" | "week" | "month"

/** The starts of the buckets of a range, and their unit, computed only by arithmetic on dates. */
function bucketsIn(from: number, to: number): { unit: Unit; starts: number[] } {
  const days = (to - from) / DAY_MS
  const unit = days <= 92 ? "day" : days <= 730 ? "week" : "month"
  const starts: number[] = []
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) starts.push(startOf(day, unit))
  return { unit, starts: [...new Set(starts)] }
}

function startOf(moment: number, unit: Unit): number {
  let day = new Date(Math.floor(moment / DAY_MS) * DAY_MS)
  const isFirst = () => unit === "day" || (unit === "week" ? day.getUTCDay() === 1 : day.getUTCDate() === 1)
  while (!isFirst()) day = new Date(day.getTime() - DAY_MS)
  return day.getTime()
}

const dateOf = (moment: number) => new Date(moment).toISOString().slice(0, 10)

const BUCKETS: Record<string, [name: string, sign: number]> = {
  admin_grant: ["free", 1],
  admin_action: ["free", 1],
  refund: ["refunded", 1],
  operator_topup: ["free", 1],
  signup_credit: ["bonus", 1],
  referral_signup_credit: ["bonus", 1],
  manual_topup: ["paid", 1],
  credit_purchase: ["paid", 1],
  usage: ["spent", -1],
  space_usage: ["spent", -1],
}

function amountsOf(rows: Row[]) {
  const sums: Record<string, number> = { free: 0, bonus: 0, paid: 0, refunded: 0, spent: 0, unbucketed: 0, change: 0 }
  const add = (name: string, amount: number) => {
    sums[name] = (sums[name] ?? 0) + amount
  }
  for (const { reason, amount } of rows) {
    if (amount === null) continue
    const [name, sign] = BUCKETS[reason] ?? ["", 0]
    add(amount * sign > 0 ? name : "unbucketed", amount * sign > 0 ? amount * sign : amount)
    add("change", amount)
  }
  return Object.fromEntries(Object.entries(sums).map(([name, micros]) => [name, micros / 1e6]))
}

/** The expected energy timeline of a range. */
export async function timelineOf(world: World, from: string, to: string, brand = "all") {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  const rows = (await rowsOf(world, brand)).filter(({ at }) => at >= begin && at < end)
  const { unit, starts } = bucketsIn(begin, end)
  return {
    from: new Date(begin).toISOString(),
    to: new Date(end).toISOString(),
    granularity: unit,
    as_of: world.clock.now().toISOString(),
    totals: amountsOf(rows),
    items: starts.map((start) => ({
      date: dateOf(start),
      ...amountsOf(rows.filter(({ at }) => startOf(at, unit) === start)),
    })),
  }
}

/** The expected balance trend of a range, at the end of each bucket. */
export async function trendOf(world: World, from: string, to: string, windowDays: number, brand = "all") {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  const tonight = Math.floor(world.clock.ms() / DAY_MS) * DAY_MS + DAY_MS
  const rows = (await rowsOf(world, brand)).filter(({ ledger_id }) => ledger_id !== null)
  rows.sort((a, b) => (b.ledger_id ?? 0) - (a.ledger_id ?? 0))
  const { unit, starts } = bucketsIn(begin, end)
  const items = starts.map((start, at) => {
    let next = starts[at + 1] ?? start + DAY_MS
    while (startOf(next, unit) === start) next += DAY_MS
    const until = Math.min(next, end, tonight)
    const isActive = ({ reason, at }: Row) =>
      (reason === "usage" || reason === "space_usage") && at >= until - windowDays * DAY_MS && at < until
    const users = start >= tonight ? [] : [...new Set(rows.filter(isActive).map(({ user_id }) => user_id))]
    const held = users.map((user) => rows.find((row) => row.user_id === user && row.at < until)?.balance ?? Number.NaN)
    held.sort((a, b) => a - b)
    const middle = ((held[(held.length - 1) >> 1] ?? 0) + (held[held.length >> 1] ?? 0)) / 2
    return {
      date: dateOf(start),
      active_users: users.length,
      average_balance: users.length ? held.reduce((sum, one) => sum + one, 0) / 1e6 / users.length : null,
      median_balance: users.length ? middle / 1e6 : null,
    }
  })
  return {
    from: new Date(begin).toISOString(),
    to: new Date(end).toISOString(),
    granularity: unit,
    as_of: world.clock.now().toISOString(),
    active_window_days: windowDays,
    items,
  }
}

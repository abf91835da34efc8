import { OF_BRAND, PLAIN } from "./rollups.ts"
import { micros, sum } from "./usage-facts.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A model call of a finished live turn, or a turn without calls. `turns` is 1 in one call of each turn. */
export interface Used {
  at: number
  user_id: number
  space_id: number
  role: string
  pooled: boolean
  turns: number
  calls: number
  keyed_calls: number
  pictures: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  tokens_reasoning: number
  tokens_input_most: number
  billed_credit_micros: number
  refunded_credit_micros: number
  duration_us: number
}

interface Space {
  space_id: number
  slug: string
  chat_key: string | null
  title: string
  owner_id: number
}

/** The query of a list that returns everything on one page. */
const WHOLE = { limit: 10_000, offset: 0, next_offset: null }

/** Computes the expected reports on the accounts of a brand by counting raw records one by one. */
export async function countReports(world: Pick<World, "sql" | "clock">, brand = "all") {
  const { clock } = world
  const rows = await world.sql<Record<string, string | boolean>>(
    `select extract(epoch from ended_at) * 1000 as at, user_id, space_id, role, pooled, turns, calls, keyed_calls, pictures, tokens_input,
       tokens_cached, tokens_output, tokens_reasoning, tokens_input_most, billed_credit_micros, refunded_credit_micros, duration_us from ${PLAIN} plain where ${OF_BRAND}`,
    [brand],
  )
  const used = rows.map(
    ({ role, pooled, ...numbers }) =>
      ({
        role,
        pooled,
        ...Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Math.round(Number(value))])),
      }) as unknown as Used,
  )
  const spaces = await world.sql<Space>(
    `select space_id::int, slug, chat_key, title, user_id::int as owner_id from spaces where ${OF_BRAND}`,
    [brand],
  )
  const users = await world.sql<{ user_id: number; name: string | null; email: string | null }>(
    "select user_id::int, name, email from users",
  )
  const tonight = (Math.floor(clock.ms() / DAY_MS) + 1) * DAY_MS
  const within = (from: number, to: number) => used.filter(({ at }) => at >= from && at < to)
  const starts = (from: number, to: number, step: number) =>
    Array.from(
      { length: Math.ceil((to - Math.floor(from / step) * step) / step) },
      (_, at) => Math.floor(from / step) * step + at * step,
    )
  const datesOf = (days: number) => starts(tonight - days * DAY_MS, tonight, DAY_MS)
  const iso = (ms: number) => new Date(ms).toISOString()
  const envelope = (from: number, to: number, granularity: string | null) => ({
    from: iso(from),
    to: iso(to),
    granularity,
    as_of: clock.now().toISOString(),
  })
  const lastDays = (days: number, granularity: string | null) => envelope(tonight - days * DAY_MS, tonight, granularity)

  const usage = (days: number, of: (row: Used) => boolean) =>
    datesOf(days).map((from) => {
      const rows = within(from, from + DAY_MS).filter(of)
      const keyed = sum(rows, (row) => row.keyed_calls)
      return {
        date: iso(from).slice(0, 10),
        ...sumsOf(rows),
        avg_duration_sec: keyed === 0 ? null : sum(rows, (row) => row.duration_us) / (keyed * 1e6),
        tokens_reasoning: sum(rows, (row) => row.tokens_reasoning),
      }
    })

  const top = (
    key: "user_id" | "space_id",
    from: number,
    to: number,
    limit: number,
    of: (row: Used) => boolean = all,
  ) =>
    [...Map.groupBy(within(from, to).filter(of), (row) => row[key])]
      .map(([id, own]) => ({ id, own, billed: sum(own, (row) => row.billed_credit_micros) }))
      .sort((a, b) => b.billed - a.billed || a.id - b.id)
      .slice(0, limit)

  const ranked = (key: "user_id" | "space_id", days: number, limit: number, nameOf: (id: number) => object) => {
    const [from, first] = [tonight - days * DAY_MS, top(key, tonight - days * DAY_MS, tonight, limit)]
    const shown = new Set(first.map(({ id }) => id))
    return {
      ...lastDays(days, null),
      limit,
      items: first.map(({ id, own }) => ({ ...nameOf(id), ...sumsOf(own) })),
      other: sumsOf(within(from, tonight).filter((row) => !shown.has(row[key]))),
      total: sumsOf(within(from, tonight)),
    }
  }

  const spaceOf = (id: number) => spaces.find(({ space_id }) => space_id === id) as Space
  const ofFilter =
    ({ user_id, chat_key }: { user_id?: number; chat_key?: string }) =>
    (row: Used) =>
      (user_id === undefined || row.user_id === user_id) &&
      (chat_key === undefined || spaceOf(row.space_id).chat_key === chat_key)

  return {
    used,
    usage: (days: number, filter: { user_id?: number; chat_key?: string } = {}) => usage(days, ofFilter(filter)),
    slugUsage(days: number, filter: { user_id?: number; chat_key?: string } = {}) {
      const of = ofFilter(filter)
      const shown = top("space_id", tonight - days * DAY_MS, tonight, WHOLE.limit, of).map(({ id }) => id)
      return {
        ...lastDays(days, "day"),
        user_id: null,
        chat_key: null,
        ...filter,
        grouped_by: "slug",
        series: Object.fromEntries(
          shown.map((id) => [spaceOf(id).slug, usage(days, (row) => row.space_id === id && of(row))]),
        ),
        ...WHOLE,
        total: shown.length,
      }
    },
    topUsers: (days: number, limit: number) =>
      ranked("user_id", days, limit, (id) => users.find(({ user_id }) => user_id === id) ?? {}),
    topSpaces: (days: number, limit: number) => ranked("space_id", days, limit, spaceOf),
    hourly: (days: number) => ({
      ...lastDays(days, "hour"),
      items: starts(tonight - days * DAY_MS, tonight, HOUR_MS).map((from) => ({
        hour: iso(from),
        ...sumsOf(within(from, from + HOUR_MS)),
      })),
    }),
    hourlySpaces(start: string, end: string, limit: number) {
      const [from, to] = [Date.parse(start), Date.parse(end)]
      const shown = top("space_id", from, to, limit).map(({ id }) => id)
      const series = (of: (row: Used) => boolean) => {
        const billedIn = (a: number, b: number) =>
          sum(within(Math.max(a, from), Math.min(b, to)).filter(of), (row) => row.billed_credit_micros) / 1e7
        return {
          billed_cost_usd: billedIn(from, to),
          points: starts(from, to, HOUR_MS).map((hour) => ({
            hour: iso(hour),
            billed_cost_usd: billedIn(hour, hour + HOUR_MS),
          })),
        }
      }
      return {
        ...envelope(from, to, "hour"),
        top: limit,
        series: shown.map((id) => ({ ...spaceOf(id), ...series((row) => row.space_id === id) })),
        other: series((row) => !shown.includes(row.space_id)),
      }
    },
    contextSize(days: number, space?: string) {
      const named = spaces.filter(({ slug }) => slug === space).map(({ space_id }) => space_id)
      const shown =
        space === undefined ? top("space_id", tonight - days * DAY_MS, tonight, WHOLE.limit).map(({ id }) => id) : named
      const size = (rows: Used[]) => {
        const calls = sum(rows, (row) => row.calls)
        const pictures = sum(rows, (row) => row.pictures)
        const readers = calls - pictures
        return {
          model_calls: calls,
          image_calls: pictures,
          avg_tokens_input: readers === 0 ? null : sum(rows, (row) => row.tokens_input) / readers,
          max_tokens_input: readers === 0 ? null : Math.max(...rows.map((row) => row.tokens_input_most)),
        }
      }
      const own = (id: number, from: number, to: number) => within(from, to).filter((row) => row.space_id === id)
      return {
        ...lastDays(days, "day"),
        space: space ?? null,
        ...WHOLE,
        total: shown.length,
        items: shown.map((id) => ({
          ...spaceOf(id),
          ...size(own(id, tonight - days * DAY_MS, tonight)),
          days: datesOf(days).map((from) => ({ date: iso(from).slice(0, 10), ...size(own(id, from, from + DAY_MS)) })),
        })),
      }
    },
    contextComparison(days: number) {
      const context = (from: number, role: string) => {
        const rows = within(from, from + DAY_MS).filter((row) => row.pooled && row.role === role)
        const [calls, input] = [sum(rows, (row) => row.calls), sum(rows, (row) => row.tokens_input)]
        const cached = sum(rows, (row) => row.tokens_cached)
        const pictures = sum(rows, (row) => row.pictures)
        const readers = calls - pictures
        return {
          model_calls: calls,
          image_calls: pictures,
          tokens_input: input,
          tokens_cached: cached,
          avg_context_tokens: readers === 0 ? null : input / readers,
          cache_hit_rate: input === 0 ? null : cached / input,
        }
      }
      return {
        ...lastDays(days, "day"),
        items: datesOf(days).map((from) => ({
          date: iso(from).slice(0, 10),
          orchestrator: context(from, "orchestrator"),
          subagent: context(from, "subagent"),
        })),
      }
    },
  }
}

const all = () => true

const sumsOf = (rows: Used[]) => ({
  turns: sum(rows, (row) => row.turns),
  model_calls: sum(rows, (row) => row.calls),
  tokens_input: sum(rows, (row) => row.tokens_input),
  tokens_cached: sum(rows, (row) => row.tokens_cached),
  tokens_output: sum(rows, (row) => row.tokens_output),
  billed_cost_usd: sum(rows, (row) => row.billed_credit_micros) / 1e7,
  refunded_usd: sum(rows, (row) => row.refunded_credit_micros) / 1e7,
  net_usd: sum(rows, (row) => row.billed_credit_micros - row.refunded_credit_micros) / 1e7,
})

/** The total billed amount in a report, in credit micros. */
export const billedBy = (rows: { billed_cost_usd: number }[]) => sum(rows, (row) => micros(row.billed_cost_usd))

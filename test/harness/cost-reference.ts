import { OF_BRAND, PLAIN } from "./rollups.ts"
import { sum } from "./usage-facts.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000

/** A model call of a finished live turn, or a finished live turn without calls. */
interface Call {
  at: number
  user_id: number
  space_id: number
  model: string
  provider_key: string
  turns: number
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  cost: number
  billed: number
  refunded: number
}

interface Price {
  pin: string
  input: number
  cached: number
  output: number
  /** The provider's prices in credit micros. Null: the same. */
  provider: { price_input: number; price_cached: number; price_output: number } | null
  /** Null while the price is in effect. */
  until: number | null
}

const sumsOf = (rows: Call[]) => {
  const [cost, billed] = [sum(rows, (row) => row.cost), sum(rows, (row) => row.billed)]
  const refunded = sum(rows, (row) => row.refunded)
  return {
    turns: sum(rows, (row) => row.turns),
    model_calls: sum(rows, (row) => row.calls),
    tokens_input: sum(rows, (row) => row.tokens_input),
    tokens_cached: sum(rows, (row) => row.tokens_cached),
    tokens_output: sum(rows, (row) => row.tokens_output),
    billed_cost_usd: billed / 1e7,
    refunded_usd: refunded / 1e7,
    net_usd: (billed - refunded) / 1e7,
    cost_usd: cost / 1e7,
    margin_usd: (billed - cost) / 1e7,
  }
}

type Key = "user_id" | "space_id" | "model" | "provider_key"

const inOrder = (a: Call, b: Call, keys: Key[]) =>
  keys.map((key) => (a[key] === b[key] ? 0 : a[key] < b[key] ? -1 : 1)).find((order) => order !== 0) ?? 0

/** Ranks groups by billed amount, then by key. Returns the first `limit` groups and the rows of all others. */
function ranked(rows: Call[], keys: Key[], limit: number) {
  const groups = [...Map.groupBy(rows, (row) => keys.map((key) => row[key]).join("|")).values()]
    .map((own) => ({ own, first: own[0] as Call, billed: sum(own, (row) => row.billed) }))
    .sort((a, b) => b.billed - a.billed || inOrder(a.first, b.first, keys))
  return { shown: groups.slice(0, limit), left: groups.slice(limit).flatMap(({ own }) => own) }
}

/** Computes the expected cost reports on the accounts of a brand by counting raw records one by one. */
export async function countCosts(world: Pick<World, "sql" | "clock">, brand = "all") {
  const rows = await world.sql<Call>(
    `select extract(epoch from ended_at)::float8 * 1000 as at, user_id::int, space_id::int, model, provider_key, turns::int, calls::int,
       tokens_input::float8, tokens_cached::float8, tokens_output::float8, cost_credit_micros::float8 as cost,
       billed_credit_micros::float8 as billed, refunded_credit_micros::float8 as refunded from ${PLAIN} plain where ${OF_BRAND}`,
    [brand],
  )
  const prices = await world.sql<Price>(
    `select pin, price_input::float8 as input, price_cached::float8 as cached, price_output::float8 as output,
       provider_prices as provider, null as until
       from model_catalog
     union all select pin, price_input::float8, price_cached::float8, price_output::float8, provider_prices, extract(epoch from until_at)::float8 * 1000
       from former_prices order by until nulls last`,
  )
  const spaces = await world.sql<{ space_id: number; slug: string; chat_key: string; title: string; owner_id: number }>(
    "select space_id::int, slug, chat_key, title, user_id::int as owner_id from spaces",
  )
  const users = await world.sql<{ user_id: number; name: string | null; email: string | null }>(
    "select user_id::int, name, email from users",
  )
  const labels = await world.sql<{ pin: string; label: string }>("select pin, label from model_catalog")
  const spaceOf = (id: number) => spaces.find(({ space_id }) => space_id === id)
  const userOf = (id: number) => users.find(({ user_id }) => user_id === id)

  const tonight = (Math.floor(world.clock.ms() / DAY_MS) + 1) * DAY_MS
  const within = (from: number, to: number) => rows.filter(({ at }) => at >= from && at < to)
  const iso = (ms: number) => new Date(ms).toISOString()
  const envelope = (from: number, to: number, granularity: string | null) => ({
    from: iso(from),
    to: iso(to),
    granularity,
    as_of: iso(world.clock.ms()),
  })
  const daysOf = (days: number) => Array.from({ length: days }, (_, at) => tonight - (days - at) * DAY_MS)
  const dateOf = (ms: number) => iso(ms).slice(0, 10)

  const byModel = (own: Call[]) =>
    ranked(own, ["model"], 99).shown.map(({ first: { model }, own }) => ({ model, ...sumsOf(own) }))

  /** Weighs tokens of each kind by our prices on their days, or by the provider's. */
  const weigh = (own: Call[], isOurs: boolean) => {
    const weights = { input: 0, cached: 0, output: 0 }
    for (const row of own) {
      const midnight = Math.floor(row.at / DAY_MS) * DAY_MS
      const found = prices.find(({ pin, until }) => pin === row.model && (until ?? Number.POSITIVE_INFINITY) > midnight)
      const theirs = found?.provider
      const listed = theirs && { input: theirs.price_input, cached: theirs.price_cached, output: theirs.price_output }
      const price = (isOurs ? null : listed) ?? found
      weights.input += (row.tokens_input - row.tokens_cached) * (price?.input ?? 0)
      weights.cached += row.tokens_cached * (price?.cached ?? 0)
      weights.output += row.tokens_output * (price?.output ?? 0)
    }
    return weights
  }
  const kinds = (own: Call[]) => ({
    input: sum(own, (row) => row.tokens_input - row.tokens_cached),
    cached: sum(own, (row) => row.tokens_cached),
    output: sum(own, (row) => row.tokens_output),
  })
  const rated = (own: Call[], everybody?: Call[]) => {
    const tokens = kinds(own)
    const per = (part: number | null, count: number) => (part === null || count === 0 ? null : (part / count) * 0.1)
    const rates = (micros: number, isOurs: boolean) => {
      const weights = weigh(own, isOurs)
      if (everybody) {
        const [all, theirs] = [kinds(everybody), weigh(everybody, isOurs)]
        for (const kind of ["input", "cached", "output"] as const)
          weights[kind] = all[kind] && (tokens[kind] * theirs[kind]) / all[kind]
      }
      const whole = weights.input + weights.cached + weights.output
      const share = (weight: number) => (whole === 0 ? (micros === 0 ? 0 : null) : (micros * weight) / whole)
      const turns = sum(own, (row) => row.turns)
      return {
        per_turn_usd: turns === 0 ? null : micros / 1e7 / turns,
        per_million_usd: per(micros, tokens.input + tokens.cached + tokens.output),
        per_million_input_usd: per(share(weights.input), tokens.input),
        per_million_cached_usd: per(share(weights.cached), tokens.cached),
        per_million_output_usd: per(share(weights.output), tokens.output),
      }
    }
    const [cost, billed] = [sum(own, (row) => row.cost), sum(own, (row) => row.billed)]
    return { ...sumsOf(own), cost: rates(cost, false), billed: rates(billed, true) }
  }

  return {
    costs(days: number) {
      const all = within(tonight - days * DAY_MS, tonight)
      return {
        ...envelope(tonight - days * DAY_MS, tonight, "day"),
        total: sumsOf(all),
        models: byModel(all),
        items: daysOf(days).map((from) => {
          const own = within(from, from + DAY_MS)
          return { date: dateOf(from), ...sumsOf(own), models: byModel(own) }
        }),
      }
    },
    rates(days: number, filter: { user_id?: number; chat_key?: string } = {}) {
      const isOwn = Object.keys(filter).length > 0
      const all = within(tonight - days * DAY_MS, tonight)
      const own = all.filter(
        ({ user_id, space_id }) =>
          user_id === (filter.user_id ?? user_id) &&
          (filter.chat_key === undefined || spaceOf(space_id)?.chat_key === filter.chat_key),
      )
      return {
        ...envelope(tonight - days * DAY_MS, tonight, "day"),
        user_id: null,
        chat_key: null,
        ...filter,
        total: rated(own, isOwn ? all : undefined),
        items: daysOf(days).map((from) => ({
          date: dateOf(from),
          ...rated(
            own.filter(({ at }) => at >= from && at < from + DAY_MS),
            isOwn ? all : undefined,
          ),
        })),
      }
    },
    perUser(days: number, limit: number) {
      const all = within(tonight - days * DAY_MS, tonight)
      const { shown, left } = ranked(all, ["user_id"], limit)
      return {
        ...envelope(tonight - days * DAY_MS, tonight, null),
        limit,
        items: shown.map(({ own, first }) => ({ ...userOf(first.user_id), ...sumsOf(own) })),
        other: sumsOf(left),
        total: sumsOf(all),
      }
    },
    providerSpaces(from: number, to: number, filter: { subscription_id?: string; chat_key?: string } = {}) {
      const all = within(from, to).filter(
        ({ provider_key, space_id }) =>
          provider_key === (filter.subscription_id ?? provider_key) &&
          (filter.chat_key === undefined || spaceOf(space_id)?.chat_key === filter.chat_key),
      )
      return {
        ...envelope(from, to, null),
        subscription_id: null,
        chat_key: null,
        ...filter,
        providers: ranked(all, ["provider_key"], 99).shown.map(({ own, first: { provider_key } }) => ({
          provider_key,
          ...sumsOf(own),
        })),
        items: ranked(all, ["provider_key", "space_id"], 500).shown.map(({ own, first }) => ({
          provider_key: first.provider_key,
          ...spaceOf(first.space_id),
          ...sumsOf(own),
        })),
        other: sumsOf([]),
        total: sumsOf(all),
        pairs: ranked(all, ["provider_key", "space_id"], 500).shown.length,
        limit: 10_000,
        offset: 0,
      }
    },
    breakdown(dimension: "space" | "user" | "model" | "provider", [from, to]: [number, number], limit = 100) {
      const key = ({ space: "space_id", user: "user_id", model: "model", provider: "provider_key" } as const)[dimension]
      const all = within(from, to)
      const { shown, left } = ranked(all, [key], limit)
      const billed = sum(all, (row) => row.billed)
      const nameOf = ({ space_id, user_id, model }: Call) =>
        ({
          space: spaceOf(space_id)?.title,
          user: userOf(user_id)?.name,
          model: labels.find(({ pin }) => pin === model)?.label,
          provider: null,
        })[dimension] ?? null
      return {
        ...envelope(from, to, null),
        dimension,
        limit,
        items: shown.map(({ own, first, billed: part }) => ({
          key: String(first[key]),
          name: nameOf(first),
          chat_key: dimension === "space" ? (spaceOf(first.space_id)?.chat_key ?? null) : null,
          ...sumsOf(own),
          share: billed === 0 ? null : part / billed,
        })),
        other: sumsOf(left),
        total: sumsOf(all),
      }
    },
    lastDays: (days: number): [number, number] => [tonight - days * DAY_MS, tonight],
  }
}

import { expect } from "vitest"
import type { SetCaps } from "../../src/keys/caps.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { sendUntilAnswered } from "./crash.ts"
import { BARE } from "./customer.ts"
import type { Random } from "./random.ts"
import type { TestClient, World } from "./world.ts"

export const DEFAULT_HOLD = 2_500_000
const USD = 10_000_000

/** Limits in credit micros, one per kind of cap. */
export interface Limits {
  balance?: number
  key_daily?: number
  key_monthly?: number
  key_window?: number
  window_seconds?: number
  end_user_daily?: Partial<Record<"own" | "key" | "account", number>>
  end_user_monthly?: Partial<Record<"own" | "key" | "account", number>>
  /** The daily cap of the account's plan. */
  account_daily?: number
}

export interface QuotaEstate {
  userId: number
  limits: Limits
  /** Keys with the same caps, each with its own bare space. */
  clients: { client: TestClient; keyId: string; space: string }[]
  refs: string[]
}

/** Creates an account with these limits. */
export async function createQuotaEstate(
  world: World,
  limits: Limits,
  endUsers: number,
  keys = 2,
): Promise<QuotaEstate> {
  const { userId } = await world.createAccount({ usd: (limits.balance ?? 1000 * USD) / USD })
  const refs = Array.from({ length: endUsers }, (_, n) => `customer-${n}`)
  const { end_user_daily: daily = {}, end_user_monthly: monthly = {} } = limits
  const usd = (micros: number | undefined) => (micros === undefined ? null : micros / USD)
  const caps: SetCaps = {
    daily_usd: usd(limits.key_daily),
    monthly_usd: usd(limits.key_monthly),
    end_user_daily_usd: usd(daily.key),
    end_user_monthly_usd: usd(monthly.key),
    window_usd: usd(limits.key_window),
    window_seconds: limits.window_seconds ?? null,
  }
  const clients = await Promise.all(
    Array.from({ length: keys }, async () => {
      const made = await world.makeKey(userId, { caps, scope: "all" })
      const client = world.createClient(userId, made.value)
      return { client, keyId: made.key_id, space: await client.space(BARE) }
    }),
  )
  await world.sql(
    "update wallets set end_user_daily_credit_micros = $2, end_user_monthly_credit_micros = $3 where user_id = $1",
    [userId, daily.account ?? null, monthly.account ?? null],
  )
  if (limits.account_daily !== undefined) await givePlan(world, userId, limits.account_daily / USD)
  if (daily.own !== undefined || monthly.own !== undefined) {
    const own = { daily_usd: usd(daily.own), monthly_usd: usd(monthly.own) }
    for (const ref of refs) {
      const response = await clients[0]?.client.call("PUT", `/v1/end-users/${ref}/limits`, own)
      expect(response?.status).toBe(200)
    }
  }
  return { userId, limits, clients, refs }
}

/** Gives an account its own plan with a daily cap (USD; null for none). */
export async function givePlan(
  { sql, clock }: Pick<World, "sql" | "clock">,
  userId: number,
  daily_cap_usd: number | null,
) {
  const plan = `plan_${crypto.randomUUID().slice(0, 8)}`
  const value = { [plan]: { label: plan, included_credit_usd: 0, daily_cap_usd } }
  await sql(
    `with plans as (insert into settings as s (key, value) values ('plans', $2::jsonb)
       on conflict (key) do update set value = s.value || excluded.value)
     insert into subscriptions (user_id, plan, starts_at, created_at, updated_at) values ($1, $3, $4, $4, $4)`,
    [userId, JSON.stringify(value), plan, clock.now()],
  )
}

/** A turn to send: its key and its body. */
export interface Wish {
  of: number
  idempotencyKey: string
  body: { space: string; end_user_ref: string; text: string; conversation: string; max_cost_usd?: number }
  /** True to cancel the turn as soon as it is accepted. */
  cancelled: boolean
}

/**
 * The wanted and the least hold of a turn in a bare space, per docs/architecture/quotas.md, in
 * credit micros.
 */
export function holdsOf({ body }: Wish): { wanted: number; needed: number } {
  const wanted = body.max_cost_usd === undefined ? DEFAULT_HOLD : Math.round(body.max_cost_usd * USD)
  // 10 per input token, at most one token per byte plus 80; 50 per output token, at least 16
  // (prices in src/agent/REHEARSAL.md).
  const least = (80 + new TextEncoder().encode(body.text).length) * 10 + 16 * 50
  return { wanted, needed: least }
}

/**
 * A random turn: cheap or expensive, with an explicit hold or one that must grow, which ends as
 * done, failed or cancelled.
 */
export function anyWish(random: Random, { clients, refs }: QuotaEstate): Wish {
  const of = random.int(clients.length)
  const use = (input: number) => `[use input=${1 + random.int(input)} output=${1 + random.int(4000)}]`
  const text = random.pick([
    () => `${use(60_000)}\nhello`,
    () => `${use(60_000)}\nhello`,
    () => `[steps ${2 + random.int(3)}]\n${use(120_000)}\ngrow`,
    () => `[steps 2]\n${use(50_000)}\n[fail OUT_OF_STOCK]`,
    () => `[fail MODEL_REJECTED]`,
    () => `${use(200)}\nsmall`,
  ])()
  const max = random.pick([
    undefined,
    undefined,
    0.25,
    0.01 + random.int(500_000) / 1e6,
    // Slightly more than the first call of any of these texts can cost.
    (2500 + random.int(30_000)) / 1e7,
  ])
  return {
    of,
    idempotencyKey: crypto.randomUUID(),
    body: {
      space: clients[of]?.space ?? "",
      end_user_ref: random.pick(refs),
      text,
      conversation: `c${random.int(1000)}`,
      ...(max !== undefined && { max_cost_usd: Number(max.toFixed(7)) }),
    },
    cancelled: random.int(8) === 0,
  }
}

export interface Refusal {
  status: number
  code: string
  details: Record<string, unknown>
  retryAfter: number | null
}

export interface WishAnswer {
  wish: Wish
  turn: Turn | null
  refusal: Refusal | null
  /** The Server-Timing header: the number of calls to each service before the answer. */
  timing: string
}

export async function sendWish(estate: QuotaEstate, wish: Wish): Promise<WishAnswer> {
  const { client } = estate.clients[wish.of] as QuotaEstate["clients"][0]
  // On a slow machine the database may be too busy for some of them.
  const response = await sendUntilAnswered(() => client.sendTurn(wish.body, wish.idempotencyKey))
  const timing = response.headers.get("server-timing") ?? ""
  if (response.status === 202) return { wish, turn: (await response.json()) as Turn, refusal: null, timing }
  const { error } = (await response.json()) as { error: { code: string; details?: Record<string, unknown> } }
  expect([402, 429], JSON.stringify(error)).toContain(response.status)
  const header = response.headers.get("retry-after")
  const retryAfter = header === null ? null : Number(header)
  return {
    wish,
    turn: null,
    timing,
    refusal: { status: response.status, code: error.code, details: error.details ?? {}, retryAfter },
  }
}

interface Meanwhile {
  /** Called between two rounds of deliveries. */
  betweenDrains?: () => Promise<unknown>
  /** Called after the n-th answer, counted from 1. */
  onAnswer?: (n: number) => Promise<unknown>
}

/** Sends all turns at once while the queue drains, then runs all accepted turns to their ends. */
export async function sendWishes(
  world: World,
  estate: QuotaEstate,
  wishes: Wish[],
  { betweenDrains, onAnswer }: Meanwhile = {},
): Promise<WishAnswer[]> {
  let sending = true
  let count = 0
  const sent = Promise.all(
    wishes.map(async (wish) => {
      const answered = await sendWish(estate, wish)
      await onAnswer?.(++count)
      if (wish.cancelled && answered.turn) {
        const { client } = estate.clients[wish.of] as QuotaEstate["clients"][0]
        const response = await client.call("POST", `/v1/turns/${answered.turn.turn_id}/cancel`)
        expect([200, 409], await response.text()).toContain(response.status)
      }
      return answered
    }),
  ).finally(() => {
    sending = false
  })
  const running = (async () => {
    while (sending) {
      await betweenDrains?.()
      await drainOnce(world)
    }
  })()
  const [answers] = await Promise.all([sent, running])
  await world.drain()
  return answers
}

/** Delivers the messages that are due now, without waiting for later ones. */
export async function drainOnce(world: World): Promise<void> {
  const due = await world.qstash.due()
  await Promise.all(
    due.map(async (delivery) => {
      const { status } = await world.deliver(delivery)
      expect(status).toBeLessThan(300)
      await world.qstash.answer({ delivery_id: delivery.delivery_id, status })
    }),
  )
}

/** Asserts from the numbers in a refusal that less was available than the turn needed. */
export function expectJustified({ wish, refusal }: WishAnswer): void {
  if (!refusal) return
  const { needed } = holdsOf(wish)
  const micros = (value: unknown) => Math.round(Number(value) * USD)
  const { details, status } = refusal
  if (status === 402) {
    expect(micros(details.available_usd), JSON.stringify(refusal)).toBeLessThan(needed)
    expect(micros(details.balance_usd) - micros(details.held_usd)).toBe(micros(details.available_usd))
    return
  }
  expect(refusal.code).toBe("QUOTA_EXCEEDED")
  // A remembered refusal says what the shortest text of an equal turn needs.
  expect(micros(details.needed_usd)).toBeLessThanOrEqual(needed)
  const exceeded = details.exceeded as Record<string, number>[]
  expect(exceeded.length).toBeGreaterThan(0)
  for (const cap of exceeded) {
    const left = Math.max(0, micros(cap.limit_usd) - micros(cap.spent_usd) - micros(cap.reserved_usd))
    expect(micros(cap.left_usd)).toBe(left)
    expect(left, JSON.stringify(refusal)).toBeLessThan(needed)
  }
}

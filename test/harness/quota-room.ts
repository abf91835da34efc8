import { expect } from "vitest"
import { expectJustified, holdsOf, type QuotaEstate, sendWish, type Wish } from "./quota-load.ts"
import type { World } from "./world.ts"

interface Spent {
  key_id: string
  end_user_ref: string
  created_at: string
  window_started_at: string | null
  amount: number
}

/**
 * The credit that caps and the balance leave for a turn, in credit micros, computed from the
 * account's turns and its ledger.
 */
class Room {
  private readonly estate: QuotaEstate
  private readonly spent: Spent[]
  private available: number

  constructor(estate: QuotaEstate, spent: Spent[], available: number) {
    this.estate = estate
    this.spent = spent
    this.available = available
  }

  for({ of, body }: Wish, now: Date): number {
    const { limits, clients } = this.estate
    const day = (at: string | Date) => new Date(at).toISOString().slice(0, 10)
    const month = (at: string | Date) => new Date(at).toISOString().slice(0, 7)
    const sum = (which: (one: Spent) => boolean) =>
      this.spent.filter(which).reduce((total, { amount }) => total + amount, 0)
    const keyId = clients[of]?.keyId
    const ofKey = (one: Spent) => one.key_id === keyId
    const ofUser = (one: Spent) => one.end_user_ref === body.end_user_ref
    const daily = limits.end_user_daily?.own ?? limits.end_user_daily?.key ?? limits.end_user_daily?.account
    const monthly = limits.end_user_monthly?.own ?? limits.end_user_monthly?.key ?? limits.end_user_monthly?.account
    const open = (one: Spent) =>
      one.window_started_at !== null &&
      new Date(one.window_started_at).getTime() + (limits.window_seconds ?? 0) * 1000 > now.getTime()
    return Math.min(
      this.available,
      (limits.key_daily ?? Infinity) - sum((one) => ofKey(one) && day(one.created_at) === day(now)),
      (limits.key_monthly ?? Infinity) - sum((one) => ofKey(one) && month(one.created_at) === month(now)),
      (limits.key_window ?? Infinity) - sum((one) => ofKey(one) && open(one)),
      (limits.account_daily ?? Infinity) - sum((one) => day(one.created_at) === day(now)),
      (daily ?? Infinity) - sum((one) => ofUser(one) && day(one.created_at) === day(now)),
      (monthly ?? Infinity) - sum((one) => ofUser(one) && month(one.created_at) === month(now)),
    )
  }

  take({ of, body }: Wish, amount: number, now: Date): void {
    this.available -= amount
    const created_at = now.toISOString()
    const key_id = this.estate.clients[of]?.keyId ?? ""
    this.spent.push({ key_id, end_user_ref: body.end_user_ref, created_at, window_started_at: created_at, amount })
  }
}

/**
 * Sends turns one at a time, with all bills settled and no turn run. Asserts that a turn is
 * accepted exactly if the rest covers its need, and that its hold is the rest, up to the wanted
 * amount.
 */
export async function expectRoomDecides(world: World, estate: QuotaEstate, wishes: Wish[]) {
  const spent = await world.sql<Spent>(
    `select key_id, end_user_ref, created_at, window_started_at, (billed_credit_micros + held_credit_micros)::float8 as amount
     from turns where user_id = $1`,
    [estate.userId],
  )
  const [wallet] = await world.sql<{ available: number }>(
    `select (coalesce(sum(amount_credit_micros), 0) - (select coalesce(sum(held_credit_micros), 0) from turns
       where user_id = $1))::float8 as available from ledger where user_id = $1`,
    [estate.userId],
  )
  const room = new Room(estate, spent, wallet?.available ?? 0)
  const counts = { accepted: 0, refused: 0 }
  for (const wish of wishes) {
    const now = world.clock.now()
    const left = room.for(wish, now)
    const { wanted, needed } = holdsOf(wish)
    const answered = await sendWish(estate, wish)
    const why = `${left} left, ${needed} of ${wanted} needed: ${JSON.stringify(answered.refusal)}`
    expect(answered.turn !== null, why).toBe(left >= needed)
    if (answered.turn) {
      const hold = Math.round(answered.turn.held_usd * 1e7)
      expect(hold, why).toBe(Math.min(wanted, left))
      room.take(wish, hold, now)
      counts.accepted++
    } else {
      expectJustified(answered)
      counts.refused++
    }
  }
  await world.settled()
  return counts
}

import { expect } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { putLimits } from "../../src/end-users/put-limits.ts"
import { topUp } from "../../src/ops/seed.ts"
import { creditEndUser } from "../../src/resale/credit-end-user.ts"
import { putEndUserBilling } from "../../src/resale/end-user-billing.ts"
import { putPrice } from "../../src/resale/put-price.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import type { Random } from "./random.ts"
import {
  capRefusalOf,
  type KeyLimits,
  leftUnder,
  ModelCaps,
  type ModelTurn,
  nextDay,
  nextMonth,
  open,
} from "./reference-caps.ts"
import { holdWithin, ModelSales, mostCharged, randomPrice } from "./reference-sale.ts"
import type { World } from "./world.ts"

/** The expected state of one account, computed by a simple model. */
export interface Model {
  balance: number
  turns: ModelTurn[]
}

/**
 * The least cost of the first model call for the text "t" in a bare space: at most 81 tokens in, 16
 * out (src/agent/estimate.ts).
 */
const NEEDED = 81 * 10 + 16 * 50
/** The first key has the scope `created`, the second `all`, which may read wallets. */
const SEES_WALLETS = [false, true]

export const held = (model: Model) => model.turns.filter(open).reduce((sum, turn) => sum + turn.hold, 0)
/** A request for a turn. */
export interface TurnWish {
  credential: KeyCredential
  idempotencyKey: string
  body: { space: string; end_user_ref: string; text: string; conversation: string; max_cost_usd?: number }
}

/** An account with two keys, the second with the scope `all`, and a space that both can see. */
export interface ModelAccount {
  userId: number
  keys: { keyId: string; credential: KeyCredential }[]
  space: string
}

/** Every request and setting of an account, with the result that the model expects. */
export class ModelledAccount {
  readonly model: Model = { balance: 0, turns: [] }
  readonly caps = new ModelCaps(this.model.turns)
  readonly sales = new ModelSales(this.model.turns)
  /** How often each limit refused a turn. */
  readonly met: Record<string, number> = {}

  protected readonly world: World
  protected context: Context
  protected readonly random: Random
  protected readonly account: ModelAccount

  constructor({ world, context, random }: { world: World; context: Context; random: Random }, account: ModelAccount) {
    this.world = world
    this.context = context
    this.random = random
    this.account = account
  }

  protected get now() {
    return this.world.clock.ms()
  }

  protected meets(what: string) {
    this.met[what] = (this.met[what] ?? 0) + 1
  }

  /** The largest amounts of a top-up. */
  protected get topUps() {
    return [4_000_000, 20_000_000]
  }

  async topUp() {
    const micros = 1 + this.random.int(this.random.pick(this.topUps))
    await topUp(this.world.sql, {
      userId: this.account.userId,
      micros,
      reason: "manual_topup",
      actor: "test",
      now: this.world.clock.now(),
    })
    this.model.balance += micros
    await this.context.refusals.free(this.account.userId)
  }

  /** The own limit of the next turn. */
  protected get max() {
    return this.random.int(2) ? null : 1000 + this.random.int(3_000_000)
  }

  /** The key, the end user and the conversation of the next turn. */
  protected wish() {
    const [key, endUser] = [this.random.int(2), this.random.pick(["c", "d"])]
    return { key, endUser, conversation: this.random.pick(["a", "b"]) }
  }

  /** Checks that a turn is refused as the model expects. */
  protected async refused(sent: Promise<unknown>, expected: object, _asked: TurnWish): Promise<void> {
    await expect(sent).rejects.toMatchObject(expected)
  }

  /** Checks that a turn is accepted, as the model expects. Null: it may have been refused. */
  protected async accepted(sent: ReturnType<typeof acceptTurn>, _asked: TurnWish): Promise<TurnRow | null> {
    return (await sent).made
  }

  async accept() {
    const { max } = this
    const { key, endUser, conversation } = this.wish()
    const { space, keys } = this.account
    const body = {
      space,
      end_user_ref: endUser,
      text: "t",
      conversation: `${endUser}${conversation}`,
      ...(max && { max_cost_usd: max / 1e7 }),
    }
    const credential = keys[key]?.credential as KeyCredential
    const asked = { credential, idempotencyKey: crypto.randomUUID(), body }
    const sent = acceptTurn(this.context, credential, asked)
    const needed = NEEDED
    if (max !== null && max < needed) return this.refused(sent, { code: "COST_LIMIT_TOO_LOW" }, asked)
    const available = this.model.balance - held(this.model)
    if (available < needed) this.meets("refused by the balance")
    if (available < needed) return this.refused(sent, { code: "INSUFFICIENT_CREDITS" }, asked)
    const price = this.sales.prices[endUser] ?? null
    const prepaid = this.sales.prepaid[endUser] === true
    const credit = this.sales.balance(endUser) - this.sales.held(endUser)
    if (prepaid && credit < mostCharged(price, needed)) {
      this.meets("refused by the end user's wallet")
      return this.refused(
        sent,
        {
          code: "END_USER_CREDIT_SPENT",
          details: {
            ...(SEES_WALLETS[key] && { available_usd: credit / 1e7 }),
            needed_usd: mostCharged(price, needed) / 1e7,
          },
        },
        asked,
      )
    }
    const window = this.caps.windowOf(key, this.now)
    const caps = this.caps.of(key, endUser, this.now, window)
    const refusal = capRefusalOf(caps, needed, this.now)
    if (refusal) this.meets(`refused by ${refusal.details.cap}`)
    if (refusal) return this.refused(sent, refusal, asked)
    const turn = await this.accepted(sent, asked)
    if (!turn) return
    const wanted = max ?? TURN_POLICY.defaultHold
    const paid = prepaid ? holdWithin(price, credit, wanted) : wanted
    if (prepaid) this.meets("prepaid")
    // A turn after one that waits must be admitted, and holds nothing.
    const gaveBack = this.model.turns.some((one) => one.isWaiting && one.conversation === body.conversation)
    const hold = gaveBack ? 0 : Math.min(wanted, available, paid, ...caps.map(leftUnder))
    expect(turn.hold_credit_micros).toBe(hold)
    this.model.turns.push({
      id: turn.turn_id,
      key,
      endUser,
      conversation: `${endUser}${conversation}`,
      state: "queued",
      hold,
      gaveBack,
      max,
      window,
      cost: 0,
      billed: 0,
      epoch: 0,
      attempts: 0,
      leaseUntil: null,
      wakeAt: this.now,
      created: this.now,
      cancelAsked: false,
      steps: 0,
      toolCalls: 0,
      price,
      prepaid,
    })
  }

  /** Sets the price of an end user, and whether a wallet pays. Open turns keep theirs. */
  async sell() {
    const [ref, credential] = [this.random.pick(["c", "d"]), this.account.keys[1]?.credential as KeyCredential]
    const price = this.random.int(4) ? randomPrice(this.random) : null
    const prepaid = this.random.int(4) > 0
    if (price) {
      const perModel = price.ofModel === null ? {} : { "rehearsal/standard": price.ofModel / 1e6 }
      await putPrice(this.context, credential, ref, {
        multiplier: price.multiplier / 1e6,
        per_model: perModel,
        per_turn_usd: price.perTurn / 1e7,
        rounding: { to_usd: price.roundTo / 1e7, mode: price.mode },
        begins_at: null,
      })
    }
    await putEndUserBilling(this.context, credential, ref, { price: price && ref, prepaid, low_balance_usd: 0.1 })
    this.sales.prices[ref] = price
    this.sales.prepaid[ref] = prepaid
  }

  /** Adds credit to an end user's wallet, or takes some back. */
  async creditUser() {
    const [ref, credential] = [this.random.pick(["c", "d"]), this.account.keys[1]?.credential as KeyCredential]
    const amount = this.random.pick([
      1 + this.random.int(3000),
      1 + this.random.int(8_000_000),
      -1 - this.random.int(1_000_000),
    ])
    const once = { key: crypto.randomUUID(), request: { amount } }
    const sent = creditEndUser(this.context, credential, { ref, amount_usd: amount / 1e7, note: null }, once)
    if (this.sales.balance(ref) - this.sales.held(ref) + amount < 0) {
      return expect(sent).rejects.toMatchObject({ code: "BALANCE_TOO_LOW" })
    }
    await sent
    this.sales.balances[ref] = this.sales.balance(ref) + amount
    // The first credit makes an end user prepaid that has no setting.
    if (amount > 0) this.sales.prepaid[ref] ??= true
  }

  /** Sets, changes or removes limits, whatever amount is already spent. */
  async limit() {
    const amount = () =>
      this.random.pick([
        null,
        this.random.int(2000),
        this.random.int(6_000_000),
        1_000_000 + this.random.int(4_000_000),
      ])
    const what = this.random.pick(["key", "window", "end_user", "account"] as const)
    const { userId, keys } = this.account
    if (what === "account") {
      this.caps.account = { daily: amount(), monthly: amount() }
      await this.world.sql(
        "update wallets set end_user_daily_credit_micros = $2, end_user_monthly_credit_micros = $3 where user_id = $1",
        [userId, this.caps.account.daily, this.caps.account.monthly],
      )
      await this.context.refusals.free(userId)
      return
    }
    if (what === "end_user") {
      const ref = this.random.pick(["c", "d"])
      const limits = { daily: amount(), monthly: amount() }
      this.caps.endUsers[ref] = limits
      const usd = (micros: number | null) => (micros === null ? null : micros / 1e7)
      const put = { daily_usd: usd(limits.daily), monthly_usd: usd(limits.monthly), blocked: null, rate: null }
      await putLimits(this.context, keys[1]?.credential as KeyCredential, ref, put)
      return
    }
    const n = this.random.int(2)
    const limits = this.caps.keys[n] as KeyLimits
    if (what === "key") {
      Object.assign(limits, { daily: amount(), endUserDaily: amount(), endUserMonthly: amount() })
      // Rarely, because the turns of a full month continue in no new day.
      limits.monthly = this.random.int(8) === 0 ? amount() : null
    } else {
      const window = amount()
      const seconds = this.random.pick([60, 61, 3600, 86_400, 60 + this.random.int(2_678_340)])
      Object.assign(limits, { window, seconds: window === null ? null : seconds })
    }
    await this.world.sql(
      `update api_keys set daily_credit_micros = $2, end_user_daily_credit_micros = $3, end_user_monthly_credit_micros = $4,
         window_credit_micros = $5, window_seconds = $6, monthly_credit_micros = $7 where key_id = $1`,
      [
        keys[n]?.keyId,
        limits.daily,
        limits.endUserDaily,
        limits.endUserMonthly,
        limits.window,
        limits.seconds,
        limits.monthly,
      ],
    )
    await this.context.refusals.free(userId)
  }

  /** Moves the clock close to the end of a day, a month or a window. */
  async wait() {
    const windows = this.model.turns.flatMap(({ key, window }) => {
      return window === null ? [] : [window + (this.caps.keys[key]?.seconds ?? 0) * 1000]
    })
    const to = this.random.pick([nextDay(this.now), nextDay(this.now), nextMonth(this.now), ...windows])
    await this.world.advance(Math.max(0, to - this.now + this.random.pick([-1, 0, 1])))
  }
}

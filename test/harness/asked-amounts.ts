import { expect } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { putLimits } from "../../src/end-users/put-limits.ts"
import { topUp } from "../../src/ops/seed.ts"
import { creditEndUser } from "../../src/resale/credit-end-user.ts"
import { getTurn } from "../../src/turns/get-turn.ts"
import { serializeWaiting } from "../../src/turns/turn-row.ts"
import { held } from "./reference-account.ts"
import type { EndUserLimits, KeyLimits, ModelTurn } from "./reference-caps.ts"
import { mostCharged } from "./reference-sale.ts"
import { WaitSequence } from "./waiting-model.ts"

/** The amounts that a turn asks for while it waits for a limit, in credit micros. */
interface Asked {
  kind: string
  needed: number
  limit: number | null
  continueAt: number | null
}

/** Random operations, and payments of exactly the amounts that waiting turns ask for. */
export class AskedSequence extends WaitSequence {
  // So small that the balance often binds.
  protected override get topUps() {
    return [150_000, 4_000_000]
  }

  override async run(rounds: number): Promise<void> {
    await this.topUp()
    for (const setting of ["limit", "sell", "creditUser"]) if (this.random.int(2)) await this.do(setting)
    for (let n = 0; n < rounds; n++) {
      for (let turn = 0; turn < 3; turn++) {
        await this.do("start")
        await this.do("waitForLimit")
      }
      await this.do("pay")
      await this.do("pay")
      await this.do(this.random.pick(["limit", "creditUser", "grow", "cancel", "settle", "wait"]))
      await this.compare()
    }
  }

  private async do(operation: string) {
    this.done.push(operation)
    await (this as unknown as Record<string, () => Promise<void>>)[operation]?.()
  }

  /** Gives one unit less than a turn asks for, and then exactly that. */
  async pay() {
    await this.wake()
    const turn = this.asking()
    if (!turn) return
    const asked = this.askedBy(turn)
    expect(await this.shown(turn)).toEqual(asked)
    await this.give(turn, asked.kind, -1)
    expect(turn.isWaiting, `one unit less of ${asked.kind}`).toBe(true)
    // Of several limits that bind, the turn may name another one now.
    expect((await this.shown(turn))?.kind).toBe(this.kindOf(turn))
    await this.give(turn, asked.kind, 0)
    const shown = await this.shown(turn)
    expect(shown?.kind).toBe(turn.isWaiting ? this.kindOf(turn) : undefined)
    expect(shown?.kind, "still bound by the limit that was paid").not.toBe(asked.kind)
    this.meets(`${asked.kind}: ${turn.isWaiting ? "bound by another limit then" : "went on"}`)
  }

  /** A turn that waits for its own limit, or the one that began to wait first for another limit. */
  private asking(): ModelTurn | undefined {
    const waiting = this.model.turns.filter((turn) => turn.isWaiting && this.waits.get(turn.id)?.key)
    const own = waiting.filter((turn) => this.kindOf(turn) === "max_cost")
    const since = (turn: ModelTurn) => this.waits.get(turn.id)?.since ?? 0
    const [first] = waiting
      .filter((turn) => !own.includes(turn))
      .sort((one, other) => since(one) - since(other) || (one.id < other.id ? -1 : 1))
    // A random wait can name a limit that does not bind the turn.
    const bound = own.filter((turn) => turn.max !== null && turn.max < (this.askedBy(turn).continueAt ?? 0))
    return this.random.pick([...bound, ...(first ? [first, first] : [])])
  }

  private kindOf(turn: ModelTurn) {
    return this.waits.get(turn.id)?.key?.split(" ")[0]
  }

  private async shown(turn: ModelTurn): Promise<Asked | null> {
    const { waiting } = await getTurn(this.context, this.credential, turn.id)
    if (!waiting) return null
    const { limit } = serializeWaiting(waiting)
    if (!limit) throw new Error("the turn waits for no limit")
    const micros = (usd: number | null) => (usd === null ? null : Math.round(usd * 1e7))
    return {
      kind: limit.kind,
      needed: Math.round(limit.needed_usd * 1e7),
      limit: micros(limit.limit_usd),
      continueAt: micros(limit.continue_at_usd),
    }
  }

  private askedBy(turn: ModelTurn): Asked {
    const kind = this.kindOf(turn) ?? ""
    const needed = this.waits.get(turn.id)?.needed ?? 0
    if (kind === "max_cost") return { kind, needed, limit: turn.max, continueAt: turn.hold + needed }
    const price = turn.price ?? null
    if (kind === "end_user_credit") {
      const charge = mostCharged(price, turn.hold + needed) - mostCharged(price, turn.hold)
      return { kind, needed: charge, limit: null, continueAt: null }
    }
    const window = this.caps.windowOf(turn.key, this.now)
    const cap = this.caps.of(turn.key, turn.endUser, this.now, window).find((one) => one.cap === kind)
    if (!cap) return { kind, needed, limit: null, continueAt: null }
    return { kind, needed, limit: cap.limit, continueAt: cap.spent + cap.reserved + needed }
  }

  /** Gives what the turn asks for now, and `more`. Then everything is tried once. */
  private async give(turn: ModelTurn, kind: string, more: number) {
    const { needed, continueAt } = this.askedBy(turn)
    const { userId } = this.account
    if (kind === "max_cost") return this.raiseTo(turn, (continueAt ?? 0) + more)
    if (kind === "balance") {
      const micros = needed + more - (this.model.balance - held(this.model))
      if (micros > 0) {
        const now = this.world.clock.now()
        await topUp(this.world.sql, { userId, micros, reason: "manual_topup", actor: "test", now })
        this.model.balance += micros
      }
    } else if (kind === "end_user_credit") {
      const ref = turn.endUser
      const amount = needed + more - (this.sales.balance(ref) - this.sales.held(ref))
      if (amount > 0) {
        const once = { key: crypto.randomUUID(), request: { amount } }
        await creditEndUser(this.context, this.credential, { ref, amount_usd: amount / 1e7, note: null }, once)
        this.sales.balances[ref] = this.sales.balance(ref) + amount
      }
    } else await this.setCap(turn, kind, (continueAt ?? 0) + more)
    await this.wake()
  }

  private async setCap(turn: ModelTurn, cap: string, micros: number) {
    const { keys } = this.account
    const period = ({ key_daily: "daily", key_monthly: "monthly", key_window: "window" } as const)[cap]
    if (period) {
      const limits = this.caps.keys[turn.key] as KeyLimits
      limits[period] = micros
      const column = `${period}_credit_micros`
      await this.world.sql(`update api_keys set ${column} = $2 where key_id = $1`, [keys[turn.key]?.keyId, micros])
      return
    }
    const ref = turn.endUser
    const own: EndUserLimits = { daily: null, monthly: null, ...this.caps.endUsers[ref] }
    own[cap === "end_user_daily" ? "daily" : "monthly"] = micros
    this.caps.endUsers[ref] = own
    const usd = (amount: number | null) => (amount === null ? null : amount / 1e7)
    const put = { daily_usd: usd(own.daily), monthly_usd: usd(own.monthly), blocked: null, rate: null }
    await putLimits(this.context, keys[1]?.credential as KeyCredential, ref, put)
  }
}

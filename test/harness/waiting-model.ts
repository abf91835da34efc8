import { expect } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { waitTurn } from "../../src/runs/wait-turn.ts"
import { decideCall } from "../../src/waits/decide-call.ts"
import { deliverResult } from "../../src/waits/deliver-result.ts"
import { raiseLimit } from "../../src/waits/raise-limit.ts"
import { sweepWaits, wakeAccount } from "../../src/waits/sweep-waits.ts"
import { held } from "./reference-account.ts"
import { type CallState, type ModelTurn, nextDay, type Wait } from "./reference-caps.ts"
import { Sequence } from "./reference-model.ts"
import { mostCharged } from "./reference-sale.ts"

/** Random operations on an account whose turns wait for limits, decisions and results. */
export class WaitSequence extends Sequence {
  protected readonly waits = new Map<string, Wait>()
  private readonly calls = new Map<string, Map<string, CallState>>()
  private readonly decisions = new Map<string, string>()
  private readonly results = new Map<string, string>()

  protected override get more(): readonly string[] {
    const often = ["start", "waitForLimit", "waitForCalls", "decide", "deliver", "wake"]
    return ["start", ...often, ...often, ...often, "raise", "expire"]
  }

  protected get credential() {
    return this.account.keys[1]?.credential as KeyCredential
  }

  private begin(turn: ModelTurn, wait: Omit<Wait, "since">) {
    turn.hold = turn.cost
    turn.leaseUntil = null
    turn.attempts = 0
    turn.isWaiting = true
    this.waits.set(turn.id, { since: this.now, ...wait })
    for (const later of this.model.turns) {
      if (later.conversation === turn.conversation && later.state === "queued") {
        Object.assign(later, { hold: 0, gaveBack: true })
        this.meets("gave back")
      }
    }
  }

  /** Credit, a new turn, and a worker for some turn. Without it, most operations would find no running turn. */
  async start() {
    await this.topUp()
    await this.accept()
    await this.claim()
    await this.claim()
  }

  async waitForLimit() {
    const worker = this.worker()
    if (!worker) return
    const { claim, turn, current } = worker
    const needed = 1 + this.random.int(300_000)
    const limit = {
      boundBy: this.random.pick(["max_cost", "balance", "balance"] as const),
      counter: null,
      resetsAt: null,
      needed,
      wanted: needed + this.random.int(300_000),
    }
    const maxSeconds = this.random.pick([60, 3_600, 90_000])
    const outcome = await waitTurn(this.context, claim.turn, { calls: [], limit, maxSeconds })
    if (!current) return expect(outcome).toBe("stale")
    if (turn.leaseUntil === null) return expect(outcome).toBe("waiting")
    if (turn.cancelAsked) return expect(outcome).toBe("cancel")
    expect(outcome).toBe("waiting")
    this.meets(`wait for ${limit.boundBy}`)
    const expires = this.now + maxSeconds * 1000
    this.begin(turn, { expires, needed, wanted: limit.wanted, key: `${limit.boundBy} ` })
  }

  async waitForCalls() {
    const worker = this.worker()
    if (!worker) return
    const { claim, turn, current } = worker
    if (!current || turn.leaseUntil === null || turn.cancelAsked) return
    const step = this.step(turn, 2)
    await commitAnswer(this.context, claim.turn, step, [])
    turn.cost += step.cost
    turn.steps++
    const states = [this.random.pick(["asked", "awaited"] as const), this.random.pick(["asked", "awaited"] as const)]
    const calls = states.map((state, call) => ({
      step: step.step,
      call,
      agent: null,
      tool: "tool",
      input: { n: call },
      input_schema: { type: "object" },
      state,
      offered: false,
    }))
    const outcome = await waitTurn(this.context, claim.turn, { calls, limit: null, maxSeconds: 3_600 })
    expect(outcome).toBe("waiting")
    this.meets("wait for calls")
    const known = this.calls.get(turn.id) ?? new Map<string, CallState>()
    for (const [call, state] of states.entries()) known.set(`${step.step}.${call}`, state)
    this.calls.set(turn.id, known)
    this.begin(turn, { expires: this.now + 3_600_000, needed: 0, wanted: 0, key: null })
  }

  /** A random turn that has called, with one of its calls. */
  private called() {
    const [id, calls] = this.random.pick([...this.calls]) ?? []
    const turn = this.model.turns.find((one) => one.id === id)
    const call = calls && this.random.pick([...calls.keys()])
    return turn && calls && call ? { turn, calls, call } : null
  }

  async decide() {
    const at = this.called()
    if (!at) return
    const { turn, calls, call } = at
    const decision = this.random.pick(["allow", "deny"] as const)
    const before = calls.get(call)
    const sent = decideCall(this.context, this.credential, { turnId: turn.id, call, body: { decision } })
    const after = decision === "allow" ? "allowed" : "denied"
    const decided = this.decisions.get(`${turn.id} ${call}`)
    if (decided === decision) return expect(await sent).toMatchObject({ made: { decision }, replayed: true })
    if (turn.state !== "running") return expect(sent).rejects.toMatchObject({ code: "TURN_FINISHED" })
    if (decided) return expect(sent).rejects.toMatchObject({ code: "CALL_DECIDED" })
    if (before !== "asked" || this.isOver(turn)) return expect(sent).rejects.toMatchObject({ code: "CALL_NOT_WAITING" })
    await sent
    this.meets(decision)
    calls.set(call, after)
    this.decisions.set(`${turn.id} ${call}`, decision)
    if (![...calls.values()].includes("asked")) await this.resume(turn)
  }

  async deliver() {
    const at = this.called()
    if (!at) return
    const { turn, calls, call } = at
    const before = calls.get(call)
    const output = this.random.pick(["one", "one", "two"])
    const sent = deliverResult(this.context, this.credential, { turnId: turn.id, call, body: { output } })
    const known = this.results.get(`${turn.id} ${call}`)
    if (known === output) return expect(await sent).toMatchObject({ replayed: true })
    if (turn.state !== "running") return expect(sent).rejects.toMatchObject({ code: "TURN_FINISHED" })
    if (known !== undefined) return expect(sent).rejects.toMatchObject({ code: "CALL_ANSWERED" })
    if (
      before === "asked" ||
      before === "denied" ||
      (before === "awaited" && this.isOver(turn)) ||
      (before === "allowed" && turn.isWaiting)
    )
      return expect(sent).rejects.toMatchObject({ code: "CALL_NOT_WAITING" })
    expect(await sent).toMatchObject({ replayed: false })
    this.results.set(`${turn.id} ${call}`, output)
    // A result of an allowed call comes while its call may run: it is kept for later.
    calls.set(call, "answered")
    if (before !== "awaited") return
    this.meets("result")
    turn.toolCalls++
    const isForLimit = this.waits.get(turn.id)?.key !== null
    if (turn.isWaiting && !isForLimit && ![...calls.values()].some((state) => state === "asked" || state === "awaited"))
      await this.resume(turn)
  }

  /** True if the wait has expired, before a sweep has ended the turn. */
  private isOver(turn: ModelTurn) {
    return turn.isWaiting === true && (this.waits.get(turn.id)?.expires ?? Infinity) <= this.now
  }

  private goOn(turn: ModelTurn) {
    turn.isWaiting = false
    turn.isResumed = true
    turn.wakeAt = this.now
    this.waits.delete(turn.id)
    this.freeBehind(turn)
  }

  /** The turn continues, without a hold. It counts in the current periods from now on. */
  private async resume(turn: ModelTurn) {
    const window = this.caps.windowOf(turn.key, this.now)
    this.goOn(turn)
    await this.follow(turn, window)
  }

  protected override async follow(turn: ModelTurn, window = this.caps.windowOf(turn.key, this.now)) {
    // An account that has never had a cap counts nothing, so its turns stay in their periods.
    const counted = await this.world.sql("select 1 from spend_counted where user_id = $1", [this.account.userId])
    if (counted.length > 0) this.roll(turn, window)
  }

  private roll(turn: ModelTurn, window: number | null) {
    const at = turn.counted ?? turn.created
    if (nextDay(at) === nextDay(this.now) && turn.window === window) return
    this.meets("new period")
    const before = (turn.past ?? []).reduce((sum, { spent }) => sum + spent, 0)
    turn.past = [...(turn.past ?? []), { created: at, window: turn.window, spent: turn.cost - before }]
    turn.counted = this.now
    turn.window = window
  }

  /** Returns the limit that still binds a waiting turn; null if it has gone on. */
  private try(turn: ModelTurn, wait: Wait): { key: string; tooSmall: boolean } | null {
    const wanted = turn.max === null ? wait.wanted : Math.min(wait.wanted, turn.max - turn.hold)
    if (wanted < wait.needed) return { key: "max_cost ", tooSmall: true }
    const window = this.caps.windowOf(turn.key, this.now)
    const available = this.model.balance - held(this.model)
    const caps = this.caps.of(turn.key, turn.endUser, this.now, window)
    const paid = this.sales.room(turn, wanted)
    const room = Math.min(available, paid, ...caps.map(({ limit, spent, reserved }) => limit - spent - reserved))
    if (Math.max(0, room) >= wait.needed) {
      this.goOn(turn)
      this.roll(turn, window)
      turn.hold += Math.min(wanted, room)
      this.meets("continued")
      return null
    }
    const short = caps.filter((cap) => cap.limit - cap.spent - cap.reserved < wait.needed)
    const last = short.toSorted(
      (one, other) => Number(other.limit < wait.needed) - Number(one.limit < wait.needed) || other.resets - one.resets,
    )[0]
    const subject = last?.cap.startsWith("key") ? this.account.keys[turn.key]?.keyId : turn.endUser
    const tooSmall = last ? last.limit < wait.needed : this.model.balance < wait.needed
    if (!last && turn.prepaid && available >= wait.needed) {
      this.meets("bound by the end user's wallet")
      const own = mostCharged(turn.price ?? null, turn.hold)
      const needed = mostCharged(turn.price ?? null, turn.hold + wait.needed) - own
      const isSmall = this.sales.balance(turn.endUser) - own < needed
      return { key: `end_user_credit ${turn.endUser}`, tooSmall: isSmall }
    }
    return { key: last ? `${last.cap} ${subject}` : "balance ", tooSmall }
  }

  async raise() {
    const turn = this.random.pick(this.model.turns)
    if (!turn) return
    const max = (turn.max ?? 0) + this.random.pick([-1, 0, 1, 500_000])
    if (max > 0) await this.raiseTo(turn, max)
  }

  protected async raiseTo(turn: ModelTurn, max: number) {
    const sent = raiseLimit(this.context, this.credential, { turnId: turn.id, maxCostUsd: max / 1e7 })
    if (turn.state !== "queued" && turn.state !== "running")
      return expect(sent).rejects.toMatchObject({ code: "TURN_FINISHED" })
    if (turn.max === null || max < turn.max) return expect(sent).rejects.toMatchObject({ code: "VALIDATION_FAILED" })
    await sent
    const isRaised = max > turn.max
    turn.max = max
    const wait = this.waits.get(turn.id)
    if (!isRaised || !turn.isWaiting || !wait || wait.key === null) return
    const still = this.try(turn, wait)
    if (still) wait.key = `${still.key}${still.tooSmall ? " !" : ""}`
  }

  async wake() {
    const woken = await wakeAccount(this.context, { user_id: this.account.userId, test: false })
    let expected = 0
    for (let went = true; went; ) {
      went = false
      const stopped = new Set<string>()
      const waiting = this.model.turns
        .filter(
          (turn) =>
            turn.isWaiting && this.waits.get(turn.id)?.key && !this.waits.get(turn.id)?.key?.startsWith("max_cost "),
        )
        .map((turn) => ({ turn, wait: this.waits.get(turn.id) as Wait, key: this.waits.get(turn.id)?.key as string }))
        .sort((a, b) => a.wait.since - b.wait.since || (a.turn.id < b.turn.id ? -1 : 1))
      for (const { turn, wait, key } of waiting) {
        if (stopped.has(key)) continue
        const still = this.try(turn, wait)
        if (!still) {
          went = true
          expected++
        } else {
          wait.key = `${still.key}${still.tooSmall ? " !" : ""}`
          if (!still.tooSmall) {
            // The credit of one end user says nothing about turns of others.
            if (!still.key.startsWith("end_user_credit ")) stopped.add(key)
            stopped.add(still.key)
          }
        }
      }
    }
    expect(woken, "woken").toBe(expected)
  }

  async expire() {
    await this.world.advance(this.random.pick([0, 61_000, 3_600_001, nextDay(this.now) - this.now]))
    // The sweep also wakes accounts that are due. The model wakes them in the same state.
    for (const turn of this.model.turns.filter((one) => one.isWaiting)) {
      const wait = this.waits.get(turn.id)
      if (!wait || wait.expires > this.now) continue
      this.meets("expired")
      this.waits.delete(turn.id)
      this.endWait(turn, "failed")
    }
    await this.world.sql("update waiting_accounts set due_at = 'infinity' where user_id = $1", [this.account.userId])
    await sweepWaits(this.context)
  }
}

import { expect } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { sweepExpiredTurns } from "../../src/ending/causes.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import type { Claim } from "../../src/runs/claim-turns.ts"
import { commitAnswer, commitResults } from "../../src/runs/commit-step.ts"
import { growHold } from "../../src/runs/grow-hold.ts"
import { releaseTurn } from "../../src/runs/run-turn.ts"
import { type Outcome, settleTurn } from "../../src/runs/settle-turns.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { cancelTurn } from "../../src/turns/cancel-turn.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { claimTurn } from "./claim.ts"
import { held, type Model, ModelledAccount } from "./reference-account.ts"
import { leftUnder, type ModelTurn, open } from "./reference-caps.ts"
import { finishedStep } from "./steps.ts"

const behind = (model: Model, turn: ModelTurn) =>
  model.turns
    .slice(0, model.turns.indexOf(turn))
    .some((other) => other.conversation === turn.conversation && open(other))

/** Random operations on one account. After each, the result is compared with the model. */
export class Sequence extends ModelledAccount {
  readonly done: string[] = []
  protected readonly claims: Claim[] = []

  protected end(turn: ModelTurn, state: string, billed: number, isFree = false) {
    Object.assign(turn, { state: turn.state === "running" && turn.cancelAsked ? "cancelled" : state, billed })
    this.model.balance -= billed
    this.sales.end(turn, isFree)
  }

  async claim() {
    const turn = this.random.pick(this.model.turns)
    if (!turn) return
    const free = (turn.state === "queued" && !behind(this.model, turn)) || turn.isResumed === true
    const lost =
      turn.state === "running" &&
      !turn.isWaiting &&
      turn.attempts < TURN_POLICY.maxAttempts &&
      (turn.leaseUntil ?? 0) <= this.now
    const claim = await claimTurn(this.context, turn.id)
    expect(claim !== null, "claimed").toBe(free || lost)
    if (!claim) return
    turn.state = "running"
    turn.isResumed = false
    turn.epoch++
    turn.attempts++
    turn.leaseUntil = turn.wakeAt = this.now + TURN_POLICY.leaseMs
    this.claims.push(claim)
  }

  /** A worker that claimed a turn at some earlier time, perhaps long ago. */
  protected worker(): { claim: Claim; turn: ModelTurn; current: boolean } | null {
    const claim = this.random.pick(this.claims)
    const turn = claim && this.model.turns.find((other) => other.id === claim.turn.turn_id)
    // A worker writes nothing after its turn has begun to wait.
    if (!claim || !turn || turn.isResumed) return null
    return { claim, turn, current: turn.state === "running" && !turn.isWaiting && turn.epoch === claim.turn.epoch }
  }

  protected step(turn: ModelTurn, calls = 0) {
    return finishedStep(turn.steps, { cost: this.random.int(Math.max(1, turn.hold - turn.cost + 1)), calls })
  }

  async commit() {
    const worker = this.worker()
    if (!worker) return
    const { claim, turn, current } = worker
    const calls = this.random.pick([0, 0, 2])
    const step = this.step(turn, calls)
    expect((await commitAnswer(this.context, claim.turn, step, [])) !== null, "step was committed").toBe(current)
    if (current) {
      turn.cost += step.cost
      turn.steps++
      this.renew(turn)
    }
    if (calls > 0) {
      const results = { 0: { type: "text", value: "a" }, 1: { type: "error", value: "b" } } as const
      const answered = await commitResults(this.context, claim.turn, {
        step: step.step,
        results,
        files: [],
        containers: {},
        pictures: [],
        events: [],
      })
      expect(answered !== null, "results were committed").toBe(current)
      if (current) turn.toolCalls += calls
      if (answered) expect(answered.tool_calls).toBe(turn.toolCalls)
    }
    if (this.random.int(2) === 0) return
    await releaseTurn(this.context, claim.turn, { broke: false, delayMs: 0 })
    if (!current) return
    turn.leaseUntil = null
    turn.wakeAt = this.now
  }

  private renew(turn: ModelTurn) {
    turn.attempts = 0
    turn.leaseUntil = turn.wakeAt = this.now + TURN_POLICY.leaseMs
  }

  async grow() {
    const worker = this.worker()
    if (!worker) return
    const { claim, turn, current } = worker
    const wanted = this.random.int(3_000_000)
    const grown = await growHold(this.context, { ...claim.turn, hold_credit_micros: turn.hold }, wanted)
    if (wanted > 0 && !current) return expect(grown).toBeNull()
    if (wanted > 0 && turn.hold === 0) await this.follow(turn)
    const room = turn.max === null ? wanted : Math.min(wanted, turn.max - turn.hold)
    const caps = this.caps.of(turn.key, turn.endUser, turn.counted ?? turn.created, turn.window)
    const paid = Math.max(0, this.sales.room(turn, room))
    const amount = wanted > 0 ? Math.min(room, this.model.balance - held(this.model), paid, ...caps.map(leftUnder)) : 0
    const isPaidUp = turn.prepaid && amount >= paid
    const cap = caps.find((one) => leftUnder(one) <= amount)?.cap
    turn.hold += amount
    if (amount > 0) turn.gaveBack = false
    const bound =
      amount >= wanted ? null : amount >= room ? "max_cost" : isPaidUp ? "end_user_credit" : (cap ?? "balance")
    if (bound) this.meets(`growth bound by ${bound}`)
    expect(grown).toMatchObject({ hold: turn.hold, boundBy: bound })
  }

  /** A turn without a hold counts in the current periods before it gets one. */
  protected async follow(_turn: ModelTurn): Promise<void> {}

  async settle() {
    const worker = this.worker()
    if (!worker) return
    const { claim, turn, current } = worker
    const step = this.random.int(2) ? this.step(turn) : undefined
    const outcome = this.random.pick<Outcome>([
      { state: "done", result: "r" },
      { state: "failed", code: "MINE", message: "m", ours: false, result: null },
      { state: "failed", code: "INTERNAL", message: "m", ours: true, result: null },
      { state: "cancelled", reason: "client", result: null },
    ])
    const ended = await settleTurn(this.context, claim.turn, outcome, { step })
    expect(ended, "turn was settled").toBe(current)
    if (!current) return
    turn.cost += step?.cost ?? 0
    if (step) turn.steps++
    const free = outcome.state === "failed" && outcome.ours && !turn.cancelAsked
    this.end(turn, outcome.state, free ? 0 : turn.cost, free)
  }

  async cancel() {
    const turn = this.random.pick(this.model.turns)
    if (!turn) return
    const sent = cancelTurn(this.context, this.account.keys[1]?.credential as KeyCredential, turn.id)
    if (turn.state === "done" || turn.state === "failed")
      return expect(sent).rejects.toMatchObject({ code: "TURN_FINISHED" })
    await sent
    if (turn.state === "queued") this.end(turn, "cancelled", 0)
    else if (turn.isWaiting) this.endWait(turn, "cancelled")
    else if (turn.state === "running") turn.cancelAsked = true
  }

  /** Ends a turn that waits. It is billed for its work so far. */
  protected endWait(turn: ModelTurn, state: string) {
    turn.isWaiting = false
    this.end(turn, state, turn.cost)
    this.freeBehind(turn)
  }

  /** The later turns of the conversation are as if they had been accepted now, for their time to start. */
  protected freeBehind(turn: ModelTurn) {
    for (const later of this.model.turns) {
      if (later.conversation === turn.conversation && later.state === "queued") later.queuedAt = this.now
    }
  }

  async sweep() {
    const wait = this.random.pick([0, 1000, 61_000, TURN_POLICY.leaseMs, TURN_POLICY.queueLimitMs / 3])
    await this.world.advance(wait)
    await sweepTurns(this.context)
    await sweepExpiredTurns(this.context)
    const due = this.model.turns.filter((turn) => open(turn) && turn.wakeAt <= this.now)
    for (const turn of due) {
      if (turn.state === "running" && !turn.isWaiting && !turn.isResumed && turn.attempts >= TURN_POLICY.maxAttempts) {
        this.end(turn, "failed", turn.cancelAsked ? turn.cost : 0, !turn.cancelAsked)
      }
    }
    for (const turn of this.model.turns) {
      if (turn.state === "queued" && this.tooOld(turn)) this.end(turn, "cancelled", 0)
    }
  }

  private tooOld(turn: ModelTurn) {
    const waits = this.model.turns.some((one) => one.isWaiting && one.conversation === turn.conversation)
    return !waits && (turn.queuedAt ?? turn.created) <= this.now - TURN_POLICY.queueLimitMs
  }

  /** Operations of a subclass. */
  protected get more(): readonly string[] {
    return []
  }

  async run(operationCount: number): Promise<void> {
    const twice = ["accept", "claim", "commit"] as const
    const operations = [
      ...this.more,
      ...twice,
      ...twice,
      "grow",
      "settle",
      "cancel",
      "sweep",
      "topUp",
      "limit",
      "limit",
      "wait",
      "sell",
      "creditUser",
      "creditUser",
    ] as const
    await this.topUp()
    await this.limit()
    await this.limit()
    if (this.random.int(2)) await this.sell()
    if (this.random.int(2)) await this.creditUser()
    for (let n = 0; n < operationCount; n++) {
      const operation = this.random.pick(operations)
      this.done.push(operation)
      await (this as unknown as Record<string, () => Promise<void>>)[operation]?.()
      await this.compare()
    }
  }

  protected async compare() {
    // Subjects without a limit have no counters; their spend is computed from the books.
    const counters = this.caps.counters(this.account.keys.map(({ keyId }) => keyId))
    const [real] = await this.world.sql<{
      balance: string
      held: string
      ledger: string
      usage: string
      turns: unknown[]
      counters: unknown[][]
      wallets: Record<string, { balance: number; held: number; ledger: number; last: number }>
      charges: unknown[]
    }>(
      `select w.balance, w.held,
         (select sum(amount_credit_micros) from (select amount_credit_micros from ledger where user_id = $1
           union all select amount_credit_micros from postings where user_id = $1) e) as ledger,
         (select coalesce(sum(billed_credit_micros), 0) from usage where user_id = $1) as usage,
         (select coalesce(jsonb_agg(jsonb_build_array(turn_id, state, held_credit_micros, cost_credit_micros, billed_credit_micros, epoch)
           order by turn_id), '[]') from turns where user_id = $1) as turns,
         (select coalesce(jsonb_agg(jsonb_build_array(p ->> 0, p ->> 1, p -> 2, c.spent, c.reserved)), '[]')
           from jsonb_array_elements($2::jsonb) p, lateral ${RELEASE}.counter_now($1,
             case when p ->> 0 like 'key%' then 'key' else 'end_user' end, p ->> 0, p ->> 1, to_timestamp((p -> 2)::float8 / 1000)) c
         ) as counters,
         (select coalesce(jsonb_object_agg(e.end_user_ref, jsonb_build_object('balance', e.balance_credit_micros, 'held', e.held_credit_micros,
           'ledger', (select coalesce(sum(l.amount_credit_micros), 0) from end_user_ledger l where l.user_id = $1 and l.end_user_ref = e.end_user_ref),
           'last', coalesce((select l.balance_after_credit_micros from end_user_ledger l where l.user_id = $1
             and l.end_user_ref = e.end_user_ref order by l.entry_id desc limit 1), 0))), '{}')
           from end_user_wallets e where e.user_id = $1) as wallets,
         (select coalesce(jsonb_agg(jsonb_build_array(t.turn_id, t.end_user_charge_credit_micros, (select -l.amount_credit_micros
           from end_user_ledger l where l.turn_id = t.turn_id)) order by t.turn_id), '[]') from turns t
           where t.user_id = $1 and num_nonnulls(t.price_id, t.end_user_hold_credit_micros) > 0) as charges
       from ${RELEASE}.wallet_sums($1) w`,
      [this.account.userId, JSON.stringify(counters)],
    )
    const { model } = this
    const turns = model.turns.map((t) => [t.id, t.state, open(t) ? t.hold : 0, t.cost, t.billed, t.epoch])
    expect(real?.turns).toEqual(turns.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)))
    const inOrder = (rows: unknown[][] = []) => rows.map((row) => JSON.stringify(row)).sort()
    expect(inOrder(real?.counters)).toEqual(inOrder(counters))
    for (const [ref, wallet] of Object.entries(real?.wallets ?? {})) {
      const balance = this.sales.balance(ref)
      expect(wallet, ref).toEqual({ balance, held: this.sales.held(ref), ledger: balance, last: balance })
    }
    const sold = model.turns.filter((turn) => turn.price || turn.prepaid)
    const charges = sold.map((turn) => [turn.id, turn.charge ?? null, (turn.prepaid && turn.charge) || null])
    expect(inOrder(real?.charges as unknown[][])).toEqual(inOrder(charges))
    const billed = model.turns.reduce((sum, turn) => sum + turn.billed, 0)
    const numbers = {
      balance: Number(real?.balance),
      held: Number(real?.held),
      ledger: Number(real?.ledger),
      usage: Number(real?.usage),
    }
    expect(numbers).toEqual({ balance: model.balance, held: held(model), ledger: model.balance, usage: billed })
  }
}

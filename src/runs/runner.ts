import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { describeError } from "../platform/log.ts"
import { callRunner } from "../turns/call-runner.ts"
import { RUNNER_POLICY, TURN_POLICY } from "../turns/policies.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { callMissingRunner } from "./call-missing-runner.ts"
import { type Claim, claimTurns, type FoundTurns, type RunnerLook, settleAndLook } from "./claim-turns.ts"
import { type Together, togetherOf } from "./commit-step.ts"
import { sharedChannels } from "./push-text.ts"
import { ReaderBell } from "./reader-bell.ts"
import type { AgentContext } from "./run.ts"
import { type RunResult, runTurn } from "./run-turn.ts"
import { type Settled, type Settling, settleAll, settlingOf, type TurnEnd } from "./settle-turns.ts"

/** The queue message that started a runner, and how often it was delivered before. */
export interface QueueAttempt {
  message: string
  retried: number
}

/** The number of turns by the result of their run. */
export type RunnerReport = Partial<Record<RunResult, number>>

/**
 * The context of a runner. `forTurn` makes the context of a turn; `leave` must be called after the turn.
 * `waitingCalls`: calls that wait for the first byte of their answer. `calls`: calls that its turns have sent.
 */
export interface RunnerContext extends AgentContext {
  forTurn(turn: TurnRow, afterWait: () => Promise<void>): { ctx: AgentContext; leave: () => void }
  waitingCalls(): number
  calls(): number
}

/**
 * Runs ready turns until none is left: claims them in groups, runs them in parallel, and looks again whenever some have
 * ended. UNAVAILABLE if the database did not answer, so that the next delivery of the message takes over.
 */
export function runTurns(ctx: RunnerContext, delivery: QueueAttempt): Promise<RunnerReport> {
  const runner = new Runner(ctx, delivery)
  return runner.run().finally(() => runner.bell.close())
}

class Runner {
  private readonly ctx: RunnerContext
  private readonly id: string
  private attempt: number
  private takesOver = false
  /** True if an earlier delivery of its message may have died with turns. */
  private isRetry: boolean
  private readonly underWay = new Set<string>()
  private readonly report: RunnerReport = {}
  private readonly began: number
  private readonly load: Load
  private readonly settling: Settling
  private readonly together: Together
  private readonly channels: RunnerContext["channels"]
  readonly bell: ReaderBell
  private after: FoundTurns["after"] = { live: null, test: null }
  /** Turns that an earlier worker lost, perhaps because they killed it. No other turn runs next to them. */
  private readonly lost = new Set<string>()
  /** True once the runner claims no more turns and only finishes the ones it has. */
  private isOver = false
  private vainLooks = 0
  /** How many looks in a row have skipped locked turns. */
  private skips = 0
  private calledAt = Number.NEGATIVE_INFINITY
  private looking: Promise<void> | null = null
  private found: FoundTurns | null = null
  private hasChanged = false
  private notify = () => {}

  constructor(ctx: RunnerContext, { message, retried }: QueueAttempt) {
    this.ctx = ctx
    this.id = message
    // Each look of a delivery gets its own number.
    this.attempt = retried * 1_000_000
    this.isRetry = retried > 0
    this.began = this.now
    this.load = loadOf(ctx.cooling)
    this.settling = settlingOf(ctx, (ends) => this.settle(ends))
    this.together = togetherOf(ctx)
    this.channels = sharedChannels(ctx.channels)
    this.bell = new ReaderBell(ctx, message)
  }

  async run(): Promise<RunnerReport> {
    for (;;) {
      const found = this.lastFound() ?? (await this.look())
      if (found?.status === "over" || found?.status === "full") break
      // It looks even without a free place, so that others do not rely on it.
      await this.untilChange({ soon: found?.status === "looking" })
    }
    // It finishes its turns here. Other runners take the turns that become ready now.
    this.isOver = true
    while (this.underWay.size > 0) {
      await this.untilChange({ soon: false })
      await callMissingRunner(this.ctx).catch(() => false)
    }
    if (this.report.lost) throw new TurnpikeError("UNAVAILABLE", "A turn could not be given back.")
    return this.report
  }

  /** Takes the result of a look that was made together with a settlement. */
  private lastFound(): FoundTurns | null {
    const { found } = this
    this.found = null
    return found
  }

  /** Looks, and starts the turns that it found. Null if the database did not answer while turns are running. */
  private async look(): Promise<FoundTurns | null> {
    const ask = () => claimTurns(this.ctx, this.question([]))
    try {
      return await this.alone(async () => {
        if (this.found) return this.lastFound()
        // If the answer is lost, the next look takes over the turns that this one may have claimed.
        const found = await ask().catch((error: unknown) => {
          this.loseAnswer(error)
          // Only one turn: the answer of a whole group may be too large.
          return claimTurns(this.ctx, this.question([], 1))
        })
        return this.take(found)
      })
    } catch (error) {
      this.takesOver = true
      if (this.underWay.size === 0) throw error
      this.ctx.log("error", "runner.look_failed", { error: describeError(error) })
      return null
    }
  }

  /** Settles ended turns, and looks for others with the same statement, unless a look is under way. */
  private settle(ends: TurnEnd[]): Promise<(Settled | undefined)[]> {
    if (this.looking || this.found || this.isRetired || this.isOver) return settleAll(this.ctx, ends)
    return this.alone(async () => {
      try {
        const { settled, found } = await settleAndLook(this.ctx, ends, this.question(ends))
        this.found = this.take(found)
        return settled
      } catch (error) {
        this.loseAnswer(error)
        throw error
      }
    })
  }

  /** Makes one look at a time and waits for its result: the last look decides whether others rely on this runner. */
  private async alone<Found>(look: () => Promise<Found>): Promise<Found> {
    const before = this.looking
    let end = () => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    this.looking = mine
    await before
    try {
      return await look()
    } finally {
      if (this.looking === mine) this.looking = null
      end()
    }
  }

  private question(ends: readonly TurnEnd[], most: number = RUNNER_POLICY.group): RunnerLook {
    const ended = new Set(ends.map(({ turn_id }) => turn_id))
    const held = [...this.underWay].filter((id) => !ended.has(id))
    const places = Math.min(most, this.placesBeside(held.length))
    const { carries, vainLooks } = RUNNER_POLICY
    const patience = held.length > 0 ? vainLooks.busy : vainLooks.idle
    return {
      runner: { id: this.id, attempt: this.attempt++, takesOver: this.takesOver, isRetry: this.isRetry },
      places,
      isLast: held.length + places === carries,
      held,
      stays: places > 0 && this.vainLooks < patience && this.load.mayStay(this.id, this.now),
      waits: this.skips < RUNNER_POLICY.skips,
      retires: this.isRetired,
      after: this.after,
    }
  }

  private loseAnswer(error: unknown): void {
    this.takesOver = true
    if (!(error instanceof TurnpikeError && error.code === "UNAVAILABLE")) throw error
  }

  private take(found: FoundTurns): FoundTurns {
    // A look takes over at most as many turns as it has places.
    if (found.places > 0) this.takesOver &&= found.claims.length > 0
    this.isRetry = false
    this.after = found.after
    this.skips = found.skipped ? this.skips + 1 : 0
    // The next runner looks for turns that another transaction still holds.
    if (found.skipped && found.status === "over")
      this.ctx.background(callRunner(this.ctx, { delayMs: RUNNER_POLICY.lookMs }))
    this.vainLooks = found.claims.length > 0 ? 0 : this.vainLooks + 1
    if (found.isLost) for (const { turn } of found.claims) this.lost.add(turn.turn_id)
    for (const claim of found.claims) this.start(claim)
    if (found.more && found.runners < this.ctx.slots.runners) this.callAnother()
    return found
  }

  private start(claim: Claim): void {
    const { turn_id } = claim.turn
    this.load.note(this.now)
    this.underWay.add(turn_id)
    const waited = { ask: async () => {} }
    const { ctx: own, leave } = this.ctx.forTurn(claim.turn, () => waited.ask())
    const workerUntil = this.began + TURN_POLICY.workerMs
    const ctx = {
      ...own,
      workerUntil,
      waited,
      settling: this.settling,
      together: this.together,
      channels: this.channels,
      bell: this.bell,
    }
    const ended = runTurn(ctx, claim).catch((error: unknown): RunResult => {
      ctx.log("error", "turn.lost", { turn_id, error: describeError(error) })
      return "lost"
    })
    void ended.then((result) => {
      ctx.log("info", "turn.run", { turn_id, result })
      leave()
      this.report[result] = (this.report[result] ?? 0) + 1
      this.underWay.delete(turn_id)
      this.bell.forget(turn_id)
      this.lost.delete(turn_id)
      this.vainLooks = 0
      this.hasChanged = true
      this.notify()
    })
  }

  private callAnother(): void {
    if (this.now - this.calledAt < RUNNER_POLICY.lookMs) return
    this.calledAt = this.now
    this.ctx.background(callRunner(this.ctx))
  }

  private placesBeside(held: number): number {
    const { busyCalls, group, carries } = RUNNER_POLICY
    if (this.isRetired || (this.lost.size > 0 && held > 0) || this.ctx.waitingCalls() >= busyCalls) return 0
    return Math.max(0, Math.min(group, carries - held))
  }

  private get isRetired(): boolean {
    const { takesCalls, takesMs } = RUNNER_POLICY
    return this.ctx.calls() + this.ctx.meter.calls >= takesCalls || this.now - this.began >= takesMs
  }

  private get now(): number {
    return this.ctx.clock.now().getTime()
  }

  /** Resolves when a turn has ended since the last call, or when it is time to look again. */
  private async untilChange({ soon }: { soon: boolean }): Promise<void> {
    const { clock } = this.ctx
    let stop = () => {}
    if (!this.hasChanged) {
      await new Promise<void>((resolve) => {
        this.notify = resolve
        if (soon)
          void clock
            .pause(this.underWay.size > 0 ? RUNNER_POLICY.pauseMs.busy : RUNNER_POLICY.pauseMs.idle)
            .then(resolve)
        else stop = clock.after(RUNNER_POLICY.lookMs, resolve)
      })
    }
    stop()
    this.hasChanged = false
  }
}

/**
 * How many turns have recently started in an isolate, and which of its runners stays to look for more. One is enough.
 */
class Load {
  private readonly startedAt: number[] = []
  private stayer = { id: "", until: 0 }

  note(now: number): void {
    this.startedAt.push(now)
    if (this.startedAt.length > RUNNER_POLICY.busyTurns) this.startedAt.shift()
  }

  mayStay(id: string, now: number): boolean {
    const [oldest = 0] = this.startedAt
    const isHigh = this.startedAt.length === RUNNER_POLICY.busyTurns && now - oldest <= RUNNER_POLICY.busyMs
    if (!isHigh || (this.stayer.id !== id && this.stayer.until > now)) return false
    this.stayer = { id, until: now + RUNNER_POLICY.staysMs }
    return true
  }
}

const loadOf = onceFor((_isolate: AgentContext["cooling"]) => new Load())

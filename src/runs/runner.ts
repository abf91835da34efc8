import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { describeError } from "../platform/log.ts"
import { callMissingRunner, callRunner } from "../turns/call-runner.ts"
import { RUNNER_POLICY } from "../turns/policies.ts"
import { type Claim, claimTurns, type FoundTurns } from "./claim-turns.ts"
import type { AgentContext } from "./run.ts"
import { type RunResult, runTurn } from "./run-turn.ts"
import { type Settling, settlingOf } from "./settle-turns.ts"

/** The message of the queue that has started a runner, and how often it was delivered before. */
export interface QueueAttempt {
  message: string
  retried: number
}

export type RunnerReport = Partial<Record<RunResult, number>>

/** What a runner needs beside a turn's context: one for each turn, and how many calls wait for the first byte of their answers. */
export interface RunnerContext extends AgentContext {
  forTurn(turnId: string): AgentContext
  waitingCalls(): number
}

/**
 * Runs turns that are ready until there are none: takes them in groups, runs them side by side, and looks again whenever one has ended.
 * Answers how many ended how. UNAVAILABLE when the database did not answer, and the next delivery of the message is to take over.
 */
export async function runTurns(ctx: RunnerContext, delivery: QueueAttempt): Promise<RunnerReport> {
  return new Runner(ctx, delivery).run()
}

class Runner {
  private readonly ctx: RunnerContext
  private readonly id: string
  private attempt: number
  private takesOver: boolean
  private readonly underWay = new Map<string, Promise<void>>()
  private readonly report: RunnerReport = {}
  private readonly began: number
  private readonly load: Load
  private readonly settling: Settling
  private begun = 0
  private after: FoundTurns["after"]
  /** Whether its turn was lost by a worker before, and may be what killed that one. */
  private isAlone = false
  private vainLooks = 0
  private calledAt = Number.NEGATIVE_INFINITY
  private notify = () => {}

  constructor(ctx: RunnerContext, { message, retried }: QueueAttempt) {
    this.ctx = ctx
    this.id = message
    // A look that is repeated counts as another try of its own.
    this.attempt = retried * 1000
    this.takesOver = retried > 0
    this.began = this.now
    this.load = loadOf(ctx.cooling)
    this.settling = settlingOf(ctx)
    const anyone = Math.floor(ctx.random() * 2 ** 31)
    this.after = { live: anyone, test: anyone }
  }

  async run(): Promise<RunnerReport> {
    for (;;) {
      const found = await this.look()
      if (found === null) await this.untilChange()
      else if (found.status === "full") return this.report
      else if (found.status === "over") break
      else if (found.status === "looking" && this.places > 0) await this.pause()
      else if (this.places > 0 || this.underWay.size > 0) await this.untilChange()
    }
    while (this.underWay.size > 0) {
      await this.untilChange()
      await callMissingRunner(this.ctx).catch(() => false)
    }
    if (this.report.lost) throw new TurnpikeError("UNAVAILABLE", "A turn could not be given back.")
    return this.report
  }

  /** Looks once and starts what was found. Null when the database did not answer and turns are under way. */
  private async look(): Promise<FoundTurns | null> {
    const { places } = this
    const stays = places > 0 && this.load.isHigh(this.now) && this.vainLooks < RUNNER_POLICY.vainLooks
    try {
      const found = await this.claim(places, stays)
      this.takesOver = false
      this.after = found.after
      this.vainLooks = found.claims.length > 0 ? 0 : this.vainLooks + 1
      for (const claim of found.claims) this.start(claim)
      if (found.more && found.runners < this.ctx.slots.runners) this.callAnother()
      return found
    } catch (error) {
      if (this.underWay.size === 0) throw error
      this.ctx.log("error", "runner.look_failed", { error: describeError(error) })
      return null
    }
  }

  /** When the answer of a look is lost, the next one takes over what that may have got. */
  private async claim(places: number, stays: boolean): Promise<FoundTurns> {
    const ask = () =>
      claimTurns(this.ctx, {
        runner: { id: this.id, attempt: this.attempt++, takesOver: this.takesOver },
        places,
        kept: this.underWay.size + places > RUNNER_POLICY.carries - RUNNER_POLICY.kept ? RUNNER_POLICY.kept : 0,
        held: [...this.underWay.keys()],
        stays,
        retires: this.isRetired,
        after: this.after,
      })
    return ask().catch((error: unknown) => {
      if (!(error instanceof TurnpikeError && error.code === "UNAVAILABLE")) throw error
      this.takesOver = true
      return ask()
    })
  }

  private start(claim: Claim): void {
    const { turn_id, attempts } = claim.turn
    this.begun++
    this.isAlone = attempts > 1
    this.load.note(this.now)
    const ctx = { ...this.ctx.forTurn(turn_id), settling: this.settling }
    const run = runTurn(ctx, claim).then((result) => {
      ctx.log("info", "turn.run", { turn_id, result })
      this.report[result] = (this.report[result] ?? 0) + 1
      this.underWay.delete(turn_id)
      this.isAlone = false
      this.vainLooks = 0
      this.notify()
    })
    this.underWay.set(turn_id, run)
  }

  private callAnother(): void {
    if (this.now - this.calledAt < RUNNER_POLICY.lookMs) return
    this.calledAt = this.now
    this.ctx.background(callRunner(this.ctx))
  }

  private get places(): number {
    if (this.isRetired || this.isAlone || this.ctx.waitingCalls() >= RUNNER_POLICY.busyCalls) return 0
    return Math.min(RUNNER_POLICY.group, RUNNER_POLICY.carries - this.underWay.size)
  }

  private get isRetired(): boolean {
    return this.begun >= RUNNER_POLICY.turns || this.now - this.began >= RUNNER_POLICY.takesMs
  }

  private get now(): number {
    return this.ctx.clock.now().getTime()
  }

  /** Lets turns end and others be accepted meanwhile. */
  private pause(): Promise<void> {
    return this.ctx.clock.pause(RUNNER_POLICY.pauseMs)
  }

  /** Resolves when a turn has ended, or it is time to look again. */
  private async untilChange(): Promise<void> {
    let stop = () => {}
    await new Promise<void>((resolve) => {
      this.notify = resolve
      stop = this.ctx.clock.after(RUNNER_POLICY.lookMs, resolve)
    })
    stop()
  }
}

/** How many turns have begun in an isolate of late. */
class Load {
  private readonly startedAt: number[] = []

  note(now: number): void {
    this.startedAt.push(now)
    if (this.startedAt.length > RUNNER_POLICY.busyTurns) this.startedAt.shift()
  }

  isHigh(now: number): boolean {
    const [oldest = 0] = this.startedAt
    return this.startedAt.length === RUNNER_POLICY.busyTurns && now - oldest <= RUNNER_POLICY.busyMs
  }
}

const loadOf = onceFor((_isolate: AgentContext["cooling"]) => new Load())

import type { Context } from "../actor/context.ts"
import { ModelError } from "../agent/engine.ts"
import type { Clock } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { SILENT } from "../providers/reactions.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { renewLease, type Together } from "./commit-step.ts"
import { forgetMark, markOf } from "./running-marks.ts"

/** The reasons, besides the turn's own time, why running model calls are aborted. */
export const CANCELLED = Symbol("the turn was cancelled")
export const LOST = Symbol("the turn is another worker's")
export const WORKER_OVER = Symbol("this worker's time is over")

/**
 * Keeps the turn with this worker while its models answer: it renews the lease every `renewLeaseMs`, for all calls of
 * a run together. A renewal also reports a cancel, and long calls check for one more often. Aborts the calls when the
 * worker's time is over. Does nothing while no call is running.
 */
export class KeepAlive {
  private readonly ctx: Pick<Context, "db" | "clock" | "log"> & {
    readonly together?: Together | undefined
    readonly workerUntil?: number | undefined
    readonly handOver?: AbortSignal | undefined
  }
  private readonly turn: Pick<TurnRow, "turn_id" | "epoch">
  private readonly workerUntil: number
  private readonly over = new AbortController()
  private underWay = 0
  private stopTimers = () => {}

  constructor(ctx: KeepAlive["ctx"], turn: KeepAlive["turn"]) {
    this.ctx = ctx
    this.turn = turn
    this.workerUntil = ctx.workerUntil ?? ctx.clock.now().getTime() + TURN_POLICY.workerMs
    const { handOver } = ctx
    const cut = () => this.over.abort(WORKER_OVER)
    if (handOver?.aborted) cut()
    else handOver?.addEventListener("abort", cut, { once: true })
  }

  /** Runs `work` with a signal that is aborted with one of the reasons above. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.underWay++ === 0) this.startTimers()
    try {
      return await work(this.over.signal)
    } finally {
      if (--this.underWay === 0) this.stopTimers()
    }
  }

  private startTimers(): void {
    const { clock } = this.ctx
    const left = Math.max(0, this.workerUntil - clock.now().getTime())
    const stopWorker = clock.after(left, () => this.over.abort(WORKER_OVER))
    const every = TURN_POLICY.renewLeaseMs
    // All turns of an isolate renew at the same moments, so that the turns of a runner share one statement.
    const stopRenewals = repeat(clock, every - (clock.now().getTime() % every), () => this.renew())
    const stopLooks = repeat(clock, TURN_POLICY.cancelLookMs, () => this.lookForCancel())
    this.stopTimers = () => {
      stopWorker()
      stopRenewals()
      stopLooks()
      forgetMark(this.turn.turn_id)
    }
  }

  /** Returns the pause before the next check, in ms. */
  private async lookForCancel(): Promise<number> {
    try {
      const mark = await markOf(this.ctx, this.turn.turn_id, TURN_POLICY.cancelFreshMs)
      if (mark === null) return TURN_POLICY.markAgainMs
      if (mark.isCancelAsked) this.over.abort(CANCELLED)
    } catch {
      // If the database does not answer, the next check or renewal sees the cancel.
    }
    return TURN_POLICY.cancelLookMs
  }

  /** Returns the pause before the next renewal, in ms. */
  private async renew(): Promise<number> {
    try {
      const found = await renewLease(this.ctx, this.turn)
      if (found !== "yes") this.over.abort(found === "cancel" ? CANCELLED : LOST)
    } catch (error) {
      // The lease survives several failed renewals.
      this.ctx.log("error", "turn.renewal_failed", { turn_id: this.turn.turn_id, error: describeError(error) })
    }
    return TURN_POLICY.renewLeaseMs
  }
}

/** Runs `work` after `first` ms, then after the pause that each run returns. Returns the function that stops it. */
function repeat(clock: Clock, first: number, work: () => Promise<number>): () => void {
  let stopped = false
  let stop = () => {}
  const after = (pause: number) => {
    stop = clock.after(pause, () => {
      void work().then((next) => {
        if (!stopped) after(next)
      })
    })
  }
  after(first)
  return () => {
    stopped = true
    stop()
  }
}

interface Silence {
  signal: AbortSignal
  /** Call it when output of the model has arrived. */
  heard(): void
  /** Call it when any bytes have arrived, such as comments that a server sends while a model thinks. */
  lives(): void
  clear(): void
}

/**
 * Aborts with an unavailable ModelError if no bytes arrive for more than `ms`, or no output for more than `wordlessMs`.
 */
export function abortWhenSilent(clock: Clock, ms: number): Silence {
  const over = new AbortController()
  const now = () => clock.now().getTime()
  const wordlessMs = Math.max(ms, TURN_POLICY.wordlessMs)
  let heardAt = now()
  let livedAt = heardAt
  const left = () => Math.min(livedAt + ms, heardAt + wordlessMs) - now()
  const wait = (): (() => void) =>
    clock.after(left() + 1, () => {
      if (left() >= 0) {
        clear = wait()
        return
      }
      const silent = (now() - livedAt > ms ? ms : wordlessMs) / 1000
      over.abort(new ModelError("unavailable", `The model was silent for ${silent} s.`, { code: SILENT }))
    })
  let clear = wait()
  return {
    signal: over.signal,
    heard() {
      heardAt = livedAt = now()
    },
    lives() {
      livedAt = now()
    },
    clear: () => clear(),
  }
}

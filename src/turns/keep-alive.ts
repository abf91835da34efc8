import type { Context } from "../actor/context.ts"
import { ModelError } from "../agent/engine.ts"
import type { Clock } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { SILENT } from "../providers/reactions.ts"
import { renewLease } from "./commit-step.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnRow } from "./turn-row.ts"

/** The reasons, beside the turn's own time, with which running model calls are aborted. */
export const CANCELLED = Symbol("the turn was cancelled")
export const LOST = Symbol("the turn is another worker's")
export const WORKER_OVER = Symbol("this worker's time is over")

/**
 * Keeps the turn with this worker while its models answer: one renewal of the lease every `renewLeaseMs` for all calls of a run. The
 * renewal also tells of a cancel. Aborts the calls when the worker's own time is over. Does nothing while no call is running.
 */
export class KeepAlive {
  private readonly ctx: Pick<Context, "db" | "clock" | "log">
  private readonly turn: Pick<TurnRow, "turn_id" | "epoch">
  private readonly workerUntil: number
  private readonly over = new AbortController()
  private underWay = 0
  private stopTimers = () => {}

  constructor(ctx: KeepAlive["ctx"], turn: KeepAlive["turn"]) {
    this.ctx = ctx
    this.turn = turn
    this.workerUntil = ctx.clock.now().getTime() + TURN_POLICY.workerMs
  }

  /** Does `work` under a signal that is aborted with one of the reasons above. */
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
    let stopped = false
    let stopBeat = () => {}
    const beat = () => {
      stopBeat = clock.after(TURN_POLICY.renewLeaseMs, () => {
        void this.renew().then(() => {
          if (!stopped) beat()
        })
      })
    }
    beat()
    this.stopTimers = () => {
      stopped = true
      stopWorker()
      stopBeat()
    }
  }

  private async renew(): Promise<void> {
    try {
      const found = await renewLease(this.ctx, this.turn)
      if (found !== "yes") this.over.abort(found === "cancel" ? CANCELLED : LOST)
    } catch (error) {
      // The lease survives several failed renewals.
      this.ctx.log("error", "turn.renewal_failed", { turn_id: this.turn.turn_id, error: describeError(error) })
    }
  }
}

/** Aborts with an unavailable ModelError when `heard` was not called for more than `ms`. */
export function abortWhenSilent(clock: Clock, ms: number): { signal: AbortSignal; heard(): void; clear(): void } {
  const over = new AbortController()
  let heardAt = clock.now().getTime()
  const wait = (left: number): (() => void) =>
    clock.after(left + 1, () => {
      const silent = clock.now().getTime() - heardAt
      if (silent <= ms) clear = wait(ms - silent)
      else over.abort(new ModelError("unavailable", `The model was silent for ${ms / 1000} s.`, { code: SILENT }))
    })
  let clear = wait(ms)
  return {
    signal: over.signal,
    heard() {
      heardAt = clock.now().getTime()
    },
    clear: () => clear(),
  }
}

import type { Clock } from "../platform/clock.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { Claim } from "./claim-turns.ts"

/** The reason of all aborts when the turn's time is over. */
export const TIMED_OUT = Symbol("the turn's time is over")

/** The time of a turn, and of a worker's run of it. Moments are milliseconds since 1970. */
export class RunTime {
  readonly deadline: number
  /** Aborted with TIMED_OUT at the deadline. */
  readonly signal: AbortSignal
  private readonly clock: Clock
  private readonly started: number
  private readonly handOver: AbortSignal | undefined

  constructor(
    clock: Clock,
    { deadline, signal, handOver }: { deadline: number; signal: AbortSignal; handOver?: AbortSignal | undefined },
  ) {
    this.clock = clock
    this.deadline = deadline
    this.signal = signal
    this.handOver = handOver
    this.started = this.now
  }

  get now(): number {
    return this.clock.now().getTime()
  }

  get isOver(): boolean {
    return this.signal.aborted || this.now >= this.deadline
  }

  /** True if the next callback should continue the turn. */
  get isTired(): boolean {
    return this.handOver?.aborted === true || this.now - this.started >= TURN_POLICY.runBudgetMs
  }
}

/** When the time of a turn is over, in milliseconds. */
export function deadlineOf({ turn, config }: Claim): number {
  const seconds = turn.timeout_seconds ?? config.manifest.timeout_seconds ?? TURN_POLICY.timeoutSeconds
  return new Date(turn.started_at ?? turn.created_at).getTime() + seconds * 1000 + (turn.waited_ms ?? 0)
}

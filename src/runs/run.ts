import type { ModelVariables } from "../agent/accounts.ts"
import type { ToolSpec } from "../agent/engine.ts"
import type { PoolContext } from "../providers/capacity.ts"
import type { BoundTool } from "../tools/bound-tool.ts"
import type { ToolContext } from "../tools/tool-context.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { StepRow } from "../turns/step-row.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { Budget } from "./budget.ts"
import type { Claim, ModelRow } from "./claim-turns.ts"
import { type Committed, mayStartCalls, type Together } from "./commit-step.ts"
import { KeepAlive } from "./keep-alive.ts"
import { Route } from "./route.ts"
import { type LimitCode, limitReached, RunEnd } from "./run-end.ts"
import { RunTime } from "./run-time.ts"
import type { Outcome, Settling } from "./settle-turns.ts"
import { Transcript } from "./transcript.ts"

/** One agent at work in a turn: the space's own, or a sub-agent on one task. */
export interface AgentWork {
  /** The call "step.call" that it works for; null for the space's own agent. */
  ref: string | null
  name: string | null
  system: string | undefined
  model: ModelRow
  maxSteps: number
  maxOutputTokens: number | undefined
  tools: ReadonlyMap<string, BoundTool>
  specs: ToolSpec[]
  steps: StepRow[]
}

/** How events name a step: its number and, for a sub-agent's step, the agent and the call that it works for. */
export function stepOf({ ref, name }: AgentWork, step: number) {
  return { step, ...(ref !== null && { agent: name, delegated_by: ref }) }
}

/** One worker's time with a turn, shared by all its agents. */
export class Run {
  readonly ctx: AgentContext
  readonly claim: Claim
  readonly turn: TurnRow
  readonly budget: Budget
  readonly time: RunTime
  readonly transcript: Transcript
  readonly alive: KeepAlive
  readonly route: Route
  /** Tools of MCP servers that are not what was pinned. */
  leftOut: readonly string[] = []
  private isCancelled: boolean
  /** When the last statement that allowed calls was sent. */
  private knownAt = Number.NEGATIVE_INFINITY

  constructor(ctx: AgentContext, claim: Claim, { deadline, signal }: { deadline: number; signal: AbortSignal }) {
    this.ctx = ctx
    this.claim = claim
    this.turn = claim.turn
    this.budget = new Budget(claim.turn)
    this.time = new RunTime(ctx.clock, { deadline, signal })
    this.transcript = new Transcript(claim.steps)
    this.alive = new KeepAlive(ctx, claim.turn)
    this.route = new Route(ctx, claim)
    this.isCancelled = claim.turn.cancel_requested_at !== null
    if (ctx.waited) ctx.waited.ask = () => this.askAgain()
  }

  /** Ends the run when it must not go on: cancelled, out of time, or the transcript is full. */
  checkpoint(): void {
    if (this.isCancelled) throw this.cancel()
    this.checkTime()
    const { limit } = this.transcript
    if (limit) throw this.limit(limit)
  }

  /** Ends the run when the turn's time is over. */
  checkTime(): void {
    if (this.time.isOver) throw this.limit("TIMEOUT_REACHED")
  }

  /** Notes the turn as a commit found it, or ends the run when the turn is no longer this worker's. */
  committed(turn: Committed | null, { allowsCallsFrom, bytes }: { allowsCallsFrom?: number; bytes: number }): void {
    if (!turn) throw new RunEnd({ kind: "stale" })
    this.isCancelled ||= turn.cancel_requested_at !== null
    this.turn.model_failures = turn.model_failures
    this.turn.stream_until = turn.stream_until?.toISOString() ?? null
    this.claim.engine_keys = turn.engine_keys
    this.route.drop(turn.unusable)
    this.transcript.grow(bytes)
    if (allowsCallsFrom !== undefined) this.knownAt = allowsCallsFrom
  }

  /** Before a call starts: asks whether it may, unless a statement has just said so. */
  async beforeCall(): Promise<void> {
    // An answer that came too late says nothing of this moment: a cancel may have been acknowledged meanwhile.
    for (let tries = 0; this.time.now - this.knownAt > TURN_POLICY.startCallsWithinMs; tries++) {
      if (tries >= TURN_POLICY.startTries) throw new RunEnd({ kind: "hand_over" })
      const sentAt = this.time.now
      const found = await mayStartCalls(this.ctx, this.turn)
      if (found === "stale") throw new RunEnd({ kind: "stale" })
      this.isCancelled ||= found === "cancel"
      this.knownAt = sentAt
      if (this.isCancelled) break
    }
    this.checkpoint()
  }

  /** Asks in any case, since a cancel may have come. */
  async askAgain(): Promise<void> {
    this.knownAt = Number.NEGATIVE_INFINITY
    await this.beforeCall()
  }

  /** The same as an answer, for a call that would be sent again. Throws when another worker is to send it. */
  mayStart(): Promise<boolean> {
    return this.askAgain().then(
      () => true,
      (error: unknown) => {
        if (error instanceof RunEnd && error.why.kind !== "hand_over") return false
        throw error
      },
    )
  }

  ended(outcome: Outcome): RunEnd {
    return new RunEnd({ kind: "ended", outcome })
  }

  /** The end of a turn that was cancelled. */
  cancel(): RunEnd {
    this.isCancelled = true
    return this.ended({ state: "cancelled", reason: "client", result: this.transcript.partialResult() })
  }

  limit(code: LimitCode): RunEnd {
    const { transcript, budget } = this
    return this.ended(limitReached(code, transcript.partialResult(), budget.boundBy, { grown: transcript.isEmpty }))
  }
}

/** What the worker that runs turns may use in addition: models and customers' URLs. */
export interface AgentContext extends ToolContext, PoolContext {
  /** The accounts at the providers, as the worker's variables name them; environment files go before. */
  readonly variables: ModelVariables
  /** Until when its worker may go on, in milliseconds; left out: for `workerMs`. */
  readonly workerUntil?: number | undefined
  /** Resolves when a call would not have to wait for others of the runner. */
  readonly room?: ((signal?: AbortSignal) => Promise<void>) | undefined
  /** Set by a run: what its calls ask that had to wait for others of the runner, since a cancel may have come. Throws when it has. */
  readonly waited?: { ask(): Promise<void> } | undefined
  /** What settles turns together, in a runner, and what writes their steps. */
  readonly settling?: Settling
  readonly together?: Together | undefined
}

import type { ModelVariables } from "../agent/accounts.ts"
import type { ModelError, ToolSpec } from "../agent/engine.ts"
import { wireBytes } from "../agent-config/request-parts.ts"
import type { PoolContext } from "../providers/capacity.ts"
import { CAPS } from "../quotas/cap-state.ts"
import type { BoundTool } from "../tools/bound-tool.ts"
import type { ToolContext } from "../tools/toolbox.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { joinedText, type StepRow } from "../turns/step-row.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import type { Claim, ModelRow } from "./claim-turn.ts"
import { type Committed, mayStartCalls } from "./commit-step.ts"
import type { HoldBound } from "./grow-hold.ts"
import { KeepAlive } from "./keep-alive.ts"
import { Route } from "./route.ts"
import type { Outcome } from "./settle-turn.ts"

/** Why a run stops before its agent has finished. It is thrown, since it unwinds an agent and its sub-agents at once. */
export class RunEnd extends Error {
  readonly why:
    | { kind: "stale" }
    | { kind: "hand_over" }
    | { kind: "ended"; outcome: Outcome }
    | { kind: "unavailable"; error: ModelError }
    /** No account of the engine may be called now; `until`: the earliest recovery, in milliseconds; infinite: none by itself. */
    | { kind: "cooling"; engine: string; until: number }
    /** The isolate has no memory for a call's pictures and documents. */
    | { kind: "crowded" }

  constructor(why: RunEnd["why"]) {
    super(why.kind)
    this.name = "RunEnd"
    this.why = why
  }
}

/** The reason with which everything is aborted when the turn's time is over. */
export const TIMED_OUT = Symbol("the turn's time is over")

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
  readonly deadline: number
  readonly signal: AbortSignal
  readonly alive: KeepAlive
  readonly route: Route
  /** Credit micros. `reserved`: the worst case of the model calls under way. */
  hold: number
  cost: number
  /** The limit that the hold met when it last grew. */
  boundBy: HoldBound | null = null
  /** Tools of MCP servers that are not what was pinned. */
  leftOut: readonly string[] = []
  private reserved = 0
  private waiting: (() => void)[] = []
  private steps: number
  private transcriptBytes: number
  private cancelled: boolean
  private readonly started: number
  /** When the last statement that allowed calls was sent. */
  private knownAt = Number.NEGATIVE_INFINITY

  constructor(ctx: AgentContext, claim: Claim, { deadline, signal }: { deadline: number; signal: AbortSignal }) {
    this.ctx = ctx
    this.claim = claim
    this.turn = claim.turn
    this.deadline = deadline
    this.signal = signal
    this.alive = new KeepAlive(ctx, claim.turn)
    this.route = new Route(ctx, claim)
    this.hold = claim.turn.hold_credit_micros
    this.cost = claim.turn.cost_credit_micros
    this.steps = claim.steps.reduce((next, { step }) => Math.max(next, step + 1), 0)
    this.transcriptBytes = wireBytes(claim.steps)
    this.cancelled = claim.turn.cancel_requested_at !== null
    this.started = ctx.clock.now().getTime()
  }

  get now(): number {
    return this.ctx.clock.now().getTime()
  }

  /** The number of the next step, over all agents. */
  nextStep(): number {
    return this.steps++
  }

  /** Ends the run when it must not go on: cancelled, out of time, or the transcript is full. */
  checkpoint(): void {
    if (this.cancelled) throw this.cancel()
    this.checkTime()
    if (this.steps > TURN_POLICY.maxModelCalls) throw this.limit("STEP_LIMIT_REACHED")
    if (this.transcriptBytes > TURN_POLICY.transcriptBytes) throw this.limit("TRANSCRIPT_LIMIT_REACHED")
  }

  /** Ends the run when the turn's time is over. */
  checkTime(): void {
    if (this.signal.aborted || this.now >= this.deadline) throw this.limit("TIMEOUT_REACHED")
  }

  /** Whether the next callback should go on. */
  get tired(): boolean {
    return this.now - this.started >= TURN_POLICY.runBudgetMs
  }

  /** Notes the turn as a commit found it, or ends the run when the turn is no longer this worker's. */
  committed(turn: Committed | null, { allowsCallsFrom, bytes }: { allowsCallsFrom?: number; bytes: number }): void {
    if (!turn) throw new RunEnd({ kind: "stale" })
    this.cancelled ||= turn.cancel_requested_at !== null
    this.turn.model_failures = turn.model_failures
    this.turn.stream_until = turn.stream_until?.toISOString() ?? null
    this.claim.engine_keys = turn.engine_keys
    this.route.drop(turn.unusable)
    this.transcriptBytes += bytes
    if (allowsCallsFrom !== undefined) this.knownAt = allowsCallsFrom
  }

  /** Before a call starts: asks whether it may, unless a statement has just said so. */
  async beforeCall(): Promise<void> {
    if (this.now - this.knownAt > TURN_POLICY.startCallsWithinMs) {
      const sentAt = this.now
      const found = await mayStartCalls(this.ctx, this.turn)
      if (found === "stale") throw new RunEnd({ kind: "stale" })
      this.cancelled ||= found === "cancel"
      this.knownAt = sentAt
    }
    this.checkpoint()
  }

  /** Asks in any case, since a cancel may have come. */
  async askAgain(): Promise<void> {
    this.knownAt = Number.NEGATIVE_INFINITY
    await this.beforeCall()
  }

  /** The same as an answer, for a call that would be sent again. */
  mayStart(): Promise<boolean> {
    return this.askAgain().then(
      () => true,
      (error: unknown) => {
        if (error instanceof RunEnd) return false
        throw error
      },
    )
  }

  get left(): number {
    return this.hold - this.cost - this.reserved
  }

  get somethingReserved(): boolean {
    return this.reserved > 0
  }

  /** Sets a call's worst case aside, in credit micros, and returns the function that gives it back. */
  reserve(micros: number): () => void {
    this.reserved += micros
    return () => {
      this.reserved -= micros
      for (const wake of this.waiting.splice(0)) wake()
    }
  }

  /** Resolves when a running call has given back what it did not need. */
  freed(): Promise<void> {
    return new Promise((wake) => this.waiting.push(wake))
  }

  ended(outcome: Outcome): RunEnd {
    return new RunEnd({ kind: "ended", outcome })
  }

  /** The end of a turn that was cancelled. */
  cancel(): RunEnd {
    this.cancelled = true
    return this.ended({ state: "cancelled", reason: "client", result: this.partialResult() })
  }

  limit(code: LimitCode): RunEnd {
    const grown = this.claim.steps.length === 0
    return this.ended(limitReached(code, this.partialResult(), this.boundBy, { grown }))
  }

  /** What the space's own agent has said so far, or null. */
  partialResult(text = ""): string | null {
    const steps = this.claim.steps.filter(({ agent }) => agent === null)
    return joinedText([...steps, { text, finish: "stop" }]) || null
  }
}

type LimitCode = keyof typeof LIMIT_MESSAGES

/**
 * A limit that the customer set or reached; the work until then is billed. `boundBy`: the limit behind COST_LIMIT_REACHED. `grown`: the
 * turn's first model call costs more than when the turn was accepted.
 */
export function limitReached(
  code: LimitCode,
  result: string | null,
  boundBy: HoldBound | null = null,
  { grown = false } = {},
): Outcome {
  const message = code === "COST_LIMIT_REACHED" ? costMessage(boundBy, grown) : LIMIT_MESSAGES[code]
  return { state: "failed", code, message, ours: false, result }
}

function costMessage(boundBy: HoldBound | null, grown: boolean): string {
  if (boundBy === null || boundBy === "max_cost") return LIMIT_MESSAGES.COST_LIMIT_REACHED
  const end = boundBy === "balance" ? "the end of the balance" : CAPS[boundBy]
  if (grown) return `${GROWN} It reached ${end}: what is left there does not pay for it.`
  return `The turn reached ${end}: what is left there does not pay for its next model call.`
}

const GROWN =
  "The turn's first model call costs more than when the turn was accepted: since then its space's configuration, the tools of its MCP " +
  "servers, the answers of earlier turns of its conversation or the model's price have changed."

const LIMIT_MESSAGES = {
  TIMEOUT_REACHED: "The turn took longer than its timeout_seconds.",
  STEP_LIMIT_REACHED: "The agent made more model calls than it may.",
  COST_LIMIT_REACHED: "The turn reached its max_cost_usd: what is left of it does not pay for the next model call.",
  TRANSCRIPT_LIMIT_REACHED: "The model and its tools have said more than a turn can hold.",
}

/** What the worker that runs turns may use in addition: models and customers' URLs. */
export interface AgentContext extends ToolContext, PoolContext {
  /** The accounts at the providers, as the worker's variables name them; environment files go before. */
  readonly variables: ModelVariables
}

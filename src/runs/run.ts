import type { ModelVariables } from "../agent/accounts.ts"
import type { Message, ToolSpec } from "../agent/engine.ts"
import type { ResultForm } from "../base/result-form.ts"
import type { PoolContext } from "../providers/capacity.ts"
import type { BoundTool } from "../tools/bound-tool.ts"
import type { ToolContext } from "../tools/tool-context.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { StepRow } from "../turns/step-row.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { Budget } from "./budget.ts"
import type { Claim, ModelRow } from "./claim-turns.ts"
import { type Committed, mayStartCalls, noteResultToken, type Together } from "./commit-step.ts"
import type { ContextFit } from "./fit-context.ts"
import { KeepAlive } from "./keep-alive.ts"
import { type OwnReader, pushOf, TurnPushes } from "./push-text.ts"
import type { ReaderBell } from "./reader-bell.ts"
import { Route } from "./route.ts"
import { type LimitCode, limitReached, RunEnd } from "./run-end.ts"
import { RunTime } from "./run-time.ts"
import type { Outcome, Settling } from "./settle-turns.ts"
import { Transcript } from "./transcript.ts"
import type { WaitCall, WaitLimit } from "./wait-turn.ts"

/** The tools that an agent finds and calls by name, because its prompt does not list them. */
export interface ToolSearch {
  hidden: ReadonlyMap<string, BoundTool>
  /** The tools that earlier turns of the conversation have found, with the position of the turn. */
  kept: NonNullable<Claim["found_tools"]>
}

/** One agent at work in a turn: the space's own, or a sub-agent on one task. */
export interface AgentWork {
  /** The tool call "step.call" that it works for, or "summary:position"; null for the space's own agent. */
  ref: string | null
  name: string | null
  system: string | undefined
  model: ModelRow
  maxSteps: number
  maxOutputTokens: number | undefined
  /** All tools that it may call. */
  tools: ReadonlyMap<string, BoundTool>
  /** The tools that its prompts list. */
  specs: ToolSpec[]
  /** Null: they are all of its tools. */
  search: ToolSearch | null
  steps: StepRow[]
  /** Leaves out parts of its prompts, so that they fit into the model's window. */
  fit: ContextFit
  /** The number of turns of the conversation that its answer will summarise. */
  summarises?: number
  /** The form of its answer; missing: any text. */
  form?: ResultForm
}

const SUMMARY = "summary:"

/** The agent of a summary of the turns up to a position. */
export const summaryRef = (position: number) => `${SUMMARY}${position}`

/** The position up to which an agent summarises; null for other agents. */
export const summarisedBy = (ref: string | null): number | null =>
  ref?.startsWith(SUMMARY) ? Number(ref.slice(SUMMARY.length)) : null

/** How events name a step: its number and, for a sub-agent's step, the agent and the call that it works for. */
export function stepOf({ ref, name }: AgentWork, step: number) {
  return { step, ...(ref !== null && { agent: name, ...(summarisedBy(ref) === null && { delegated_by: ref }) }) }
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
  readonly pushes: TurnPushes
  /** Tools that the agent does not get: they differ from their pinned form, or the model cannot take them. */
  leftOut: readonly string[] = []
  /** The keys of files that a model's provider has refused. They are only named from then on. */
  readonly refusedFiles = new Set<string>()
  /** The first messages of the space's own agent, without earlier exchanges. */
  opening: readonly Message[] = []
  /** The calls that must wait, over all agents. */
  readonly waits: WaitCall[] = []
  /** The limit that does not pay for the next model call of an agent, if the turn waits for limits. */
  lack: WaitLimit | null = null
  private isCancelled: boolean
  /** When the last statement that allowed calls was sent, in milliseconds. */
  private knownAt = Number.NEGATIVE_INFINITY

  constructor(ctx: AgentContext, claim: Claim, { deadline, signal }: { deadline: number; signal: AbortSignal }) {
    this.ctx = ctx
    this.claim = claim
    this.turn = claim.turn
    this.budget = new Budget(claim.turn)
    this.time = new RunTime(ctx.clock, { deadline, signal, handOver: ctx.handOver })
    this.transcript = new Transcript(claim.steps, claim.links)
    this.alive = new KeepAlive(ctx, claim.turn)
    this.route = new Route(ctx, claim)
    this.pushes = new TurnPushes(() => pushOf(ctx, claim.turn.turn_id))
    this.isCancelled = claim.turn.cancel_requested_at !== null
    if (ctx.waited) ctx.waited.ask = () => this.askAgain()
  }

  /** True if the turn waits when it cannot pay for a model call. */
  get waitsForLimit(): boolean {
    return (this.turn.on_limit ?? this.claim.config.manifest.on_limit) === "wait"
  }

  waitFor(call: WaitCall): void {
    this.waits.push(call)
  }

  /** A call for which the turn has waited, as the claim found it. */
  decided(step: number, call: number): Claim["calls"][number] | undefined {
    return this.claim.calls.find((one) => one.step === step && one.call === call)
  }

  /** Ends the run if it was cancelled, is out of time, or its transcript is full. */
  checkpoint(): void {
    if (this.isCancelled) throw this.cancel()
    this.checkTime()
    const { limit } = this.transcript
    if (limit) throw this.limit(limit)
  }

  /** Ends the run if the turn's time is over. */
  checkTime(): void {
    if (this.time.isOver) throw this.limit("TIMEOUT_REACHED")
  }

  /** Takes over the turn's state from a commit, or ends the run if the turn belongs to another worker. */
  committed(turn: Committed | null, { allowsCallsFrom, bytes }: { allowsCallsFrom?: number; bytes: number }): void {
    if (!turn) throw new RunEnd({ kind: "stale" })
    this.isCancelled ||= turn.cancel_requested_at !== null
    this.turn.model_failures = turn.model_failures
    this.turn.stream_until = turn.stream_until?.toISOString() ?? null
    this.claim.engine_keys = turn.engine_keys
    this.route.drop(turn.unusable)
    this.transcript.grow(bytes)
    this.pushes.tellGrown()
    if (allowsCallsFrom !== undefined) this.knownAt = allowsCallsFrom
  }

  /** Asks before a call whether it may start, unless a statement has just allowed it. */
  async beforeCall(): Promise<void> {
    // An answer that arrives too late is void: a cancel may have been acknowledged in the meantime.
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

  /** Always asks, because a cancel may have come. */
  async askAgain(): Promise<void> {
    this.knownAt = Number.NEGATIVE_INFINITY
    await this.beforeCall()
  }

  /** Throws if the turn belongs to another worker. */
  async noteToken(step: number, call: number, token: string): Promise<void> {
    if (!(await noteResultToken(this.ctx, this.turn, { step, call, token }))) throw new RunEnd({ kind: "stale" })
  }

  /** Returns whether a call may be sent again. Throws if another worker must send it. */
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

/** The context of the worker that runs turns. It also has models and access to owners' URLs. */
export interface AgentContext extends ToolContext, PoolContext {
  /** The accounts at the providers in the worker's variables. Environment files override them. */
  readonly variables: ModelVariables
  /** Until when the worker may keep the turn, in milliseconds. Default: for `workerMs`. */
  readonly workerUntil?: number | undefined
  /** Aborts when the turn should be handed over to a runner: soon, even within a model call. */
  readonly handOver?: AbortSignal | undefined
  /** Gets the text of the turn's agents: the request that the turn runs for reads it. */
  readonly ownReader?: OwnReader | undefined
  /** Where readers of the worker's turns ring. */
  readonly bell?: ReaderBell | undefined
  /** Resolves when a call would not have to wait for other calls of the runner. */
  readonly whenFree?: ((signal?: AbortSignal) => Promise<void>) | undefined
  /** A call that had to wait for other calls of the runner calls `ask`, which the run sets. It throws after a cancel. */
  readonly waited?: { ask(): Promise<void> } | undefined
  /** Set in a runner: settles its turns together, and commits their steps together. */
  readonly settling?: Settling
  readonly together?: Together | undefined
}

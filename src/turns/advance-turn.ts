import { callModel } from "../agent/call-model.ts"
import { type ModelAccounts, type ModelAnswer, type ModelCall, ModelError } from "../agent/engine.ts"
import { type Price, priceOf } from "../billing/price.ts"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { boundCall, buildCall } from "./build-call.ts"
import { type Claim, claimTurn } from "./claim-turn.ts"
import { backOff, commitStep } from "./commit-step.ts"
import type { FinishedStep } from "./finished-step.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import { releaseTurn } from "./release-turn.ts"
import { type Outcome, settleTurn } from "./settle-turn.ts"

export interface AgentContext extends Context {
  readonly accounts: ModelAccounts
}

const FREE: Price = { price_input: 0, price_cached: 0, price_output: 0 }

/** What became of a callback, for its answer and the log. */
export type Advance = "nothing_to_do" | "settled" | "handed_over" | "backed_off" | "stale"

/**
 * Takes a turn as far as one callback may: claims it, runs steps until the agent has finished or the run budget has
 * gone, and settles it or publishes the next callback. Whatever throws in between leaves a turn that the next
 * delivery or the sweeper takes up from its last committed step.
 */
export async function advanceTurn(ctx: AgentContext, turnId: string): Promise<Advance> {
  const claim = await claimTurn(ctx, turnId)
  if (!claim) return "nothing_to_do"
  try {
    return await runSteps(ctx, claim)
  } catch (error) {
    await releaseTurn(ctx, claim.turn)
    throw error
  }
}

async function runSteps(ctx: AgentContext, claim: Claim): Promise<Advance> {
  const price = claim.turn.test ? FREE : claim.model
  const started = ctx.clock.now().getTime()
  const deadline = deadlineOf(claim)
  const maxSteps = claim.manifest.max_steps ?? TURN_POLICY.maxSteps

  for (let step = claim.steps.length; ; step++) {
    const end = (outcome: Outcome) => settle(ctx, claim, outcome)
    const partial = partialResult(claim)
    if (claim.turn.cancel_requested_at) return end({ state: "cancelled", reason: "client", result: partial })
    if (ctx.clock.now().getTime() >= deadline) return end(limitReached("TIMEOUT_REACHED", partial))
    if (step >= maxSteps) return end(limitReached("STEP_LIMIT_REACHED", partial))

    const bounded = await boundCall(ctx, claim, price, buildCall(claim, step))
    if (bounded === "stale") return "stale"
    if (bounded === "cost_limit") return end(limitReached("COST_LIMIT_REACHED", partial))

    const calledAt = ctx.clock.now().getTime()
    const answer = await callWithin(ctx, bounded.call, deadline - calledAt).catch((error: unknown) => error)
    if (answer instanceof ModelError && answer.kind === "unavailable") return retryLater(ctx, claim, answer)
    if (answer instanceof ModelError) return end(modelFailure(ctx, claim, answer))
    if (answer === TIMED_OUT) return end(limitReached("TIMEOUT_REACHED", partial))
    if (!isAnswer(answer)) throw answer

    const now = ctx.clock.now().getTime()
    const left = claim.turn.hold_credit_micros - claim.turn.cost_credit_micros
    const done: FinishedStep = {
      step,
      answer,
      // A provider that counts more than the worst case is our loss: a charge never exceeds its hold.
      cost: Math.min(priceOf(price, answer.usage), left),
      durationSec: Math.max(0, now - calledAt) / 1000,
    }
    if (!answer.more) {
      const outcome: Outcome =
        bounded.cutByHold && answer.finish === "length"
          ? limitReached("COST_LIMIT_REACHED", joinTexts(partial, answer.text))
          : { state: "done", result: answer.text }
      return settle(ctx, claim, outcome, done)
    }

    const handOver = now - started >= TURN_POLICY.runBudgetMs
    const turn = await commitStep(ctx, claim, done, { handOver })
    if (!turn) return "stale"
    claim.turn = turn
    claim.steps.push({ step, text: answer.text })
    if (handOver) {
      await publishTurn(ctx, turn, { because: "step" })
      return "handed_over"
    }
  }
}

async function settle(ctx: Context, claim: Claim, outcome: Outcome, step?: FinishedStep): Promise<Advance> {
  const ended = await settleTurn(ctx, claim.turn, outcome, { last: step && { claim, step } })
  return ended ? "settled" : "stale"
}

/** Waits 2^n times the base, or as long as the provider asks; gives up after maxModelFailures in a row. */
async function retryLater(ctx: Context, claim: Claim, error: ModelError): Promise<Advance> {
  const { turn } = claim
  ctx.log("error", "model.unavailable", { turn_id: turn.turn_id, model: turn.model, error: describeError(error) })
  if (turn.model_failures + 1 >= TURN_POLICY.maxModelFailures) {
    const message = "The model did not answer after several attempts. Nothing was billed."
    return settle(ctx, claim, { state: "failed", code: "MODEL_UNAVAILABLE", message, ours: true, result: null })
  }
  const wait = error.retryAfterMs ?? TURN_POLICY.modelBackoffMs * 2 ** turn.model_failures
  const delayMs = Math.min(Math.max(wait, TURN_POLICY.modelBackoffMs), TURN_POLICY.modelBackoffLimitMs)
  const waiting = await backOff(ctx, turn, delayMs)
  if (!waiting) return "stale"
  await publishTurn(ctx, waiting, { because: "again", delayMs })
  return "backed_off"
}

function modelFailure(ctx: Context, claim: Claim, error: ModelError): Outcome {
  if (error.kind === "failed") {
    const code = error.code ?? "FAILED"
    return { state: "failed", code, message: error.message, ours: false, result: partialResult(claim) }
  }
  const { turn_id, model } = claim.turn
  ctx.log("error", "model.rejected", { turn_id, model, error: describeError(error) })
  const message = "The model's provider refused the request. Nothing was billed."
  return { state: "failed", code: "MODEL_REJECTED", message, ours: true, result: null }
}

const LIMIT_MESSAGES = {
  TIMEOUT_REACHED: "The turn took longer than its timeout_seconds.",
  STEP_LIMIT_REACHED: "The agent took more model calls than the manifest's max_steps.",
  COST_LIMIT_REACHED: "The turn reached its max_cost_usd, or the end of the balance.",
}

function limitReached(code: keyof typeof LIMIT_MESSAGES, result: string | null): Outcome {
  return { state: "failed", code, message: LIMIT_MESSAGES[code], ours: false, result }
}

function deadlineOf({ turn, manifest }: Claim): number {
  const seconds = turn.timeout_seconds ?? manifest.timeout_seconds ?? TURN_POLICY.timeoutSeconds
  return new Date(turn.started_at ?? turn.created_at).getTime() + seconds * 1000
}

/** What the committed steps have said so far, or null. */
function partialResult(claim: Claim): string | null {
  return claim.steps.length === 0 ? null : claim.steps.map((step) => step.text).join("\n\n")
}

function joinTexts(earlier: string | null, text: string): string {
  return earlier === null ? text : `${earlier}\n\n${text}`
}

const TIMED_OUT = Symbol("the turn's time is over")

/** One model call within `modelCallMs` (then the model counts as unavailable) and `leftMs` (then TIMED_OUT is thrown). */
async function callWithin(ctx: AgentContext, call: ModelCall, leftMs: number): Promise<ModelAnswer> {
  const over = new AbortController()
  const finished = new AbortController()
  const limit = Math.min(leftMs, TURN_POLICY.modelCallMs)
  const reason = limit === leftMs ? TIMED_OUT : new ModelError("unavailable", "The model call took too long.")
  ctx.clock.sleep(limit, finished.signal).then(
    () => over.abort(reason),
    () => {},
  )
  try {
    return await ctx.meter.measure("model", () =>
      callModel({ fetch: ctx.fetch, accounts: ctx.accounts, sleep: ctx.clock.sleep, signal: over.signal }, call),
    )
  } catch (error) {
    throw over.signal.aborted ? reason : error
  } finally {
    finished.abort(new Error("finished"))
  }
}

function isAnswer(value: unknown): value is ModelAnswer {
  return typeof value === "object" && value !== null && "usage" in value
}

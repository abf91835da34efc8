import { callModel } from "../agent/call-model.ts"
import { type Message, type ModelAnswer, type ModelCall, ModelError } from "../agent/engine.ts"
import { type Price, priceOf } from "../billing/price.ts"
import { abortAfter } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { boundCall, buildCall } from "./build-call.ts"
import { TURN_POLICY } from "./policies.ts"
import { type AgentWork, type Run, RunEnd, stepOf, TIMED_OUT } from "./run.ts"
import type { FinishedStep } from "./step-row.ts"
import { openTextStream, type TextStream } from "./stream-text.ts"
import { draftEvent, type EventDraft } from "./turn-event.ts"

const FREE: Price = { price_input: 0, price_cached: 0, price_output: 0 }

/** A model call that came back, not committed yet. */
export interface CalledStep {
  step: FinishedStep
  /** The step's start, the rest of its text, and its end. */
  events: EventDraft[]
  /** The hold, not the configuration, limited what it could say. */
  cutByHold: boolean
}

/** The agent's model refuses, or was told to fail: the end of the turn, or of a sub-agent's task. */
export class AgentFailed extends Error {
  readonly error: ModelError

  constructor(error: ModelError) {
    super(error.message)
    this.name = "AgentFailed"
    this.error = error
  }
}

/** Makes the next model call of an agent. Throws RunEnd, or AgentFailed. */
export async function callStep(run: Run, agent: AgentWork, opening: Message[]): Promise<CalledStep> {
  const { ctx, turn } = run
  const price = turn.test ? FREE : agent.model
  const bounded = await boundCall(run, price, buildCall(run, agent, opening))
  const step = run.nextStep()
  const of = stepOf(agent, step)
  const stream = openTextStream(ctx, turn, of, { model: agent.model.pin, attempt: turn.model_failures })
  const calledAt = run.now
  try {
    const answer = await callWithin(run, bounded.call, stream)
    const rest = await stream.finish()
    const durationMs = Math.max(0, run.now - calledAt)
    // A provider that counts more than the worst case is our loss: a charge never exceeds its hold.
    const cost = Math.min(priceOf(price, answer.usage), Math.max(0, run.hold - run.cost))
    run.cost += cost
    const finished: FinishedStep = {
      step,
      agent: agent.ref,
      answer,
      cost,
      provider: agent.model.engine,
      pin: agent.model.pin,
      priceVersion: agent.model.price_version,
      durationSec: durationMs / 1000,
    }
    return {
      step: finished,
      events: [...rest, stepEnded(of, answer, durationMs, ctx.clock.now())],
      cutByHold: bounded.cutByHold,
    }
  } catch (error) {
    await stream.finish()
    throw translate(run, agent, error)
  } finally {
    bounded.release()
  }
}

function stepEnded(of: object, { usage, finish }: ModelAnswer, durationMs: number, at: Date): EventDraft {
  const { tokensInput, tokensCached, tokensOutput } = usage
  const tokens = { tokens_input: tokensInput, tokens_cached: tokensCached, tokens_output: tokensOutput }
  return draftEvent("step.ended", { ...of, finish, duration_ms: durationMs, ...tokens }, at)
}

function translate(run: Run, agent: AgentWork, error: unknown): unknown {
  if (error === TIMED_OUT) return run.limit("TIMEOUT_REACHED")
  if (!(error instanceof ModelError)) return error
  if (error.kind === "unavailable") return new RunEnd({ kind: "unavailable", error })
  if (error.kind === "rejected") {
    const { turn_id } = run.turn
    run.ctx.log("error", "model.rejected", { turn_id, model: agent.model.pin, error: describeError(error) })
  }
  return new AgentFailed(error)
}

/** One model call within `modelCallMs` (then the model counts as unavailable) and the turn's time (then TIMED_OUT is thrown). */
async function callWithin(run: Run, call: ModelCall, stream: TextStream): Promise<ModelAnswer> {
  const { ctx } = run
  const tooSlow = () => new ModelError("unavailable", "The model call took too long.")
  const over = abortAfter(ctx.clock, TURN_POLICY.modelCallMs, tooSlow)
  const signal = AbortSignal.any([run.signal, over.signal])
  const { accounts, fetch } = ctx
  const context = {
    accounts,
    fetch,
    sleep: ctx.clock.sleep,
    signal,
    loadObject: async (key: string) => {
      const object = await ctx.files.get(key)
      return object ? new Uint8Array(await object.arrayBuffer()) : null
    },
    onText: stream.onText,
  }
  try {
    return await ctx.meter.measure("model", () => callModel(context, call))
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    over.clear()
  }
}

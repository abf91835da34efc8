import {
  callsOf,
  type FormChange,
  type Message,
  type ModelAnswer,
  type ModelCall,
  ModelError,
} from "../agent/engine.ts"
import type { ModelUsage } from "../agent/token-names.ts"
import { spanIdOf } from "../base/trace-context.ts"
import { noteLoss } from "../billing/losses.ts"
import { FREE, priceOf } from "../billing/price.ts"
import { learnLimits } from "../catalog/learned.ts"
import { hasTier, knownOf } from "../catalog/price-terms.ts"
import { providerPriceOf, type SourcedPrice, unknownTo } from "../catalog/provider-prices.ts"
import { noteError } from "../infrastructure/errors.ts"
import { describeError } from "../platform/log.ts"
import { goesOn } from "../turns/step-row.ts"
import { draftEvent, type EventDraft } from "../turns/turn-event.ts"
import { type BoundedCall, boundCall, buildCall, type Opening, settingsOf } from "./build-call.ts"
import { isCut } from "./call-within.ts"
import { type CalledStep, commitCalled } from "./commit-called.ts"
import { fitContext } from "./fit-context.ts"
import { holdsNothing } from "./grow-hold.ts"
import { CANCELLED, LOST, WORKER_OVER } from "./keep-alive.ts"
import { ownFaultOf } from "./refused-as.ts"
import { type RoutedCall, routeCall } from "./route-call.ts"
import { type AgentWork, type Run, stepOf, summarisedBy } from "./run.ts"
import { RunEnd } from "./run-end.ts"
import { TIMED_OUT } from "./run-time.ts"
import { openTextStream } from "./stream-text.ts"

/** The failure of a prompt that does not fit into the model's window. */
export const CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"

/** How often a call that a provider refuses as too long is made again with less. */
const MOST_REFUSALS = 2

const NO_USAGE: ModelUsage = { tokensInput: 0, tokensCached: 0, tokensOutput: 0 }

/** The agent's model refused the request, or a rehearsal script failed. This ends the turn or the sub-agent's task. */
export class AgentFailed extends Error {
  readonly error: ModelError

  constructor(error: ModelError) {
    super(error.message)
    this.name = "AgentFailed"
    this.error = error
  }
}

/**
 * Makes the next model call of an agent. A call that is cut off after it has produced output is committed as a step
 * with the finish `aborted`. Throws RunEnd or AgentFailed.
 */
export async function callStep(run: Run, agent: AgentWork, opening: Opening): Promise<CalledStep> {
  let number: number | undefined
  const nextStep = () => {
    number ??= run.transcript.nextStep()
    return number
  }
  for (let refusals = 0; ; ) {
    try {
      return await callOnce(run, agent, opening, { nextStep, refusals })
    } catch (error) {
      if (!(error instanceof AgentFailed) || !error.error.refusal?.tooLong) throw error
      const { tooLong: said } = error.error.refusal
      agent.fit.refused(said)
      if (said.limit !== null) learnLimits(run.ctx, agent.model.pin, { context_tokens: said.limit })
      const { turn_id } = run.turn
      run.ctx.log("info", "model.too_long", { turn_id, model: agent.model.pin, ...said })
      if (++refusals > MOST_REFUSALS) throw tooLong(agent, error.error)
    }
  }
}

/** The prompt does not fit into the model's window, whatever is left out. */
function tooLong({ model, fit }: AgentWork, last?: ModelError): AgentFailed {
  const window = fit.window === null ? "" : `, which takes ${fit.window} tokens`
  const message =
    `The prompt has about ${fit.size} tokens without earlier turns and results of tools. That is too long for ` +
    `${model.pin}${window}. Shorten the instructions, the tools or the text, or choose a model with a larger window.`
  return new AgentFailed(
    new ModelError("rejected", message, {
      code: CONTEXT_TOO_LONG,
      ...(last?.details && { details: last.details }),
    }),
  )
}

const resultsIn = (messages: readonly Message[]) =>
  messages.reduce((sum, { role, content }) => sum + (role === "tool" ? content.length : 0), 0)

async function callOnce(
  run: Run,
  agent: AgentWork,
  opening: Opening,
  { nextStep, refusals }: { nextStep: () => number; refusals: number },
): Promise<CalledStep> {
  const { ctx, turn } = run
  const price: SourcedPrice = holdsNothing(turn) ? FREE : agent.model
  const { call, trimmed, fits } = fitContext(agent.fit, () => buildCall(run, agent, opening), {
    earlier: opening.earlier,
    results: resultsIn(opening.own) + agent.steps.reduce((sum, { content }) => sum + callsOf(content).length, 0),
  })
  if (!fits) throw tooLong(agent)
  const bounded = await boundCall(run, price, call)
  const step = nextStep()
  const of = stepOf(agent, step)
  const attempt = turn.model_failures + refusals
  const isOwn = agent.ref === null
  const leftOut = isOwn ? run.leftOut : []
  const begun = {
    model: agent.model.pin,
    attempt,
    leftOut,
    settings: toldSettings(agent, call),
    push: summarisedBy(agent.ref) === null ? run.pushes.of(agent.ref) : null,
  }
  const earlier = opening.earlier.length
  const trims = trimmed ? [draftEvent("context.trimmed", { ...of, ...trimmed, earlier }, ctx.clock.now())] : []
  const stream = openTextStream(ctx, turn, of, begun)
  /** Makes the step of an answer, and adds its cost to the cost of the run. */
  const called = (answer: ModelAnswer, rest: EventDraft[], { beganAt, served }: RoutedCall): CalledStep => {
    const durationMs = Math.max(0, run.time.now - beganAt)
    // Tokens that the call cannot have used, and tokens beyond the hold, are our loss: a charge never
    // exceeds its hold, and never uses the reservations of parallel calls.
    const whole = priceOf(price, answer.counted ?? answer.usage, answer.modifiers)
    const cost = Math.min(priceOf(price, answer.usage, answer.modifiers), Math.max(0, run.budget.left + bounded.worst))
    noteUnpriced(run, agent, step, answer)
    if (answer.counted) noteMiscount(run, agent, step, answer)
    run.budget.cost += cost
    agent.fit.counted(answer.usage.tokensInput)
    const { engine: provider, pin, price_version: priceVersion } = agent.model
    const span_id = spanIdOf(turn.turn_id, `chat ${step}`)
    ctx.log("info", "model.called", { span_id, model: pin, finish: answer.finish, ms: durationMs })
    const made = {
      step,
      agent: agent.ref,
      subagent: agent.name,
      answer,
      cost,
      price: whole,
      providerCost: priceOf(providerPriceOf(price), answer.counted ?? answer.usage, answer.modifiers),
      provider,
      pin,
      priceVersion,
      modifiers: knownOf(price, answer.modifiers ?? []),
      served,
    }
    return {
      step: { ...made, durationSec: durationMs / 1000 },
      events: [
        ...trims,
        ...rest,
        ...summarised(agent, of, answer, ctx.clock.now()),
        stepEnded(of, answer, durationMs, ctx.clock.now()),
      ],
      cutByHold: bounded.cutByHold,
    }
  }
  const lost = (answer: ModelAnswer) =>
    noteLoss(ctx, turn, { step, cause: "unfinished", micros: priceOf(price, answer.usage, answer.modifiers) })
  /** Keeps an answer that the account does not pay for: the rest of the turn needs its text. */
  const unpaid = async (answer: ModelAnswer, rest: EventDraft[], routed: RoutedCall) => {
    await lost(answer)
    const { counted: _counted, ...kept } = answer
    return called({ ...kept, usage: NO_USAGE }, rest, routed)
  }
  try {
    let rest: EventDraft[] = []
    const changes: FormChange[] = []
    const routed = await routeCall({ run, agent, call: bounded.call, stream, lost, changes }).finally(async () => {
      rest = [...adjusted(run, agent, of, changes), ...(await stream.finish())]
    })
    const { came } = routed
    if (!isCut(came)) {
      if (routed.isFree) return unpaid(came, rest, routed)
      return called(isEmpty(came, agent, bounded) ? { ...came, finish: "empty" } : came, rest, routed)
    }
    if (came.answer && came.paid) await commitCalled(run, agent, called(came.answer, rest, routed))
    else if (came.answer && came.isKept) await commitCalled(run, agent, await unpaid(came.answer, rest, routed))
    else if (came.answer) {
      const cause = came.why === WORKER_OVER ? "worker_time" : came.why === LOST ? "stale" : "unfinished"
      await noteLoss(ctx, turn, { step, cause, micros: priceOf(price, came.answer.usage, came.answer.modifiers) })
    }
    throw translate(run, agent, came.why, routed)
  } finally {
    bounded.release()
  }
}

/** The event of a step that has written a summary. */
function summarised(
  { summarises: turns }: AgentWork,
  of: object,
  { finish, usage }: ModelAnswer,
  at: Date,
): EventDraft[] {
  const isWritten = turns !== undefined && !goesOn(finish) && finish !== "empty"
  return isWritten ? [draftEvent("context.summarised", { ...of, turns, tokens: usage.tokensOutput }, at)] : []
}

/** The settings that a turn or its configuration asks for, as an event tells them. */
const toldSettings = (
  { maxOutputTokens: asked }: AgentWork,
  { temperature, reasoning, serviceTier, maxOutputTokens }: ModelCall,
) => ({
  ...(asked !== undefined && { max_output_tokens: maxOutputTokens }),
  ...(temperature !== undefined && { temperature }),
  ...(reasoning !== undefined && { reasoning }),
  ...(serviceTier !== undefined && { service_tier: serviceTier }),
})

/** The event of a request that was sent in another form, as refusals of now or of earlier turns require it. */
function adjusted(run: Run, agent: AgentWork, of: object, changes: FormChange[]): EventDraft[] {
  const { steps, model, form } = agent
  const { stop } = run.turn
  const { service_tier } = run.claim.config.manifest
  const asked = {
    ...settingsOf(run, { learned: {}, price_modifiers: null }),
    ...(service_tier !== undefined && { service_tier }),
    ...(form && { response_format: form.type }),
    ...(stop && { stop }),
  }
  const known: Partial<typeof asked> = steps.length === 0 ? asked : {}
  const refused = model.learned.without?.filter((setting) => known[setting] !== undefined) ?? []
  const isUnpriced = known.service_tier !== undefined && !hasTier(model, known.service_tier)
  const unpriced = isUnpriced && agent.summarises === undefined ? ["service_tier"] : []
  const settings = [...new Set([...refused, ...unpriced, ...changes.flatMap(({ without }) => without ?? [])])]
  const without = settings.length > 0 ? { without: settings } : {}
  const most = changes.flatMap(({ maxOutputTokens }) => maxOutputTokens ?? []).at(-1)
  const files = changes.reduce((sum, change) => sum + (change.files?.length ?? 0), 0)
  const data = { ...without, ...(most !== undefined && { max_output_tokens: most }), ...(files > 0 && { files }) }
  return Object.keys(data).length > 0 ? [draftEvent("request.adjusted", { ...of, ...data }, run.ctx.clock.now())] : []
}

/** True for an answer without text and calls. A rehearsal answers as its script says, and a hold may have cut it. */
function isEmpty({ text, content, finish }: ModelAnswer, { model }: AgentWork, { cutByHold }: BoundedCall): boolean {
  const hasEnded = finish === "stop" || finish === "other" || (finish === "length" && !cutByHold)
  return hasEnded && model.engine !== "rehearsal" && text.trim() === "" && callsOf(content).length === 0
}

/** A provider that counts more tokens than the call can have used is a finding for the operator. */
function noteMiscount({ ctx, turn }: Run, { model }: AgentWork, step: number, { usage, counted }: ModelAnswer): void {
  const tokens = { counted_input: counted?.tokensInput, counted_output: counted?.tokensOutput }
  const billed = { tokens_input: usage.tokensInput, tokens_output: usage.tokensOutput }
  ctx.log("error", "model.miscounted", { turn_id: turn.turn_id, step, model: model.pin, ...tokens, ...billed })
  noteError(ctx, turn, { kind: "model_call", name: model.engine, code: "miscounted" })
}

/** A call that its provider has served in a way that the catalog has no factor for is billed without one. */
function noteUnpriced({ ctx, turn }: Run, { model }: AgentWork, step: number, { modifiers = [] }: ModelAnswer): void {
  const unpriced = unknownTo(model, modifiers)
  if (unpriced.length === 0) return
  ctx.log("error", "model.unpriced", { turn_id: turn.turn_id, step, model: model.pin, modifiers: unpriced.join(" ") })
  noteError(ctx, turn, { kind: "model_call", name: model.engine, code: "unpriced" })
}

function stepEnded(of: object, { usage, finish }: ModelAnswer, durationMs: number, at: Date): EventDraft {
  const { tokensInput, tokensCached, tokensOutput, tokensReasoning = 0 } = usage
  const tokens = {
    tokens_input: tokensInput,
    tokens_cached: tokensCached,
    tokens_output: tokensOutput,
    tokens_reasoning: tokensReasoning,
  }
  return draftEvent("step.ended", { ...of, finish, duration_ms: durationMs, ...tokens }, at)
}

function translate(run: Run, agent: AgentWork, why: unknown, { noted }: RoutedCall): unknown {
  if (why === TIMED_OUT) return run.limit("TIMEOUT_REACHED")
  if (why === CANCELLED) return run.cancel()
  if (why === LOST) return new RunEnd({ kind: "stale" })
  if (why === WORKER_OVER) return new RunEnd({ kind: "hand_over" })
  // A RunEnd: the run ended while the call waited to be sent.
  if (!(why instanceof ModelError)) return why
  const code = ownFaultOf(why)
  if (why.kind !== "failed" && (!noted || code !== null)) {
    const { details, whole: said } = why
    noteError(run.ctx, run.turn, {
      kind: "model_call",
      name: agent.model.engine,
      code: code ?? why.kind,
      details,
      said,
    })
  }
  if (why.kind === "unavailable") return new RunEnd({ kind: "unavailable", error: why })
  if (why.kind === "rejected") {
    const { turn_id } = run.turn
    run.ctx.log("error", "model.rejected", { turn_id, model: agent.model.pin, error: describeError(why) })
  }
  return new AgentFailed(why)
}

import type { Context } from "../actor/context.ts"
import type { ProviderDetails } from "../agent/provider-said.ts"
import { WAIT_POLICY } from "../agent-config/manifest.ts"
import { type BuiltinTool, DELEGATE } from "../agent-config/names.ts"
import { resultFormOf } from "../agent-config/response-format.ts"
import { reasonOf } from "../base/not-sent.ts"
import { openContainers } from "../infrastructure/container.ts"
import { abortAfter } from "../platform/clock.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { McpError } from "../tools/mcp-error.ts"
import { noteListing } from "../tools/note-listing.ts"
import { openSecrets } from "../tools/secrets.ts"
import { DEFAULT_BUILTIN_TOOLS, openToolbox, type Toolbox } from "../tools/toolbox.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { answerText } from "../turns/step-row.ts"
import { formatOf, type TurnRow } from "../turns/turn-row.ts"
import { agentTools } from "./agent-tools.ts"
import { answerFault } from "./answer-fault.ts"
import { turnOpening } from "./build-call.ts"
import { AgentFailed, CONTEXT_TOO_LONG } from "./call-step.ts"
import { calledOutcome, callerEvents, callsOfAnswer } from "./caller-calls.ts"
import { callerTools } from "./caller-tool.ts"
import { checkedResult } from "./checked-result.ts"
import type { Claim, ModelRow } from "./claim-turns.ts"
import { type CalledStep, noteLost, orNoted, rowOf } from "./commit-called.ts"
import { delegateTool } from "./delegate.ts"
import { leftOutOf } from "./exchanges.ts"
import { ContextFit } from "./fit-context.ts"
import { giveBack, waitForAccounts, waitForMemory } from "./give-back.ts"
import { instructionsOf, noteFor } from "./note-for.ts"
import { missingIn, noteServers } from "./note-servers.ts"
import { paintingOf } from "./pay-pictures.ts"
import { refusedAs } from "./refused-as.ts"
import { type AgentContext, type AgentWork, Run } from "./run.ts"
import { runAgent, TooManySteps } from "./run-agent.ts"
import { limitReached, RunEnd } from "./run-end.ts"
import { deadlineOf, TIMED_OUT } from "./run-time.ts"
import { type Outcome, settleTurn } from "./settle-turns.ts"
import { summariseHistory } from "./summarise-history.ts"
import { waitTurn } from "./wait-turn.ts"

/** How a worker's run of a turn ended. `lost`: the turn could not even be released, so its lease must expire. */
export type RunResult = "settled" | "handed_over" | "backed_off" | "waits" | "stale" | "broke" | "lost"

/**
 * Runs a claimed turn until it has finished, must wait for its model, or its worker's time is over. Then the turn is
 * settled or released. Never throws: after an error, the next worker continues from the last committed step.
 */
export async function runTurn(ctx: AgentContext, claim: Claim): Promise<RunResult> {
  const deadline = deadlineOf(claim)
  const over = abortAfter(ctx.clock, Math.max(0, deadline - ctx.clock.now().getTime()), () => TIMED_OUT)
  const run = new Run(ctx, claim, { deadline, signal: over.signal })
  try {
    return await runAgents(run)
  } catch (error) {
    ctx.log("error", "turn.broke", { turn_id: claim.turn.turn_id, error: describeError(error) })
    return await giveUp(ctx, claim.turn)
  } finally {
    over.clear()
  }
}

async function runAgents(run: Run): Promise<RunResult> {
  let toolbox: Toolbox | null = null
  try {
    run.checkpoint()
    const model = run.claim.models[run.turn.model]
    if (!model) throw new Error(`The model ${run.turn.model} is not in the catalog`)
    toolbox = await openTools(run, model)
    const agent = mainAgent(run, model, toolbox)
    await summariseHistory(run, agent)
    const note = noteFor(run, { system: run.claim.config.manifest.instructions, tools: agent.tools })
    const opening = await turnOpening(run.ctx, run.claim, { missing: missingIn(toolbox), note })
    const called = await runAgent(run, agent, opening)
    return await settle(run, outcomeOf(run, agent, called), called ?? undefined)
  } catch (error) {
    return await end(run, error)
  } finally {
    if (toolbox) run.ctx.background(toolbox.close())
  }
}

function mainAgent(run: Run, model: ModelRow, toolbox: Toolbox) {
  const { tools } = toolbox
  const { manifest } = run.claim.config
  const delegate = delegateTool(run, tools)
  const all = new Map([...tools, ...(delegate ? [[DELEGATE, delegate] as const] : []), ...callerTools(run.claim)])
  const steps = run.claim.steps.filter(({ agent }) => agent === null)
  const { leftOut, ...own } = agentTools(run, all, { model, steps, isOwn: true, missing: missingIn(toolbox) })
  run.leftOut = [...run.leftOut, ...leftOut]
  const fit = new ContextFit(model)
  const { history = {} } = manifest
  const form = resultFormOf(formatOf(run.turn) ?? manifest.response_format)
  // A rehearsal has no cache, and tells how many messages it has seen.
  if (model.engine !== "rehearsal" && !history.summary)
    fit.turns = leftOutOf(run.claim.history, history.max_turns ?? TURN_POLICY.historyTurns)
  return {
    ref: null,
    name: null,
    system: instructionsOf(run),
    model,
    maxSteps: manifest.max_steps ?? TURN_POLICY.maxSteps,
    maxOutputTokens: run.turn.max_output_tokens ?? manifest.max_output_tokens,
    ...own,
    steps,
    fit,
    ...(form && { form }),
  }
}

async function openTools(run: Run, model: ModelRow): Promise<Toolbox> {
  const { ctx, claim, turn } = run
  const { signal } = run.time
  const { manifest } = claim.config
  const secrets = await openSecrets(ctx, { spaceId: turn.space_id, slug: turn.space, sealed: claim.secrets })
  const byDefault: BuiltinTool[] = model.engine === "openai-compatible" ? [] : DEFAULT_BUILTIN_TOOLS
  const builtinTools = manifest.builtin_tools ?? byDefault
  try {
    const containers = await openContainers(ctx, turn.space, claim.containers)
    const toolbox = await openToolbox(ctx, {
      turn,
      config: claim.config,
      containers,
      secrets,
      builtinTools,
      signal,
      painting: paintingOf(run, model),
    })
    run.leftOut = toolbox.leftOut
    await noteServers(run, toolbox)
    const { mcp_servers: servers, mcp_tokens: tokens, mcp_pins: pins } = claim.config
    // If this write is lost, admission counts the next turn with the previous listing or the allowance.
    const noted = noteListing(ctx, turn.space_id, {
      servers,
      listed: toolbox.listed,
      pins: toolbox.pins,
      speaks: toolbox.speaks,
      known: { tokens, pins },
    })
    ctx.background(
      noted.catch((error: unknown) =>
        ctx.log("error", "mcp.listing_unnoted", { turn_id: turn.turn_id, error: describeError(error) }),
      ),
    )
    return toolbox
  } catch (error) {
    if (signal.aborted) throw run.limit("TIMEOUT_REACHED")
    if (!(error instanceof McpError)) throw reasonOf(error)
    throw run.ended(failed(run, "MCP_SERVER_UNAVAILABLE", error.message))
  }
}

function outcomeOf(run: Run, agent: AgentWork, called: CalledStep | null): Outcome {
  const text = called?.step.answer.text ?? ""
  if (called?.cutByHold && called.step.answer.finish === "length") {
    return limitReached("COST_LIMIT_REACHED", run.transcript.partialResult(text), run.budget.boundBy)
  }
  const fault = called && answerFault(called.step.answer.finish)
  if (fault) {
    const message = `${fault.message} ${run.budget.cost > 0 ? "Its model calls are billed." : "Nothing was billed."}`
    return { ...failed(run, fault.code, message), result: run.transcript.partialResult(text) }
  }
  const steps = called ? [...agent.steps, rowOf(called)] : agent.steps
  const calls = called ? callsOfAnswer(run, agent, rowOf(called)) : []
  if (calls.length > 0) return calledOutcome(run, steps, calls)
  const checked = agent.form && checkedResult(agent.form, steps)
  if (!checked) return { state: "done", result: answerText(steps) }
  if (checked.fault === null) return { state: "done", result: checked.text, hasOutput: true }
  const message = `The result does not have the form of response_format. ${checked.fault} Its model calls are billed.`
  return { ...failed(run, "OUTPUT_INVALID", message), result: checked.text || null }
}

/** Ends a run that could not finish. Throws unexpected errors. */
async function end(run: Run, error: unknown): Promise<RunResult> {
  const { ctx, turn } = run
  if (error instanceof AgentFailed) return settle(run, failureOf(run, error))
  if (error instanceof TooManySteps) return end(run, run.limit("STEP_LIMIT_REACHED"))
  if (!(error instanceof RunEnd)) throw error
  switch (error.why.kind) {
    case "stale":
      return "stale"
    case "ended":
      return settle(run, error.why.outcome)
    case "unavailable":
      return retryLater(run, error.why.error)
    case "cooling":
      return waitForAccounts(run, error.why)
    case "crowded":
      return waitForMemory(run)
    case "wait":
      return wait(run)
    case "hand_over":
      return (await releaseTurn(ctx, turn, { broke: false, delayMs: 0 })) ? "handed_over" : "lost"
  }
}

/** Lets the turn wait for its calls or its limit. It waits for calls first: their results may change the next call. */
async function wait(run: Run): Promise<RunResult> {
  const { ctx, turn, claim } = run
  const outcome = await waitTurn(ctx, turn, {
    calls: run.waits,
    limit: run.waits.length > 0 ? null : run.lack,
    maxSeconds: turn.max_wait_seconds ?? claim.config.manifest.max_wait_seconds ?? WAIT_POLICY.usualSeconds,
  })
  if (outcome === "cancel") return end(run, run.cancel())
  run.pushes.tellGrown()
  if (outcome === "ready") await callRunner(ctx)
  return outcome === "stale" ? "stale" : outcome === "ready" ? "handed_over" : "waits"
}

async function settle(run: Run, outcome: Outcome, called?: CalledStep): Promise<RunResult> {
  const files = run.claim.steps.some(({ content }) => content.some((part) => part.type === "tool-call"))
  const events = [...(called?.events ?? []), ...callerEvents(outcome, run.ctx.clock.now())]
  const ended = await orNoted(run, called, () =>
    settleTurn(run.ctx, run.turn, outcome, { step: called?.step, events, files }),
  )
  if (!ended) await noteLost(run, called, "stale")
  run.pushes.tellGrown()
  return ended ? "settled" : "stale"
}

/**
 * Waits 2^n times the base, or as long as the provider asks. Gives up after maxModelFailures in a row, and at once if
 * the provider asks for more time than the turn has: until then it would hold money and could not succeed.
 */
async function retryLater(run: Run, error: AgentFailed["error"]): Promise<RunResult> {
  const { ctx, turn } = run
  const leftMs = Math.max(0, run.time.deadline - run.time.now)
  ctx.log("error", "model.unavailable", { turn_id: turn.turn_id, model: turn.model, error: describeError(error) })
  if (turn.model_failures + 1 >= TURN_POLICY.maxModelFailures) {
    const message = `The model did not answer after several attempts. ${billOf(run)}`
    return settle(run, failed(run, "MODEL_UNAVAILABLE", message, error.details))
  }
  if (error.retryAfterMs !== undefined && error.retryAfterMs > leftMs) {
    return settle(run, failed(run, "MODEL_UNAVAILABLE", tooLate(run, { ...error, leftMs }), error.details))
  }
  const wait = error.retryAfterMs ?? TURN_POLICY.modelBackoffMs * 2 ** turn.model_failures
  const delayMs = Math.min(Math.max(wait, TURN_POLICY.modelBackoffMs), TURN_POLICY.modelBackoffLimitMs, leftMs)
  return giveBack(run, { delayMs, reason: null })
}

function tooLate(
  run: Run,
  {
    status,
    retryAfterMs = 0,
    leftMs,
  }: { status: number | undefined; retryAfterMs?: number | undefined; leftMs: number },
): string {
  const [asked, left] = [Math.ceil(retryAfterMs / 1000), Math.floor(leftMs / 1000)]
  const http = status === undefined ? "" : ` (HTTP ${status})`
  return `The model's provider asks to wait ${asked} s${http}, and the turn has ${left} s left. ${billOf(run)}`
}

/** Rehearsal scripts and models choose their codes, so none makes a failure our loss. Only the sweep's end does. */
function failureOf(run: Run, { error }: AgentFailed): Outcome {
  if (error.kind === "failed") return failed(run, error.code ?? "FAILED", error.message)
  const { details } = error
  if (error.code === CONTEXT_TOO_LONG) return failed(run, CONTEXT_TOO_LONG, `${error.message} ${billOf(run)}`, details)
  const { code, message } = refusedAs(error)
  return failed(run, code, `${message} ${billOf(run)}`, details)
}

function failed(
  run: Run,
  code: string,
  message: string,
  details?: ProviderDetails,
): Extract<Outcome, { state: "failed" }> {
  return { state: "failed", code, message, details, ours: false, result: run.transcript.partialResult() }
}

const billOf = (run: Run) => (run.budget.cost > 0 ? "The model calls before that are billed." : "Nothing was billed.")

/** Releases a turn whose run failed. The attempt stays counted, and more attempts mean a longer wait. */
export async function giveUp(ctx: Context, turn: TurnRow): Promise<RunResult> {
  const { brokenMs } = TURN_POLICY
  const delayMs = brokenMs[Math.min(turn.attempts, brokenMs.length) - 1] ?? 0
  if (!(await releaseTurn(ctx, turn, { broke: true, delayMs }))) return "lost"
  await callRunner(ctx, { delayMs })
  return "broke"
}

/** Releases the lease. Returns false if that fails too: then the lease expires, and the next runner takes over. */
export async function releaseTurn(
  ctx: Context,
  { turn_id, epoch }: TurnRow,
  { broke, delayMs }: { broke: boolean; delayMs: number },
): Promise<boolean> {
  try {
    const wake_at = new Date(ctx.clock.now().getTime() + delayMs)
    await call(ctx.db, "release_turn", { turn_id, epoch, broke, wake_at })
    return true
  } catch (error) {
    ctx.log("error", "turn.release_failed", { turn_id, error: describeError(error) })
    return false
  }
}

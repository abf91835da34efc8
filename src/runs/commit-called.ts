import { wireBytes } from "../agent-config/request-parts.ts"
import { type LossCause, noteLoss } from "../billing/losses.ts"
import type { FinishedStep } from "../turns/step-row.ts"
import { pendingCalls, type StepRow } from "../turns/step-row.ts"
import type { EventDraft } from "../turns/turn-event.ts"
import { commitAnswer } from "./commit-step.ts"
import type { AgentWork, Run } from "./run.ts"
import { announceCalls } from "./run-calls.ts"

/** A model call that returned, or was cut off after it had produced output. It is not committed yet. */
export interface CalledStep {
  step: FinishedStep
  /** The step's start, the rest of its text, and its end. */
  events: EventDraft[]
  /** True if the hold, not the configuration, limited its output. */
  cutByHold: boolean
}

/**
 * Commits a called step and appends it to the steps of its agent. If the turn belongs to another worker now, the run
 * ends and the cost of the step is our loss.
 */
export async function commitCalled(run: Run, agent: AgentWork, called: CalledStep): Promise<void> {
  const row = rowOf(called)
  const allowsCallsFrom = pendingCalls(row).length > 0 ? { allowsCallsFrom: run.time.now } : {}
  const events = [...called.events, ...announceCalls(agent, row, run.ctx.clock.now())]
  const turn = await orNoted(run, called, () => commitAnswer(run.ctx, run.turn, called.step, events, run.route.known()))
  if (!turn) await noteLost(run, called, "stale")
  agent.steps.push(row)
  if (agent.ref === null) run.claim.steps.push(row)
  run.committed(turn, { ...allowsCallsFrom, bytes: wireBytes(row.content) })
}

/** Runs a commit of a called step. If it fails for good, the cost of the answer is noted as our loss. */
export async function orNoted<T>(run: Run, called: CalledStep | undefined, commit: () => Promise<T>): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    await noteLost(run, called, "uncommitted")
    throw error
  }
}

/** Notes the cost of a lost answer as our loss, unless the answer was committed after all. */
export async function noteLost(run: Run, called: CalledStep | undefined, cause: LossCause): Promise<void> {
  if (called) await noteLoss(run.ctx, run.turn, { step: called.step.step, cause, micros: called.step.price })
}

export function rowOf({ step: { step, agent, answer } }: CalledStep): StepRow {
  return { step, agent, text: answer.text, content: answer.content, finish: answer.finish, results: {} }
}

import { wireBytes } from "../agent-config/request-parts.ts"
import { type LossCause, noteLoss } from "../billing/losses.ts"
import type { FinishedStep } from "../turns/step-row.ts"
import { pendingCalls, type StepRow } from "../turns/step-row.ts"
import type { EventDraft } from "../turns/turn-event.ts"
import { commitAnswer } from "./commit-step.ts"
import type { AgentWork, Run } from "./run.ts"
import { announceCalls } from "./run-calls.ts"

/** A model call that came back, or was cut off after it had said something; not committed yet. */
export interface CalledStep {
  step: FinishedStep
  /** The step's start, the rest of its text, and its end. */
  events: EventDraft[]
  /** The hold, not the configuration, limited what it could say. */
  cutByHold: boolean
}

/**
 * Commits a called step and adds it to its agent's. Ends the run when the turn is no longer this worker's; then the step's cost is our
 * loss.
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

/** Runs a commit of a called step. When it fails for good, the answer is lost. */
export async function orNoted<T>(run: Run, called: CalledStep | undefined, commit: () => Promise<T>): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    await noteLost(run, called, "uncommitted")
    throw error
  }
}

/** Notes that an answer is lost, unless it was committed after all. */
export async function noteLost(run: Run, called: CalledStep | undefined, cause: LossCause): Promise<void> {
  if (called) await noteLoss(run.ctx, run.turn, { step: called.step.step, cause, micros: called.step.price })
}

export function rowOf({ step: { step, agent, answer } }: CalledStep): StepRow {
  return { step, agent, text: answer.text, content: answer.content, finish: answer.finish, results: {} }
}

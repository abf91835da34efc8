import { wireBytes } from "../agent-config/request-parts.ts"
import { noteLoss } from "../billing/losses.ts"
import { commitAnswer } from "./commit-step.ts"
import type { AgentWork, Run } from "./run.ts"
import { announceCalls } from "./run-calls.ts"
import type { FinishedStep } from "./step-row.ts"
import { pendingCalls, type StepRow } from "./step-row.ts"
import type { EventDraft } from "./turn-event.ts"

/** A model call that came back, or was cut off when it had said something; not committed yet. */
export interface CalledStep {
  step: FinishedStep
  /** The step's start, the rest of its text, and its end. */
  events: EventDraft[]
  /** The hold, not the configuration, limited what it could say. */
  cutByHold: boolean
}

/** Commits a called step and adds it to its agent's. Ends the run when it was not this worker's any more: what it cost is our loss. */
export async function commitCalled(run: Run, agent: AgentWork, called: CalledStep): Promise<void> {
  const row = rowOf(called)
  const allowsCallsFrom = pendingCalls(row).length > 0 ? { allowsCallsFrom: run.now } : {}
  const events = [...called.events, ...announceCalls(agent, row, run.ctx.clock.now())]
  const turn = await commitAnswer(run.ctx, run.turn, called.step, events)
  if (!turn) await noteStale(run, called.step)
  agent.steps.push(row)
  if (agent.ref === null) run.claim.steps.push(row)
  run.committed(turn, { ...allowsCallsFrom, bytes: wireBytes(row.content) })
}

/** Notes an answer that came when the turn was another worker's. */
export function noteStale(run: Run, { step, price }: FinishedStep): Promise<void> {
  return noteLoss(run.ctx, run.turn, { step, cause: "stale", micros: price })
}

export function rowOf({ step: { step, agent, answer } }: CalledStep): StepRow {
  return { step, agent, text: answer.text, content: answer.content, finish: answer.finish, results: {} }
}

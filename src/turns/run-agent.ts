import type { Message } from "../agent/engine.ts"
import { wireBytes } from "../agent-config/request-parts.ts"
import { type CalledStep, callStep } from "./call-step.ts"
import { commitAnswer } from "./commit-step.ts"
import { type AgentWork, type Run, RunEnd } from "./run.ts"
import { announceCalls, runCalls } from "./run-calls.ts"
import { isAnswer, pendingCalls, type StepRow } from "./step-row.ts"

/** The agent took more model calls than it may. */
export class TooManySteps extends Error {
  override name = "TooManySteps"
}

/**
 * Takes an agent from its last committed step to its last answer: model call → commit → tool calls → commit, again and
 * again. The answer comes back uncommitted for the turn's own agent, since it is committed with the turn's end; null when
 * a sub-agent's was committed by an earlier worker. Throws RunEnd, AgentFailed, TooManySteps.
 */
export async function runAgent(run: Run, agent: AgentWork, opening: Message[]): Promise<CalledStep | null> {
  for (;;) {
    run.checkpoint()
    const last = agent.steps.at(-1)
    if (last && pendingCalls(last).length > 0) {
      await runCalls(run, agent, last)
    } else if (last && isAnswer(last)) {
      return null
    } else {
      if (agent.steps.length >= agent.maxSteps) throw new TooManySteps()
      const called = await callStep(run, agent, opening)
      if (agent.ref === null && isAnswer(rowOf(called))) return called
      await commit(run, agent, called)
      if (run.tired && pendingCalls(rowOf(called)).length === 0) throw new RunEnd({ kind: "hand_over" })
      continue
    }
    run.checkpoint()
    if (run.tired) throw new RunEnd({ kind: "hand_over" })
  }
}

async function commit(run: Run, agent: AgentWork, called: CalledStep): Promise<void> {
  const row = rowOf(called)
  const allowsCallsFrom = pendingCalls(row).length > 0 ? { allowsCallsFrom: run.now } : {}
  const events = [...called.events, ...announceCalls(agent, row, run.ctx.clock.now())]
  const turn = await commitAnswer(run.ctx, run.turn, called.step, events)
  agent.steps.push(row)
  if (agent.ref === null) run.claim.steps.push(row)
  run.committed(turn, { ...allowsCallsFrom, bytes: wireBytes(row.content) })
}

function rowOf({ step: { step, agent, answer } }: CalledStep): StepRow {
  return { step, agent, text: answer.text, content: answer.content, finish: answer.finish, results: {} }
}

import { isAnswer, pendingCalls, type StepRow } from "../turns/step-row.ts"
import type { Opening } from "./build-call.ts"
import { callStep } from "./call-step.ts"
import { callsOfAnswer } from "./caller-calls.ts"
import { checkedResult } from "./checked-result.ts"
import { type CalledStep, commitCalled, rowOf } from "./commit-called.ts"
import type { AgentWork, Run } from "./run.ts"
import { runCalls } from "./run-calls.ts"
import { RunEnd } from "./run-end.ts"

/** The agent reached its limit of model calls. */
export class TooManySteps extends Error {
  override name = "TooManySteps"
}

/**
 * Runs an agent from its last committed step to its last answer: model call → commit → tool calls → commit, in a
 * loop. The last answer of the space's own agent, or calls of the caller's tools alone, are committed with the turn's
 * end and returned. Null for sub-agents. Throws RunEnd, AgentFailed or TooManySteps.
 */
export async function runAgent(run: Run, agent: AgentWork, opening: Opening): Promise<CalledStep | null> {
  if (agent.ref === null) run.opening = opening.own
  for (;;) {
    run.checkpoint()
    const last = agent.steps.at(-1)
    if (last && pendingCalls(last).length > 0) {
      await runCalls(run, agent, last)
    } else if (last && isAnswer(last, agent.steps.at(-2)) && !isRepairable(agent, agent.steps)) {
      return null
    } else {
      if (countSteps(agent.steps) >= agent.maxSteps) throw new TooManySteps()
      const called = await callStep(run, agent, opening)
      // The hold has cut the answer off: the turn waits, and continues from its text.
      if (run.waitsForLimit && called.cutByHold && called.step.answer.finish === "length") {
        const { answer } = called.step
        const content = answer.content.filter(({ type }) => type !== "tool-call")
        called.step.answer = { ...answer, content, finish: "aborted" }
      } else if (agent.ref === null && isAnswer(rowOf(called), last)) {
        if (called.cutByHold || !isRepairable(agent, [...agent.steps, rowOf(called)])) return called
      } else if (callsOfAnswer(run, agent, rowOf(called)).length > 0) return called
      await commitCalled(run, agent, called)
      if (run.time.isTired && pendingCalls(rowOf(called)).length === 0) throw new RunEnd({ kind: "hand_over" })
      continue
    }
    run.checkpoint()
    if (run.time.isTired) throw new RunEnd({ kind: "hand_over" })
  }
}

/** Aborted steps do not count towards the agent's limit. */
const countSteps = (steps: readonly StepRow[]) => steps.filter(({ finish }) => finish !== "aborted").length

/**
 * True if the last step is an answer without the form, and the model can be asked to correct it: it was not asked
 * before, and has a call left. The steps alone decide, so each worker decides the same.
 */
function isRepairable({ form, maxSteps }: AgentWork, steps: readonly StepRow[]): boolean {
  if (!form || (checkedResult(form, steps)?.fault ?? null) === null || countSteps(steps) >= maxSteps) return false
  return !steps.slice(0, -1).some((_, at) => checkedResult(form, steps.slice(0, at + 1)) !== null)
}

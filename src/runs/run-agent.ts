import { isAnswer, pendingCalls } from "../turns/step-row.ts"
import type { Opening } from "./build-call.ts"
import { callStep } from "./call-step.ts"
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
 * loop. The answer of the space's own agent is returned uncommitted, because it is committed with the turn's end.
 * Null if the answer is committed, as for sub-agents. Throws RunEnd, AgentFailed or TooManySteps.
 */
export async function runAgent(run: Run, agent: AgentWork, opening: Opening): Promise<CalledStep | null> {
  for (;;) {
    run.checkpoint()
    const last = agent.steps.at(-1)
    if (last && pendingCalls(last).length > 0) {
      await runCalls(run, agent, last)
    } else if (last && isAnswer(last, agent.steps.at(-2))) {
      return null
    } else {
      // Aborted steps do not count towards the agent's limit.
      if (agent.steps.filter(({ finish }) => finish !== "aborted").length >= agent.maxSteps) throw new TooManySteps()
      const called = await callStep(run, agent, opening)
      // The hold has cut the answer off: the turn waits, and continues from its text.
      if (run.waitsForLimit && called.cutByHold && called.step.answer.finish === "length") {
        const { answer } = called.step
        const content = answer.content.filter(({ type }) => type !== "tool-call")
        called.step.answer = { ...answer, content, finish: "aborted" }
      } else if (agent.ref === null && isAnswer(rowOf(called), last)) return called
      await commitCalled(run, agent, called)
      if (run.time.isTired && pendingCalls(rowOf(called)).length === 0) throw new RunEnd({ kind: "hand_over" })
      continue
    }
    run.checkpoint()
    if (run.time.isTired) throw new RunEnd({ kind: "hand_over" })
  }
}

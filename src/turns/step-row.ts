import { type AssistantPart, callsOf, type ModelAnswer, type ToolOutput } from "../agent/engine.ts"

/** A committed step: what the model said, and what its calls have answered so far, by their place. */
export interface StepRow {
  step: number
  agent: string | null
  text: string
  content: AssistantPart[]
  finish: ModelAnswer["finish"]
  results: Record<string, ToolOutput>
}

/** The places of a step's calls that have no result yet. */
export function pendingCalls({ content, results }: StepRow): number[] {
  return callsOf(content).flatMap((_, index) => (results[index] ? [] : [index]))
}

/** Nothing follows it: no calls, not the "more" of a rehearsed step, and not cut off. */
export function isAnswer({ content, finish }: StepRow): boolean {
  return finish !== "more" && finish !== "aborted" && callsOf(content).length === 0
}

type Said = Pick<StepRow, "text" | "finish">

/** An agent's last answer: what was cut off right before it is its beginning. */
export function answerText(steps: readonly Said[]): string {
  const begins = steps.findLastIndex(({ finish }, at) => finish !== "aborted" && at < steps.length - 1) + 1
  return joinedText(steps.slice(begins))
}

/** All that an agent has said: answers in paragraphs, pieces of one together. */
export function joinedText(steps: readonly Said[]): string {
  return steps.reduce((all, { text }, at) => {
    const goesOn = steps[at - 1]?.finish === "aborted"
    return all === "" || text === "" || goesOn ? all + text : `${all}\n\n${text}`
  }, "")
}

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

/** Nothing follows it: no calls, and not the "more" of a rehearsed step. */
export function isAnswer({ content, finish }: StepRow): boolean {
  return finish !== "more" && callsOf(content).length === 0
}

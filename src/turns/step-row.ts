import { type AssistantPart, callsOf, type EngineName, type ModelAnswer, type ToolOutput } from "../agent/engine.ts"

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

/** A model call that came back: what its commit writes. */
export interface FinishedStep {
  /** Its number in the turn, over all agents: 0, 1, 2, … */
  step: number
  /** The call that the sub-agent works for; null for the space's own agent. */
  agent: string | null
  answer: ModelAnswer
  provider: EngineName
  pin: string
  priceVersion: number
  /** Credit micros, already bounded by what is left of the hold. */
  cost: number
  durationSec: number
}

/** A step as the procedures take it. */
export function stepArgument({ step, agent, answer, provider, pin, priceVersion, cost, durationSec }: FinishedStep) {
  const { usage, text, content, finish } = answer
  return {
    step,
    agent,
    text,
    content,
    calls: callsOf(content).length,
    finish,
    cost,
    provider,
    model: pin,
    tokens_input: usage.tokensInput,
    tokens_cached: usage.tokensCached,
    tokens_output: usage.tokensOutput,
    duration_sec: durationSec,
    price_version: priceVersion,
  }
}

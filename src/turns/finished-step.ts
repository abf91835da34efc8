import { callsOf, type EngineName, type ModelAnswer } from "../agent/engine.ts"

/** A model call that came back, or was cut off when it had said something: what its commit writes. */
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
  /** The same, as all its tokens come to: what is above the cost is our loss. */
  price: number
  durationSec: number
}

/** A step as the procedures take it. */
export function stepArgument(finished: FinishedStep) {
  const { step, agent, answer, provider, pin, priceVersion, cost, price, durationSec } = finished
  const { usage, text, content, finish } = answer
  return {
    step,
    agent,
    text,
    content,
    calls: callsOf(content).length,
    finish,
    cost,
    price,
    provider,
    model: pin,
    tokens_input: usage.tokensInput,
    tokens_cached: usage.tokensCached,
    tokens_cache_written: usage.tokensCacheWritten ?? 0,
    tokens_output: usage.tokensOutput,
    duration_sec: durationSec,
    price_version: priceVersion,
  }
}

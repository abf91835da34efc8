import type { Message, ModelCall } from "../agent/engine.ts"
import { promptTokenBound } from "../agent/estimate.ts"
import { affordableOutput, type Price, worstPriceOf } from "../billing/price.ts"
import type { Context } from "../context.ts"
import type { Claim } from "./claim-turn.ts"
import { growHold } from "./grow-hold.ts"
import { TURN_POLICY } from "./policies.ts"

/** The next model call of a claimed turn, before its output is bounded by the hold. */
export function buildCall(claim: Claim, step: number): ModelCall {
  const { turn, manifest, model } = claim
  const limit = Math.min(manifest.max_output_tokens ?? model.max_output_tokens, model.max_output_tokens)
  return {
    engine: model.engine,
    model: model.model,
    ...(manifest.instructions && { system: manifest.instructions }),
    ...(manifest.temperature !== undefined && { temperature: manifest.temperature }),
    messages: [...historyMessages(claim), { role: "user", content: turn.text }],
    maxOutputTokens: limit,
    step,
    attempt: turn.model_failures,
  }
}

function historyMessages({ history }: Claim): Message[] {
  return history.flatMap(({ text, result }): Message[] => [
    { role: "user", content: text },
    { role: "assistant", content: result },
  ])
}

export interface BoundedCall {
  call: ModelCall
  /** True when the hold, not the configuration, limits the output. */
  cutByHold: boolean
}

/**
 * Bounds a call so that its worst case fits into what is left of the hold; grows the hold when that is too little.
 * "stale" when the epoch is; "cost_limit" when not even a short answer can be paid.
 */
export async function boundCall(
  ctx: Context,
  claim: Claim,
  price: Price,
  call: ModelCall,
): Promise<BoundedCall | "cost_limit" | "stale"> {
  const { turn } = claim
  const prompt = promptTokenBound(call)
  const wanted = call.maxOutputTokens
  const affordable = () => affordableOutput(price, prompt, turn.hold_credit_micros - turn.cost_credit_micros)
  if (affordable() < wanted) {
    const missing = worstPriceOf(price, prompt, wanted) - (turn.hold_credit_micros - turn.cost_credit_micros)
    const hold = await growHold(ctx, turn, missing)
    if (hold === null) return "stale"
    turn.hold_credit_micros = hold
  }
  const output = Math.min(wanted, affordable())
  if (output < Math.min(wanted, TURN_POLICY.minOutputTokens)) return "cost_limit"
  return { call: { ...call, maxOutputTokens: output }, cutByHold: output < wanted }
}

import type { ModelError } from "../agent/engine.ts"
import { CAP_WORDS } from "../quotas/caps.ts"
import type { HoldBound } from "./grow-hold.ts"
import type { Outcome } from "./settle-turns.ts"

/** Why a run stops before its agent has finished. It is thrown to leave an agent and its sub-agents at once. */
export class RunEnd extends Error {
  readonly why:
    | { kind: "stale" }
    | { kind: "hand_over" }
    | { kind: "ended"; outcome: Outcome }
    | { kind: "unavailable"; error: ModelError }
    /** No account of the engine can be called now. `until`: the first recovery in ms; infinite: none by itself. */
    | { kind: "cooling"; engine: string; until: number }
    /** The turn waits for a limit, or for the calls in `Run.waits`. */
    | { kind: "wait" }
    /** The isolate has no memory for a call's images and documents. */
    | { kind: "crowded" }

  constructor(why: RunEnd["why"]) {
    super(why.kind)
    this.name = "RunEnd"
    this.why = why
  }
}

export type LimitCode = keyof typeof LIMIT_MESSAGES

/**
 * The outcome of a turn that reached a limit. The work until then is billed. `boundBy`: the limit that caused
 * COST_LIMIT_REACHED. `grown`: the first model call costs more than when the turn was accepted.
 */
export function limitReached(
  code: LimitCode,
  result: string | null,
  boundBy: HoldBound | null = null,
  { grown = false } = {},
): Outcome {
  const message = code === "COST_LIMIT_REACHED" ? costMessage(boundBy, grown) : LIMIT_MESSAGES[code]
  return { state: "failed", code, message, ours: false, result }
}

function costMessage(boundBy: HoldBound | null, grown: boolean): string {
  if (boundBy === null || boundBy === "max_cost") return LIMIT_MESSAGES.COST_LIMIT_REACHED
  const end = ENDS[boundBy]
  if (grown) return `${GROWN} It reached ${end}: the rest does not pay for the call.`
  return `The turn reached ${end}: the rest does not pay for its next model call.`
}

const ENDS: Record<Exclude<HoldBound, "max_cost">, string> = {
  ...CAP_WORDS,
  balance: "the end of the balance",
  end_user_credit: "the end of the end user's credit",
}

const GROWN =
  "The turn's first model call costs more than when the turn was accepted: since then its space's configuration, the tools of its MCP " +
  "servers, the answers of earlier turns of its conversation or the model's price have changed."

const LIMIT_MESSAGES = {
  TIMEOUT_REACHED: "The turn took longer than its timeout_seconds.",
  STEP_LIMIT_REACHED: "The agent reached its limit of model calls.",
  COST_LIMIT_REACHED: "The turn reached its max_cost_usd: the rest does not pay for the next model call.",
  TRANSCRIPT_LIMIT_REACHED: "The output of the model and its tools is larger than a turn can hold.",
}

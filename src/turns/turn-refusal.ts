import type { Actor } from "../actor/actor.ts"
import { dailyExceeded } from "../base/counted.ts"
import type { TurnpikeError } from "../base/errors.ts"
import type { Answers } from "../platform/procedures.ts"
import { HOLD_REFUSAL_ERRORS, type HoldRow, holdRefusal } from "../quotas/refusal.ts"
import { ADMISSION_REFUSAL_ERRORS, admissionRefusal } from "./admission.ts"
import type { Called } from "./caller-tools.ts"
import { TURN_POLICY } from "./policies.ts"
import type { CreateTurn } from "./schemas.ts"

interface RefusedTurn {
  outcome: string | null
  hold: Answers["hold_state"] | null
  too_many: Answers["test_turn_count"] | null
  most_output: number | null
  /** Missing in a refusal that is remembered. */
  open_calls?: Answers["open_calls"] | null
}

export const TURN_REFUSAL_ERRORS = [...HOLD_REFUSAL_ERRORS, ...ADMISSION_REFUSAL_ERRORS] as const

/** The error for a turn that `accept_turn` or `check_turn` refused. */
export function turnRefusal(
  { outcome, hold, too_many: tooMany, most_output: mostOutput, open_calls: openCalls }: RefusedTurn,
  { now, actor, body }: { now: Date; actor: Actor; body: CreateTurn },
): TurnpikeError {
  if (outcome === "test_turns" && tooMany) {
    return dailyExceeded({ ...tooMany, retry_after: tooMany.retry_after ?? TURN_POLICY.testTurnsAgainSeconds })
  }
  if ((outcome === "no_hold" || outcome === "max_cost") && hold) return holdRefusal(hold as HoldRow, now, actor)
  return admissionRefusal(outcome ?? "", body, { mostOutput, openCalls: (openCalls?.calls ?? null) as Called[] | null })
}

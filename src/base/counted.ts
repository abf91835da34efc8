import * as z from "zod"
import { TurnpikeError } from "./errors.ts"

/** All counted limits of an account, with their descriptions. Limits of spending are in src/quotas/. */
export const COUNTED = {
  open_test_turns: "test turns that have not ended",
  daily_test_turns: "test turns sent within a day",
  keys: "API keys, revoked and expired ones included",
  daily_key_changes: "API keys created, changed or rotated within a day",
  members: "members, open invitations included",
  daily_invitations: "invitations of members within a day",
  end_users: "end users with limits or a profile of their own",
  spaces: "spaces, archived ones included",
  config_bytes: "bytes of configuration, including kept versions and secrets",
  files: "files",
  file_bytes: "bytes of files",
  resent_events: "events sent again to one webhook within an hour",
} as const

export type CountedCap = keyof typeof COUNTED

export const countStateSchema = z
  .object({
    cap: z.enum(Object.keys(COUNTED) as [CountedCap, ...CountedCap[]]).meta({
      description: Object.entries(COUNTED)
        .map(([cap, words]) => `\`${cap}\`: ${words}.`)
        .join(" "),
    }),
    limit: z.int(),
    used: z
      .int()
      .meta({ description: "Can exceed `limit` after the limit was lowered, since nothing is removed then." }),
  })
  .meta({ id: "CountState", example: { cap: "open_test_turns", limit: 500, used: 12 } })

export type CountState = z.infer<typeof countStateSchema>

/** The state as procedures return it, with the cap as a plain text. */
type AnsweredCount = Omit<CountState, "cap"> & { cap: string }

const refusal = ({ cap, limit, used }: AnsweredCount) =>
  `An account has at most ${limit} ${COUNTED[cap as CountedCap]}; there are ${used}.`

/** 429 for a daily limit. `retry_after`, from the procedure, is the number of seconds until there is room again. */
export const dailyExceeded = ({ retry_after, ...state }: AnsweredCount & { retry_after: number }) =>
  countExceeded(state, retry_after)

/** 429, for limits where waiting helps. `retryAfter` is in whole seconds. */
export function countExceeded(state: AnsweredCount, retryAfter: number): TurnpikeError {
  return new TurnpikeError("QUOTA_EXCEEDED", refusal(state), { details: state, retryAfter })
}

/** 409, for limits where waiting does not help: the account removes something, or an operator raises the limit. */
export function countReached(state: AnsweredCount): TurnpikeError {
  return new TurnpikeError("LIMIT_REACHED", refusal(state), { details: state })
}

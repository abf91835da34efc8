import * as z from "zod"
import { TurnpikeError } from "./errors.ts"

/** Everything of which an account may have only so many, with the words for it in a sentence. What it may spend: src/quotas/. */
export const COUNTED = {
  open_test_turns: "test turns that have not ended",
  daily_test_turns: "test turns that were sent within a day",
  keys: "API keys, revoked and expired ones included",
  daily_key_changes: "API keys that were created, changed or rotated within a day",
  end_users: "end users with limits of their own",
  spaces: "spaces, archived ones included",
  config_bytes: "bytes of configuration, with the versions that are kept and secrets",
  files: "files",
  file_bytes: "bytes of files",
  resent_events: "events that one webhook is sent again within an hour",
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
    used: z.int().meta({ description: "More than `limit` after the limit was lowered: what is there stays." }),
  })
  .meta({ id: "CountState", example: { cap: "open_test_turns", limit: 500, used: 12 } })

export type CountState = z.infer<typeof countStateSchema>

/** The same as procedures answer it: to them a cap is any text. */
type AnsweredCount = Omit<CountState, "cap"> & { cap: string }

const refusal = ({ cap, limit, used }: AnsweredCount) =>
  `An account has at most ${limit} ${COUNTED[cap as CountedCap]}; there are ${used}.`

/** 429, as a procedure says of a limit of a day: also in how many seconds there is room again. */
export const dailyExceeded = ({ retry_after, ...state }: AnsweredCount & { retry_after: number }) =>
  countExceeded(state, retry_after)

/** 429: waiting helps. `retryAfter` is whole seconds. */
export function countExceeded(state: AnsweredCount, retryAfter: number): TurnpikeError {
  return new TurnpikeError("QUOTA_EXCEEDED", refusal(state), { details: state, retryAfter })
}

/** 409: only removing something helps, or an operator who raises the limit. */
export function countReached(state: AnsweredCount): TurnpikeError {
  return new TurnpikeError("LIMIT_REACHED", refusal(state), { details: state })
}

import { toInstant } from "../base/time.ts"
import { CAP_NAMES, CAPS } from "../quotas/caps.ts"
import type { StoredWaiting } from "./turn-row.ts"

/** The limits that an end user can know. All others are the owner's. */
const OF_END_USER = [
  "end_user_credit",
  ...CAP_NAMES.filter((name) => CAPS[name].subject === "end_user"),
] as readonly string[]

/** A wait as the turn's end user sees it: without amounts, inputs of calls and limits of the owner. */
export const waitForEndUser = (waiting: StoredWaiting | null) =>
  waiting && {
    for: waiting.for,
    limit: waiting.limit && OF_END_USER.includes(waiting.limit.kind) ? waiting.limit.kind : null,
    expires_at: toInstant(waiting.expires_at),
    calls: waiting.calls.map(({ call, tool, for: what }) => ({ call, tool, for: what })),
  }

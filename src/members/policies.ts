import { DAY_MS } from "../base/time.ts"

/** How long an invitation can be accepted. Expired ones are deleted together with old sessions. */
export const INVITATION_POLICY = { lifeMs: 7 * DAY_MS } as const

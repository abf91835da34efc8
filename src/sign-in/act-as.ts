import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs, type Refusals } from "../actor/edit-as.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { ACTING_POLICY } from "./policies.ts"
import { newToken } from "./session-token.ts"

export const actingSchema = z
  .object({
    user_id: z.int().meta({ description: "The user whose account the admin views." }),
    admin_user_id: z.int().meta({ description: "The admin who acts as the user.", example: 1 }),
    expires_at: z.iso.datetime().meta({ example: "2026-01-15T10:00:00.000Z" }),
  })
  .meta({ id: "Acting" })

type Acting = z.infer<typeof actingSchema>

const REFUSALS = {
  unknown: ["NOT_FOUND", "There is no user with this id."],
  reason: ["VALIDATION_FAILED", "State the reason in `reason`: the service asks for one before texts are shown."],
  not_allowed: ["ACTING_NOT_ALLOWED", "You cannot act as an admin or as a disabled user."],
} as const satisfies Refusals

export const BEGIN_ACTING_ERRORS = ["NOT_FOUND", "ACTING_NOT_ALLOWED"] as const

/**
 * Starts a read-only session of an admin as a user. `token` belongs in the cookie. Throws NOT_FOUND,
 * ACTING_NOT_ALLOWED, or VALIDATION_FAILED if the service asks for a reason.
 */
export async function beginActing(
  ctx: Context,
  credential: SessionCredential,
  { userId, reason }: { userId: number; reason: string | null },
): Promise<{ token: string; acting: Acting }> {
  const now = ctx.clock.now()
  const token = newToken("acting", now)
  const acting = await editAs(ctx, credential, "begin_acting", {
    args: { user_id: userId, token, expires_at: new Date(now.getTime() + ACTING_POLICY.lifeMs), reason },
    refusals: REFUSALS,
    serialize: (row: Answers["acting_answer"]): Acting => ({ ...row, expires_at: toInstant(row.expires_at) }),
  })
  return { token, acting }
}

/** Operations below /api/account that show texts: of turns, files, events, deliveries or search results. */
const SHOWS_TEXTS = /\/(turns|files|events|deliveries|search|export|approvals|waiting)(\/|$)/

/** Records that an admin reads texts while acting as a user, before anything is read. Once per path. */
export async function noteActingRead(ctx: Context, credential: SessionCredential, path: string): Promise<void> {
  if (SHOWS_TEXTS.test(path)) await callAs(ctx, credential, "note_acting_read", { path })
}

/** Ends all acting sessions of a user, whichever admin started them. Throws NOT_FOUND. */
export async function endActing(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
): Promise<{ ended: number }> {
  return editAs(ctx, credential, "end_acting", {
    args: { user_id: userId },
    refusals: REFUSALS,
    serialize: (row: Answers["ended_answer"]) => row,
  })
}

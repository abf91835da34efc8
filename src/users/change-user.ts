import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context, SystemContext } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { endUserTurns } from "../ending/causes.ts"
import { callOne } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { serializeUser, type User, type UserRow } from "./user-row.ts"

/** What an admin may do to an account. */
export type UserChange = "disable" | "enable" | { role: "user" | "admin" }

/**
 * Disables an account (its sessions, keys and webhooks end with the next request, its turns at once or by the sweeper), enables it
 * again (its webhooks go on, its sessions do not), or sets its role. It applies to the next request, and is in the audit log. Repeating
 * it gives the same answer. NOT_FOUND; LAST_ADMIN when no admin who can sign in would be left; ADMIN_REQUIRED.
 */
export async function changeUser(
  ctx: Context,
  credential: SessionCredential,
  userId: number,
  change: UserChange,
): Promise<User> {
  const args = argumentsOf(userId, change)
  const { row } = await callAs(ctx, credential, "change_user", args)
  const user = answerOf(userId, row)
  // If this is lost, the sweeper does it within a minute.
  if (change === "disable") ctx.background(endUserTurns(ctx, userId).catch(() => {}))
  return user
}

/** The same, by the command line. */
export async function changeUserAsSystem(ctx: SystemContext, userId: number, change: UserChange): Promise<User> {
  const { requestId: request_id, address } = ctx
  const request = { kind: null, token: null, test: null, moment: ctx.clock.now(), request_id, address }
  const args = { request, ...argumentsOf(userId, change) }
  return answerOf(userId, await callOne(ctx.db, "change_user", args))
}

function argumentsOf(userId: number, change: UserChange) {
  const { action, role } = typeof change === "string" ? { action: change, role: null } : { action: "role", ...change }
  return { user_id: userId, change: action, role }
}

function answerOf(
  userId: number,
  { refused, account }: Pick<Procedures["change_user"]["row"], "refused" | "account">,
): User {
  if (account) return serializeUser(account as UserRow)
  if (refused === "unknown") throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  throw new TurnpikeError("LAST_ADMIN", "This is the last admin who can sign in.")
}

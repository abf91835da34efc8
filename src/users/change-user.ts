import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context, SystemContext } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { endUserTurns } from "../ending/causes.ts"
import { callOne } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { serializeUser, type User, type UserRow } from "./user-row.ts"

/** The changes that an admin can make to an account. */
export type UserChange = "disable" | "enable" | { role: "user" | "admin" }

/**
 * Disables an account, enables it or sets its role; a repetition returns the same answer. Disabling also ends the turns
 * of the account. Enabling restores its webhooks, but not its sessions. NOT_FOUND, LAST_ADMIN, ADMIN_REQUIRED.
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
  // If this call is lost, the sweeper ends the turns within a minute.
  if (change === "disable") ctx.background(endUserTurns(ctx, userId).catch(() => {}))
  return user
}

const NO_PAGE = { page_user: null, page_account: null }

/** Changes an account for the command line. */
export async function changeUserAsSystem(ctx: SystemContext, userId: number, change: UserChange): Promise<User> {
  const { requestId: request_id, address } = ctx
  const request = {
    kind: null,
    token: null,
    test: null,
    moment: ctx.clock.now(),
    request_id,
    address,
    ...NO_PAGE,
    if_config: null,
    needs: null,
  }
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

import type { SystemContext } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"

const REFUSALS: Record<string, string> = {
  unknown_account: "There is no such account.",
  unknown: "There is no such user, or the user is disabled.",
  member_factor: "The account requires a second factor of its people, and the user has none.",
}

/** Makes a user an owner of an account, for the command line. Returns what was done. */
export async function nameOwner(ctx: SystemContext, ids: { account: number; person: number }): Promise<string> {
  const times = { request_id: ctx.requestId, moment: ctx.clock.now() }
  const { refused, former } = await callOne(ctx.db, "name_owner", { ...ids, ...times })
  if (refused !== null) throw new Error(REFUSALS[refused])
  if (former === "owner") return "The user is an owner of the account already."
  return `User ${ids.person} is an owner of account ${ids.account}. The role before: ${former ?? "none"}.`
}

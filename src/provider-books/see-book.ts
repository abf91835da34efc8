import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"

/** Marks the findings of a day as seen, for admins. Throws NOT_FOUND. */
export async function seeBook(
  ctx: Context,
  credential: SessionCredential,
  { providerId, day }: { providerId: string; day: string },
): Promise<void> {
  const { row } = await callAs(ctx, credential, "note_book_seen", { provider_id: providerId, day })
  if (row.refused !== null) throw notCompared()
}

/** The same for the command line. */
export async function seeBookAsSystem(
  { db, clock }: Pick<Context, "db" | "clock">,
  { providerId, day }: { providerId: string; day: string },
): Promise<void> {
  const args = { provider_id: providerId, day, by: null, moment: clock.now() }
  const { mark_book_seen: isSeen } = await callOne(db, "mark_book_seen", args)
  if (!isSeen) throw notCompared()
}

export const notCompared = () => new TurnpikeError("NOT_FOUND", "This day of the account is not compared.")

import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"

/** Marks the findings of a day as seen, for admins. Throws NOT_FOUND. */
export async function seeBook(
  ctx: Context,
  credential: SessionCredential,
  { providerId, day }: { providerId: string; day: string },
): Promise<void> {
  const { row } = await callAs(ctx, credential, "note_book_seen", { provider_id: providerId, day })
  if (row.refused !== null) throw new TurnpikeError("NOT_FOUND", "This day of the account is not compared.")
}

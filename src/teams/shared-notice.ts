import type { Context } from "../actor/context.ts"
import { sendEmail } from "../platform/email-hook.ts"
import type { Answers } from "../platform/procedures.ts"

/** Owners whom tell_shared (./tell-shared.sql) has told that their spaces are shared with more people. */
export interface ToldOfSharing {
  told?: Answers["shared_notice"][] | null
}

/** Emails to them; the feed of each has the same notice, written by the procedure. */
export function sendSharedNotices(ctx: Context, row: ToldOfSharing | null): void {
  const at = ctx.clock.now().toISOString()
  for (const { email, brand, data } of row?.told ?? []) {
    sendEmail(ctx, { kind: "space_shared", to: email, brand, data: { ...data, at } })
  }
}

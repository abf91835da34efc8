import type { Context } from "../actor/context.ts"
import { sendEmail } from "../platform/email-hook.ts"
import type { Answers } from "../platform/procedures.ts"

/** The notices that `tell_shared()` (./tell-shared.sql) wrote for owners whose spaces are shared with more people. */
export interface SharingNotices {
  notices?: Answers["shared_notice"][] | null
}

/** Emails the notices to the owners. The procedure has already written them to the owners' event feeds. */
export function sendSharedNotices(ctx: Context, row: SharingNotices | null): void {
  const at = ctx.clock.now().toISOString()
  for (const { email, brand, data } of row?.notices ?? []) {
    sendEmail(ctx, { kind: "space_shared", to: email, brand, data: { ...data, at } })
  }
}

import type { Credential } from "./actor.ts"
import { callAs } from "./call-as.ts"
import type { Context } from "./context.ts"

/**
 * Records in the audit log that a caller exports a list, before the first byte is sent. `ofAccount` is false for an
 * operator's list of the installation.
 */
export async function noteExport(
  ctx: Context,
  credential: Credential,
  { what, query = {}, ofAccount = true }: { what: string; query?: object; ofAccount?: boolean },
): Promise<void> {
  await callAs(ctx, credential, "note_export", { what, query, of_account: ofAccount })
}

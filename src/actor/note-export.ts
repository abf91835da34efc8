import type { Credential } from "./actor.ts"
import { callAs } from "./call-as.ts"
import type { Context } from "./context.ts"

/** Records in the audit log that a caller exports a list, before the first byte is sent. */
export async function noteExport(
  ctx: Context,
  credential: Credential,
  { what, query = {} }: { what: string; query?: object },
): Promise<void> {
  await callAs(ctx, credential, "note_export", { what, query })
}

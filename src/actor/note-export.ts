import type { Credential } from "./actor.ts"
import { callAs } from "./call-as.ts"
import type { Context } from "./context.ts"

/** Notes in the audit log, before the first byte, that a caller takes a whole list away. */
export async function noteExport(
  ctx: Context,
  credential: Credential,
  { what, query = {} }: { what: string; query?: object },
): Promise<void> {
  await callAs(ctx, credential, "note_export", { what, query })
}

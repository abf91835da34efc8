import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** A file that was uploaded for a turn, under its own Idempotency-Key. */
export interface TurnUpload {
  fileId: string
  onceKey: string
}

/**
 * Takes back the uploads of a turn that was refused, so that the refused request leaves nothing. If a step fails, the
 * sweep of files removes the bytes. `idempotencyKey`: of the turn.
 */
export async function discardUploads(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, uploads }: { idempotencyKey: string; uploads: readonly TurnUpload[] },
): Promise<void> {
  if (uploads.length === 0) return
  try {
    const { row } = await callAs(ctx, credential, "discard_uploads", {
      idempotency_key: idempotencyKey,
      file_ids: uploads.map(({ fileId }) => fileId),
      once_keys: uploads.map(({ onceKey }) => onceKey),
    })
    const files = row.discarded ?? []
    if (files.length === 0) return
    await ctx.files.delete(files.map(({ object_key }) => object_key))
    await callOne(ctx.db, "forget_discarded", { file_ids: files.map(({ file_id }) => file_id) })
  } catch (error) {
    const file_ids = uploads.map(({ fileId }) => fileId)
    ctx.log("error", "files.discard_failed", { file_ids, error: describeError(error) })
  }
}

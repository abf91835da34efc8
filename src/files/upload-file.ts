import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { KeyCredential } from "../identity/api-key.ts"
import { newId } from "../platform/ids.ts"
import { describeError } from "../platform/log.ts"
import { spaceNotFound } from "../spaces/get-space.ts"
import { safeMediaType, safeName } from "./safe-name.ts"
import type { FileRow } from "./serialize-file.ts"
import { storeStream } from "./store-stream.ts"

interface Upload {
  spaceId: string
  name: string
  mediaType: string
  chunks: AsyncIterable<Uint8Array>
}

/**
 * Stores a file in a space. A row notes the upload before its first byte is stored, so that whatever breaks leaves nothing
 * that is listed, and nothing that the sweeper does not find. NOT_FOUND, CONFLICT, PAYLOAD_TOO_LARGE, VALIDATION_FAILED.
 */
export async function uploadFile(
  ctx: Context,
  credential: KeyCredential,
  { spaceId, name, mediaType, chunks }: Upload,
): Promise<FileRow> {
  const now = ctx.clock.now()
  const fileId = newId("file", now)
  const key = `files/${fileId}`
  const { row } = await queryAs<{ space: { archived: boolean } | null }>(ctx, credential, {
    ctes: sql`space as materialized (select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}),
      begun as (
        insert into files (file_id, user_id, space_id, test, key_id, name, media_type, object_key, state, created_at, updated_at)
        select ${fileId}, space.user_id, space.space_id, space.test, caller.key_id, ${safeName(name)},
          ${safeMediaType(mediaType)}, ${key}, 'uploading', ${now}::timestamptz, ${now}::timestamptz
        from space, caller where space.archived_at is null
      )`,
    select: sql`select (select jsonb_build_object('archived', archived_at is not null) from space) as space`,
  })
  if (!row.space) throw spaceNotFound(spaceId)
  if (row.space.archived) throw new TurnpikeError("CONFLICT", `The space "${spaceId}" is archived and takes no files.`)
  try {
    const { bytes, sha256 } = await storeStream(ctx.files, key, chunks)
    const { rows } = await sql<{ file: FileRow }>`with ready as (
        update files f set state = 'ready', bytes = ${bytes}::bigint, sha256 = ${sha256}, updated_at = ${ctx.clock.now()}::timestamptz
        where f.file_id = ${fileId} and f.state = 'uploading' returning f.*
      ) select to_jsonb(f) || jsonb_build_object('space', ${spaceId}::text) as file from ready f`.execute(ctx.db)
    if (!rows[0]) throw new TurnpikeError("CONFLICT", "The upload took too long. Try again.")
    return rows[0].file
  } catch (error) {
    await giveUp(ctx, fileId, key)
    throw error
  }
}

/** What was begun is as good as deleted; when this fails too, the sweeper finds it. */
async function giveUp(ctx: Context, fileId: string, key: string): Promise<void> {
  try {
    await sql`update files set state = 'deleted', updated_at = ${ctx.clock.now()}::timestamptz
      where file_id = ${fileId} and state in ('uploading', 'ready')`.execute(ctx.db)
    await ctx.files.delete(key)
  } catch (error) {
    ctx.log("error", "file.give_up_failed", { file_id: fileId, error: describeError(error) })
  }
}

import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { newId } from "../platform/ids.ts"
import { describeError } from "../platform/log.ts"
import { spaceNotFound } from "../spaces/get-space.ts"
import { mediaTypeOf } from "./media-types.ts"
import { type DeletedFile, removeObjects } from "./remove-objects.ts"
import { safeMediaType } from "./safe-media-type.ts"
import { safeName } from "./safe-name.ts"
import type { FileRow } from "./serialize-file.ts"
import { type Stored, storeStream } from "./store-stream.ts"

interface Upload {
  spaceId: string
  name: string
  mediaType: string | null
  chunks: AsyncIterable<Uint8Array>
}

/**
 * Stores a file in a space. A row notes the upload before its first byte is stored, so that whatever breaks leaves nothing
 * that is listed, and nothing that the sweeper does not find. NOT_FOUND, CONFLICT, PAYLOAD_TOO_LARGE, and what the chunks throw.
 */
export async function uploadFile(ctx: Context, credential: Credential, upload: Upload): Promise<FileRow> {
  const begun = await beginUpload(ctx, credential, upload)
  const work = finishUpload(ctx, upload, begun).catch(async (error: unknown) => {
    await giveUp(ctx, begun)
    throw error
  })
  // A client that goes away must not take the cleaning with it.
  ctx.background(work.catch(() => {}))
  return work
}

async function beginUpload(
  ctx: Context,
  credential: Credential,
  { spaceId, name, mediaType }: Upload,
): Promise<DeletedFile> {
  const now = ctx.clock.now()
  const fileId = newId("file", now)
  const key = `files/${fileId}`
  const { row } = await queryAs<{ space: { archived: boolean } | null }>(ctx, credential, {
    ctes: sql`space as materialized (select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}),
      begun as (
        insert into files (file_id, user_id, space_id, test, key_id, name, media_type, object_key, state, created_at, updated_at)
        select ${fileId}, space.user_id, space.space_id, space.test, caller.key_id, ${safeName(name)},
          ${safeMediaType(mediaType ?? mediaTypeOf(name) ?? null)}, ${key}, 'uploading', ${now}::timestamptz, ${now}::timestamptz
        from space, caller where space.archived_at is null
      )`,
    select: sql`select (select jsonb_build_object('archived', archived_at is not null) from space) as space`,
  })
  if (!row.space) throw spaceNotFound(spaceId)
  if (row.space.archived) throw new TurnpikeError("CONFLICT", `The space "${spaceId}" is archived and takes no files.`)
  return { file_id: fileId, object_key: key }
}

async function finishUpload(
  ctx: Context,
  { spaceId, chunks }: Upload,
  { file_id, object_key }: DeletedFile,
): Promise<FileRow> {
  const { bytes, sha256 }: Stored = await storeStream(ctx.files, object_key, chunks)
  const { rows } = await sql<{ file: FileRow }>`with ready as (
      update files f set state = 'ready', bytes = ${bytes}::bigint, sha256 = ${sha256}, updated_at = ${ctx.clock.now()}::timestamptz
      where f.file_id = ${file_id} and f.state = 'uploading' returning f.*
    ) select to_jsonb(f) || jsonb_build_object('space', ${spaceId}::text) as file from ready f`.execute(ctx.db)
  if (!rows[0]) throw new TurnpikeError("CONFLICT", "The upload took too long. Try again.")
  return rows[0].file
}

/** What was begun is as good as deleted; when this fails too, the sweeper finds it. */
async function giveUp(ctx: Context, file: DeletedFile): Promise<void> {
  try {
    // Also when it is 'ready': then only the answer of the statement that made it so was lost. And when the sweeper was
    // here already: an object may have come after it.
    await sql`update files set state = 'deleted', object_removed_at = null, updated_at = ${ctx.clock.now()}::timestamptz
      where file_id = ${file.file_id}`.execute(ctx.db)
    await removeObjects(ctx, [file])
  } catch (error) {
    ctx.log("error", "file.give_up_failed", { file_id: file.file_id, error: describeError(error) })
  }
}

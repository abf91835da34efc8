import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, type Once, replay } from "../identity/once.ts"
import { newId } from "../platform/ids.ts"
import { describeError } from "../platform/log.ts"
import { spaceNotFound } from "../spaces/get-space.ts"
import { getFile } from "./get-file.ts"
import { mediaTypeOf } from "./media-types.ts"
import { type DeletedFile, removeObjects } from "./remove-objects.ts"
import { safeMediaType } from "./safe-media-type.ts"
import { safeName } from "./safe-name.ts"
import type { FileRow } from "./serialize-file.ts"
import { hashStream, storeStream } from "./store-stream.ts"

interface Upload {
  spaceId: string
  name: string
  mediaType: string | null
  chunks: AsyncIterable<Uint8Array>
}

interface Begun extends DeletedFile {
  /** The Idempotency-Key was used before: the bytes are read to compare them, and not stored. */
  isRepeat: boolean
}

/**
 * Stores a file in a space. A row notes the upload before its first byte is stored, so that whatever breaks leaves nothing
 * that is listed, and nothing that the sweeper does not find. NOT_FOUND, CONFLICT, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED,
 * and what the chunks throw.
 */
export async function uploadFile(
  ctx: Context,
  credential: Credential,
  upload: Upload,
  once?: Once,
): Promise<Made<FileRow>> {
  const begun = await beginUpload(ctx, credential, upload, once)
  const work = finishUpload(ctx, credential, { upload, begun, once }).catch(async (error: unknown) => {
    await giveUp(ctx, begun, once)
    throw error
  })
  // A client that goes away must not take the cleaning with it.
  ctx.background(work.catch(() => {}))
  return work
}

/** Notes the upload; with an Idempotency-Key that was used before only makes the ids: nothing will be stored under them. */
async function beginUpload(
  ctx: Context,
  credential: Credential,
  { spaceId, name, mediaType }: Upload,
  once: Once | undefined,
): Promise<Begun> {
  const now = ctx.clock.now()
  const fileId = newId("file", now)
  const key = `files/${fileId}`
  const { row, replayOf } = await queryAs<{ space: { archived: boolean } | null }>(ctx, credential, {
    // The bytes, and with them the request, are not known before the end.
    once: once && { key: once.key },
    ctes: sql`space as materialized (select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}),
      begun as (
        insert into files (file_id, user_id, space_id, test, key_id, name, media_type, object_key, state, created_at, updated_at)
        select ${fileId}, space.user_id, space.space_id, space.test, caller.key_id, ${safeName(name)},
          ${safeMediaType(mediaType ?? mediaTypeOf(name) ?? null)}, ${key}, 'uploading', ${now}::timestamptz, ${now}::timestamptz
        from space, caller where space.archived_at is null
      )`,
    select: sql`select (select jsonb_build_object('archived', archived_at is not null) from space) as space`,
  })
  const begun = { file_id: fileId, object_key: key, isRepeat: replayOf !== null }
  if (begun.isRepeat) return begun
  if (!row.space) throw spaceNotFound(spaceId)
  if (row.space.archived)
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and takes no files.`)
  return begun
}

async function finishUpload(
  ctx: Context,
  credential: Credential,
  { upload, begun, once }: { upload: Upload; begun: Begun; once: Once | undefined },
): Promise<Made<FileRow>> {
  const { spaceId, name, mediaType, chunks } = upload
  const { file_id, object_key, isRepeat } = begun
  const { bytes, sha256 } = isRepeat ? await hashStream(chunks) : await storeStream(ctx.files, object_key, chunks)
  const { row, replayOf } = await queryAs<{ file: FileRow | null }>(ctx, credential, {
    once: once && { key: once.key, request: { operation: "uploadFile", spaceId, name, mediaType, sha256 } },
    made: sql`select file_id from ready`,
    ctes: sql`ready as (
      update files f set state = 'ready', bytes = ${bytes}::bigint, sha256 = ${sha256}, updated_at = ${ctx.clock.now()}::timestamptz
      from caller where f.file_id = ${file_id} and f.state = 'uploading' returning f.*
    )`,
    select: sql`select (select to_jsonb(f) || jsonb_build_object('space', ${spaceId}::text) from ready f) as file`,
  })
  if (replayOf !== null) {
    // Its twin was quicker: what is stored here is of no use.
    if (!isRepeat) await giveUp(ctx, begun, once)
    return replay(getFile(ctx, credential, replayOf))
  }
  if (!row.file) throw new TurnpikeError("CONFLICT", "The upload took too long. Try again.")
  return { made: row.file, replayed: false }
}

/** What was begun is as good as deleted; when this fails too, the sweeper finds it. */
async function giveUp(ctx: Context, { isRepeat, ...file }: Begun, once: Once | undefined): Promise<void> {
  if (isRepeat) return
  // 'ready' means that only the answer of the statement that made it so was lost: under a key the repeat finds it.
  const isKept = once ? sql`state = 'ready'` : sql`false`
  try {
    // Also when the sweeper was here already: an object may have come after it.
    const { rows } =
      await sql`update files set state = 'deleted', object_removed_at = null, updated_at = ${ctx.clock.now()}::timestamptz
      where file_id = ${file.file_id} and not (${isKept}) returning 1`.execute(ctx.db)
    if (rows.length > 0) await removeObjects(ctx, [file])
  } catch (error) {
    ctx.log("error", "file.give_up_failed", { file_id: file.file_id, error: describeError(error) })
  }
}

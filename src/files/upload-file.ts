import type { Credential } from "../actor/actor.ts"
import { callAs, callOnce, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Made, type Once, replay } from "../actor/once.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { isGeneric, SNIFFED_BYTES, sniffed } from "../base/media-bytes.ts"
import type { Clock } from "../platform/clock.ts"
import { describeError } from "../platform/log.ts"
import { type DeletedFile, removeObjects } from "./delete-file.ts"
import { getFile } from "./get-file.ts"
import { mediaTypeOf, safeMediaType } from "./media-types.ts"
import { FILE_POLICY } from "./policies.ts"
import { safeName } from "./safe-name.ts"
import type { FileRow } from "./serialize-file.ts"
import { hashStream, storeStream, tooSlow } from "./store-stream.ts"

interface Upload {
  spaceId: string
  name: string
  mediaType: string | null
  chunks: AsyncIterable<Uint8Array>
  /** The URL from which the bytes come. A repeat names the same URL, and its bytes are not compared. */
  source?: string
}

interface Begun extends DeletedFile {
  /** The Idempotency-Key was used before, so the bytes are read only to compare them. */
  isRepeat: boolean
  /** The account of the caller. */
  account: number
}

export const UPLOAD_FILE_ERRORS = [
  "NOT_FOUND",
  "SPACE_ARCHIVED",
  "CONFLICT",
  "LIMIT_REACHED",
  "IDEMPOTENCY_KEY_REUSED",
] as const

/**
 * Stores a file in a space. A row records the upload before its first byte is stored, so a failed upload is never
 * listed and the sweeper finds it. Throws the errors of the operation `uploadFile`, and errors of the chunks.
 */
export async function uploadFile(
  ctx: Context,
  credential: Credential,
  given: Upload,
  once?: Once,
): Promise<Made<FileRow>> {
  const upload = await typed(ctx, given)
  const begun = await beginUpload(ctx, credential, upload, once)
  const work = finishUpload(ctx, credential, { upload, begun, once }).catch(async (error: unknown) => {
    await giveUp(ctx, credential, { begun, once })
    throw error
  })
  // The clean-up must continue after the client disconnects.
  ctx.background(work.catch(() => {}))
  return work
}

/**
 * The upload with a media type: from the client unless it is generic, else from the extension, else from the first
 * bytes.
 */
async function typed(ctx: Context, upload: Upload): Promise<Upload> {
  const { name, mediaType } = upload
  if (mediaType !== null && !isGeneric(mediaType)) return upload
  const known = mediaTypeOf(name)
  if (known) return { ...upload, mediaType: known }
  const rest = upload.chunks[Symbol.asyncIterator]()
  const first = await beginningOf(rest, ctx.clock)
  const chunks = async function* () {
    try {
      yield* first
      for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
    } finally {
      await rest.return?.()
    }
  }
  return { ...upload, mediaType: sniffed(await bytesOf(first)), chunks: chunks() }
}

/** The first bytes, enough to detect a type. They can arrive slowly, within the time limit of a part. */
async function beginningOf(chunks: AsyncIterator<Uint8Array>, clock: Clock): Promise<Uint8Array[]> {
  const first: Uint8Array[] = []
  const until = clock.now().getTime() + FILE_POLICY.partMs
  for (let bytes = 0; bytes < SNIFFED_BYTES; ) {
    const next = await chunks.next()
    if (next.done) break
    if (clock.now().getTime() > until) {
      await chunks.return?.()
      throw tooSlow()
    }
    first.push(next.value)
    bytes += next.value.length
  }
  return first
}

const bytesOf = async (parts: Uint8Array[]) => new Uint8Array(await new Blob(parts).arrayBuffer())

/**
 * Records the upload. If the Idempotency-Key was used before, it only creates ids, and nothing is stored under
 * them.
 */
async function beginUpload(
  ctx: Context,
  credential: Credential,
  { spaceId, name, mediaType }: Upload,
  once: Once | undefined,
): Promise<Begun> {
  const now = ctx.clock.now()
  const fileId = newId("file", now)
  const key = `files/${fileId}`
  const { actor, row, replayOf } = await callOnce(ctx, credential, "begin_upload", {
    // The fingerprint of the request is known only after all bytes have arrived.
    once: once && { key: once.key },
    args: {
      space: spaceId,
      file_id: fileId,
      name: safeName(name),
      media_type: safeMediaType(mediaType),
      object_key: key,
    },
  })
  const begun = { file_id: fileId, object_key: key, isRepeat: replayOf !== null, account: actor.user_id }
  if (begun.isRepeat) return begun
  if (row.refused === "not_found") throw spaceNotFound(spaceId)
  if (row.reached) throw countReached(row.reached)
  if (row.refused === "archived")
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and accepts no files.`)
  return begun
}

async function finishUpload(
  ctx: Context,
  credential: Credential,
  { upload, begun, once }: { upload: Upload; begun: Begun; once: Once | undefined },
): Promise<Made<FileRow>> {
  const { spaceId, name, mediaType, chunks, source } = upload
  const { file_id, object_key, isRepeat, account } = begun
  const isUnread = isRepeat && source !== undefined
  if (isUnread) await chunks[Symbol.asyncIterator]().return?.()
  const { bytes, sha256 } = isUnread
    ? { bytes: 0, sha256: "" }
    : isRepeat
      ? await hashStream(chunks)
      : await storeStream(ctx, { key: object_key, account }, chunks)
  const of = source === undefined ? { name, mediaType, sha256 } : { source }
  const { row, replayOf } = await callOnce(ctx, credential, "finish_upload", {
    once: once && { key: once.key, request: { operation: "uploadFile", spaceId, ...of } },
    args: { space: spaceId, file_id, bytes, sha256 },
  })
  if (replayOf !== null) {
    // Another request with the same key finished first, so this object is not needed.
    if (!isRepeat) await giveUp(ctx, credential, { begun, once })
    return replay(getFile(ctx, credential, replayOf))
  }
  if (row.reached) throw countReached(row.reached)
  if (!row.file) throw new TurnpikeError("CONFLICT", "The upload took too long. Try again.")
  return { made: { ...row.file, space: spaceId }, replayed: false }
}

/** Marks the upload as deleted and removes its bytes. If this fails, the sweeper finds it. */
async function giveUp(
  ctx: Context,
  credential: Credential,
  { begun: { isRepeat, ...file }, once }: { begun: Begun; once: Once | undefined },
): Promise<void> {
  if (isRepeat) return
  try {
    // If only the response that made it ready was lost, a retry with the same key finds the file.
    const args = { file_id: file.file_id, keep_ready: once !== undefined }
    const { row } = await callAs(ctx, credential, "give_up_upload", args)
    if (row.given_up) await removeObjects(ctx, [file])
  } catch (error) {
    ctx.log("error", "file.give_up_failed", { file_id: file.file_id, error: describeError(error) })
  }
}

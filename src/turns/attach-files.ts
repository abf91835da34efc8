import { Buffer } from "node:buffer"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { invalid } from "../base/invalid-field.ts"
import { hashRequest } from "../base/request-hash.ts"
import { discardUploads, type TurnUpload } from "../files/discard-uploads.ts"
import { openUrl } from "../files/open-url.ts"
import { uploadFile } from "../files/upload-file.ts"
import { checkTurn } from "./check-turn.ts"
import { newOrStored, withFileIds } from "./messages.ts"
import { type CreateTurn, createTurnSchema, type SentTurnBody } from "./schemas.ts"

/** A file that came with a message: the id of a file in the space, its bytes, or its URL. */
export interface Attachment {
  /** The field of the request, for errors. */
  param: string
  fileId?: string | undefined
  /** A `data:` URL, bare base64, or a URL of the web. */
  data?: string | undefined
  mediaType?: string | undefined
  name?: string | undefined
  /** Only an image may be at the URL. */
  isImage?: boolean
}

interface Bytes {
  mediaType: string | null
  content: Uint8Array
}

/** An attachment that is valid. */
type ReadAttachment = { param: string; name: string | undefined; isImage: boolean } & (
  | { fileId: string }
  | { url: string }
  | Bytes
)

interface WithFiles<Sent> {
  idempotencyKey: string
  attachments: readonly Attachment[]
  /** The turn with the ids of its files, in the order of the attachments. */
  bodyWith(ids: readonly string[]): CreateTurn
  /** The field of the files, for errors. */
  field: string
  send(body: CreateTurn): Promise<Sent>
}

/**
 * Sends a turn with its files. Bytes, and what is at a URL, become files of the space first. A refused turn stores
 * none: it is checked before the first byte is stored, and files of one that is refused afterwards are taken back.
 */
export async function sendWithFiles<Sent>(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, attachments: given, bodyWith, field, send }: WithFiles<Sent>,
): Promise<Sent> {
  const attachments = given.map(readAttachment)
  const places = attachments.map((one, place) => ("fileId" in one ? one.fileId : `${UPLOAD}${place}`))
  if (!createTurnSchema.shape.files.safeParse([...new Set(places)]).success) throw invalid("has too many files", field)
  const asked = bodyWith(places)
  if (attachments.every((one) => "fileId" in one)) return send(asked)
  await checkTurn(ctx, credential, { idempotencyKey, body: withoutUploads(asked) })
  const made: TurnUpload[] = []
  try {
    const ids = await attachFiles(ctx, credential, { spaceId: asked.space, attachments, idempotencyKey, made })
    return await send(bodyWith(ids))
  } catch (error) {
    // After another failure, the turn may have been accepted.
    if (error instanceof TurnpikeError && error.status < 500) {
      await discardUploads(ctx, credential, { idempotencyKey, uploads: made })
    }
    throw error
  }
}

/** Sends a turn of /v1/turns, whose messages may have new files. */
export function sendStored<Sent>(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, body, send }: { idempotencyKey: string; body: SentTurnBody; send(body: CreateTurn): Promise<Sent> },
): Promise<Sent> {
  const { messages, ...rest } = body
  if (!messages) return send(rest)
  return sendWithFiles(ctx, credential, {
    idempotencyKey,
    attachments: newOrStored(messages).map(({ param, file_id, url, data, media_type, name }) => ({
      param,
      fileId: file_id,
      data: url ?? data,
      mediaType: media_type,
      name,
    })),
    bodyWith: (ids) => ({ ...rest, messages: withFileIds(messages, ids) }),
    field: "messages",
    send,
  })
}

/** A turn of /v1/turns without its new files. */
export function withoutNewFiles({ messages, ...rest }: SentTurnBody): CreateTurn {
  if (!messages) return rest
  const ids = newOrStored(messages).map(({ file_id }) => file_id ?? UPLOAD)
  return withoutUploads({ ...rest, messages: withFileIds(messages, ids) })
}

/** The beginning of a placeholder for the id of a file that is not stored yet. */
const UPLOAD = "upload "

/** A turn without the files that are not stored yet. */
function withoutUploads({ messages, ...body }: CreateTurn): CreateTurn {
  if (!messages) return body
  const isStored = (part: { type: string; file_id?: string }) => part.file_id?.startsWith(UPLOAD) !== true
  const stored = messages.map((message) =>
    message.role === "user" && typeof message.content !== "string"
      ? { ...message, content: message.content.filter(isStored) }
      : message,
  )
  return { ...body, messages: stored }
}

/** Reads an attachment without storing anything. Throws VALIDATION_FAILED. */
function readAttachment(attachment: Attachment): ReadAttachment {
  const { fileId, data, name, param, isImage = false } = attachment
  const common = { param, name, isImage }
  if (fileId !== undefined) return { ...common, fileId }
  if (data === undefined) {
    throw invalid("needs a `file_id`, the URL of the file, or the file itself as a `data:` URL", param)
  }
  return /^https?:/i.test(data) ? { ...common, url: data } : { ...common, ...bytesOfData(attachment, data) }
}

/**
 * The ids of the attached files, in their order. New ones become files of the space, under a key made from the
 * request's key, so that a retry stores nothing twice. `made` gets each file that this request stored. Throws the
 * errors of `uploadFile`.
 */
async function attachFiles(
  ctx: Context,
  credential: Credential,
  given: { spaceId: string; attachments: readonly ReadAttachment[]; idempotencyKey: string; made: TurnUpload[] },
): Promise<string[]> {
  const { spaceId, attachments, idempotencyKey, made } = given
  const ids: string[] = []
  for (const [place, attachment] of attachments.entries()) {
    if ("fileId" in attachment) {
      ids.push(attachment.fileId)
      continue
    }
    const onceKey = `openai ${hashRequest([idempotencyKey, place])}`
    const file = "url" in attachment ? await fileAt(ctx, attachment) : fileOf(attachment, place)
    const stored = await uploadFile(ctx, credential, { spaceId, ...file }, { key: onceKey })
    ids.push(stored.made.file_id)
    if (!stored.replayed) made.push({ fileId: stored.made.file_id, onceKey })
  }
  return ids
}

function fileOf({ name, mediaType, content }: Bytes & { name: string | undefined }, place: number) {
  return { name: name ?? `attachment-${place + 1}`, mediaType, chunks: oneChunk(content) }
}

async function fileAt(
  ctx: Context,
  { url, param, name, isImage }: { url: string; param: string; name: string | undefined; isImage: boolean },
) {
  const opened = await openUrl(ctx, url, (why) => invalid(`The file cannot be loaded: ${why}`, param))
  if (isImage && opened.mediaType !== null && !/^(image\/|application\/octet-stream)/.test(opened.mediaType)) {
    await opened.chunks.return(undefined)
    throw invalid(`There is no image at the URL, but ${opened.mediaType}`, param)
  }
  return { name: name ?? opened.name, mediaType: opened.mediaType, chunks: opened.chunks, source: url }
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The bytes in a `data:` URL or in bare base64. Throws VALIDATION_FAILED. */
function bytesOfData({ param, mediaType: given }: Attachment, data: string): Bytes {
  const inUrl = /^data:([^;,]+)?(?:;[^;,]+)*;base64,(.*)$/s.exec(data)
  const [mediaType = given ?? null, base64 = ""] = inUrl ? [inUrl[1], inUrl[2]] : [undefined, data]
  if (base64 === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw invalid("is not base64", param)
  return { mediaType, content: new Uint8Array(Buffer.from(base64, "base64")) }
}

import { Buffer } from "node:buffer"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { hashRequest } from "../base/request-hash.ts"
import type { TurnUpload } from "../files/discard-uploads.ts"
import { uploadFile } from "../files/upload-file.ts"
import { type Attachment, invalid } from "./plain-messages.ts"

interface Bytes {
  mediaType: string | null
  content: Uint8Array
}

/** An attachment that is valid: the id of a file, or bytes that are not stored yet. */
export type ReadAttachment = { fileId: string } | (Bytes & { name: string })

/** Reads the attachments without storing anything. Throws VALIDATION_FAILED. */
export const readAttachments = (attachments: readonly Attachment[]): ReadAttachment[] =>
  attachments.map((attachment, place) => {
    const { fileId, name, param } = attachment
    const bytes = bytesOfData(attachment)
    if (fileId !== undefined) return { fileId }
    if (bytes) return { ...bytes, name: name ?? `attachment-${place + 1}` }
    throw invalid("needs a `file_id`, or the file itself as a `data:` URL", param)
  })

/**
 * The ids of the attached files, in their order. Bytes become a file of the space, under a key made from the request's
 * key, so that a retry uploads nothing twice. `made` gets each file that this request stored. Throws the errors of
 * `uploadFile`.
 */
export async function attachFiles(
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
    const { name, mediaType, content } = attachment
    const onceKey = `openai ${hashRequest([idempotencyKey, place])}`
    const upload = { spaceId, name, mediaType, chunks: oneChunk(content) }
    const stored = await uploadFile(ctx, credential, upload, { key: onceKey })
    ids.push(stored.made.file_id)
    if (!stored.replayed) made.push({ fileId: stored.made.file_id, onceKey })
  }
  return ids
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The bytes in a `data:` URL or in bare base64; null without either. Throws VALIDATION_FAILED for another URL. */
function bytesOfData({ data, param }: Attachment): Bytes | null {
  if (data === undefined) return null
  const [, mediaType = null, base64 = ""] = /^data:([^;,]+)?(?:;[^;,]+)*;base64,(.*)$/s.exec(data) ?? [null, null, data]
  if (/^https?:/i.test(data)) {
    throw invalid(
      "a URL is not loaded: upload the file with `POST /v1/spaces/{space_id}/files` and send its `file_id`",
      param,
    )
  }
  if (base64 === "" || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw invalid("is not base64", param)
  return { mediaType, content: new Uint8Array(Buffer.from(base64, "base64")) }
}

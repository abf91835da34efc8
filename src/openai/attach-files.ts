import { Buffer } from "node:buffer"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { hashRequest } from "../base/request-hash.ts"
import { uploadFile } from "../files/upload-file.ts"
import { type Attachment, invalid } from "./plain-messages.ts"

/**
 * The ids of the attached files, each once. Bytes become a file of the space, under a key made from the request's key,
 * so that a retry uploads nothing twice. Throws VALIDATION_FAILED and the errors of `uploadFile`.
 */
export async function attachFiles(
  ctx: Context,
  credential: Credential,
  { spaceId, attachments, idempotencyKey }: { spaceId: string; attachments: Attachment[]; idempotencyKey: string },
): Promise<string[]> {
  const files = attachments.map((attachment) => ({ ...attachment, bytes: bytesOfData(attachment) }))
  const ids: string[] = []
  for (const [place, { fileId, bytes, name, param }] of files.entries()) {
    if (fileId !== undefined) ids.push(fileId)
    else if (bytes) {
      const upload = {
        spaceId,
        name: name ?? `attachment-${place + 1}`,
        mediaType: bytes.mediaType,
        chunks: oneChunk(bytes.content),
      }
      const once = { key: `openai ${hashRequest([idempotencyKey, place])}` }
      ids.push((await uploadFile(ctx, credential, upload, once)).made.file_id)
    } else throw invalid("needs a `file_id`, or the file itself as a `data:` URL", param)
  }
  return [...new Set(ids)]
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The bytes in a `data:` URL or in bare base64; null without either. Throws VALIDATION_FAILED for another URL. */
function bytesOfData({ data, param }: Attachment): { mediaType: string | null; content: Uint8Array } | null {
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

import { createHash } from "node:crypto"
import { TurnpikeError } from "../errors.ts"
import type { Bucket } from "../platform/bucket.ts"
import { FILE_POLICY } from "./policies.ts"

export interface Stored {
  bytes: number
  /** Lower-case hex. */
  sha256: string
}

export function tooLarge(): TurnpikeError {
  return new TurnpikeError("PAYLOAD_TOO_LARGE", `A file has at most ${FILE_POLICY.maxBytes} bytes.`)
}

/**
 * Stores a stream under `key`, with one part of it in memory at a time, and hashes it on the way. When it breaks off or is
 * too large (PAYLOAD_TOO_LARGE) there is no object.
 */
export async function storeStream(bucket: Bucket, key: string, chunks: AsyncIterable<Uint8Array>): Promise<Stored> {
  const hash = createHash("sha256")
  const part = new Uint8Array(FILE_POLICY.partBytes)
  let filled = 0
  let bytes = 0
  let upload: Awaited<ReturnType<Bucket["createMultipartUpload"]>> | null = null
  const parts: R2UploadedPart[] = []
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > FILE_POLICY.maxBytes) throw tooLarge()
      hash.update(chunk)
      for (let taken = 0; taken < chunk.length; ) {
        if (filled === part.length) {
          upload ??= await bucket.createMultipartUpload(key)
          parts.push(await upload.uploadPart(parts.length + 1, part))
          filled = 0
        }
        const piece = chunk.subarray(taken, taken + part.length - filled)
        part.set(piece, filled)
        filled += piece.length
        taken += piece.length
      }
    }
    const rest = part.subarray(0, filled)
    if (upload) {
      parts.push(await upload.uploadPart(parts.length + 1, rest))
      await upload.complete(parts)
    } else await bucket.put(key, rest)
    return { bytes, sha256: hash.digest("hex") }
  } catch (error) {
    // R2 drops what was not completed by itself after some days; this only makes it sooner.
    await upload?.abort().catch(() => {})
    throw error
  }
}

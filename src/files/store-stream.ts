import { createHash } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
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
  const buffer = new PartBuffer(FILE_POLICY.partBytes)
  const parts: R2UploadedPart[] = []
  let bytes = 0
  let upload: Awaited<ReturnType<Bucket["createMultipartUpload"]>> | null = null
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > FILE_POLICY.maxBytes) throw tooLarge()
      hash.update(chunk)
      for (let rest = buffer.take(chunk); rest.length > 0; rest = buffer.take(rest)) {
        // Full, and more to come: a file that fits into one part is put as a whole below.
        upload ??= await bucket.createMultipartUpload(key)
        parts.push(await upload.uploadPart(parts.length + 1, buffer.bytes))
        buffer.clear()
      }
    }
    if (upload) {
      parts.push(await upload.uploadPart(parts.length + 1, buffer.bytes))
      await upload.complete(parts)
    } else await bucket.put(key, buffer.bytes)
    return { bytes, sha256: hash.digest("hex") }
  } catch (error) {
    // R2 drops by itself, after some days, what was not completed; this only makes it sooner.
    await upload?.abort().catch(() => {})
    throw error
  }
}

/** What would be stored, without storing it. PAYLOAD_TOO_LARGE. */
export async function hashStream(chunks: AsyncIterable<Uint8Array>): Promise<Stored> {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > FILE_POLICY.maxBytes) throw tooLarge()
    hash.update(chunk)
  }
  return { bytes, sha256: hash.digest("hex") }
}

const FIRST_BYTES = 64 * 1024

/** Collects the bytes of one part. It grows with them, so that a small file does not cost a whole part of memory. */
class PartBuffer {
  private readonly limit: number
  private memory = new Uint8Array(FIRST_BYTES)
  private filled = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** What is there; valid until the next `take`. */
  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.filled)
  }

  /** Takes what fits and returns what did not. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.limit - this.filled)
    const needed = this.filled + taken.length
    if (needed > this.memory.length) {
      const grown = new Uint8Array(Math.min(this.limit, Math.max(needed, this.memory.length * 2)))
      grown.set(this.bytes)
      this.memory = grown
    }
    this.memory.set(taken, this.filled)
    this.filled = needed
    return chunk.subarray(taken.length)
  }

  clear(): void {
    this.filled = 0
  }
}

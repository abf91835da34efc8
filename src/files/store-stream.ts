import { createHash } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import type { Bucket } from "../platform/bucket.ts"
import type { Clock } from "../platform/clock.ts"
import { MEMORY, type MemoryBudget } from "../platform/memory.ts"
import { FILE_POLICY } from "./policies.ts"

export interface Stored {
  bytes: number
  /** In lower-case hex. */
  sha256: string
}

export function tooLarge(): TurnpikeError {
  return new TurnpikeError("PAYLOAD_TOO_LARGE", `A file has at most ${FILE_POLICY.maxBytes} bytes.`)
}

interface Storing {
  files: Bucket
  clock: Clock
  memory: MemoryBudget
}

/**
 * Stores a stream under `key` and hashes it, with one part in memory at a time. If the stream breaks off, is too large
 * (PAYLOAD_TOO_LARGE) or too slow (REQUEST_TIMEOUT), or there is no memory (UNAVAILABLE), no object remains.
 */
export async function storeStream(
  { files: bucket, clock, memory }: Storing,
  { key, account }: { key: string; account: number },
  chunks: AsyncIterable<Uint8Array>,
): Promise<Stored> {
  const hash = createHash("sha256")
  const loan = memory.open(MEMORY.shares.upload, String(account), clock)
  const buffer = new PartBuffer(FILE_POLICY.partBytes, (bytes) => {
    if (!loan.grow(bytes)) throw noMemory()
  })
  const parts: R2UploadedPart[] = []
  let bytes = 0
  let partUntil = clock.now().getTime() + FILE_POLICY.partMs
  let upload: Awaited<ReturnType<Bucket["createMultipartUpload"]>> | null = null
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > FILE_POLICY.maxBytes) throw tooLarge()
      if (clock.now().getTime() > partUntil) throw tooSlow()
      hash.update(chunk)
      loan.keep()
      for (let rest = buffer.take(chunk); rest.length > 0; rest = buffer.take(rest)) {
        // The buffer is full and more bytes follow. A file that fits into one part is stored with one put below.
        upload ??= await bucket.createMultipartUpload(key)
        parts.push(await upload.uploadPart(parts.length + 1, buffer.bytes))
        buffer.clear()
        partUntil = clock.now().getTime() + FILE_POLICY.partMs
      }
    }
    if (upload) {
      parts.push(await upload.uploadPart(parts.length + 1, buffer.bytes))
      await upload.complete(parts)
    } else await bucket.put(key, buffer.bytes)
    return { bytes, sha256: hash.digest("hex") }
  } catch (error) {
    // R2 removes incomplete uploads after some days. This removes them at once.
    await upload?.abort().catch(() => {})
    throw error
  } finally {
    loan.close()
  }
}

export function tooSlow(): TurnpikeError {
  const [kib, seconds] = [FILE_POLICY.partBytes / 1024, FILE_POLICY.partMs / 1000]
  return new TurnpikeError("REQUEST_TIMEOUT", `The body is too slow: less than ${kib} KiB arrived in ${seconds} s.`, {
    param: "body",
  })
}

const noMemory = () =>
  new TurnpikeError("UNAVAILABLE", "Too many uploads are running. Try again in a few seconds.", {
    retryAfter: 5,
  })

/** The size and hash of a stream, without storing it. Throws PAYLOAD_TOO_LARGE. */
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

/**
 * Collects the bytes of one part. The buffer grows with them, so a small file does not use the memory of a whole
 * part.
 */
class PartBuffer {
  private readonly limit: number
  private readonly lend: (bytes: number) => void
  private memory = new Uint8Array()
  private filled = 0

  /** `lend` is called before the buffer grows, with the number of additional bytes. It throws if there is no memory. */
  constructor(limit: number, lend: (bytes: number) => void) {
    this.limit = limit
    this.lend = lend
  }

  /** The collected bytes. Valid until the next `take`. */
  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.filled)
  }

  /** Copies the bytes that fit, and returns the rest. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.limit - this.filled)
    const needed = this.filled + taken.length
    if (needed > this.memory.length) {
      const size = Math.min(this.limit, Math.max(needed, this.memory.length * 2, FIRST_BYTES))
      this.lend(size - this.memory.length)
      const grown = new Uint8Array(size)
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

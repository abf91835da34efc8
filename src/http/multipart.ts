import { Buffer } from "node:buffer"
import { TurnpikeError } from "../base/errors.ts"
import { textOfHead } from "./body-coding.ts"
import { type PartHeaders, parsePartHeaders } from "./part-headers.ts"

/** Either the start of a part, or bytes of the current part. */
export type MultipartEvent = { part: PartHeaders } | { bytes: Uint8Array }

const MAX_PARTS = 10
const MAX_HEAD_BYTES = 16 * 1024
/** Bytes allowed before the first part and after the last one. */
const MAX_AROUND_BYTES = 64 * 1024
const CRLF = "\r\n"

export function wrongBody(message: string): TurnpikeError {
  return new TurnpikeError("VALIDATION_FAILED", `body: ${message}`, { param: "body" })
}

/**
 * Parses multipart/form-data (RFC 7578, RFC 2046 section 5.1) as a stream. Throws VALIDATION_FAILED
 * if it is malformed. Alternatives: busboy takes twice the CPU and silently skips a part without a
 * name; @remix-run/multipart-parser keeps each part in memory.
 */
export async function* parseMultipart(
  chunks: AsyncIterator<Uint8Array>,
  boundary: string,
): AsyncGenerator<MultipartEvent> {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`)
  const input = createInput(chunks)
  // The first delimiter is at the start, without the line break that precedes all others.
  input.push(Buffer.from(CRLF))
  await discard(input.until(delimiter))
  for (let count = 1; ; count++) {
    const mark = await input.exactly(2)
    if (mark.toString("latin1") === "--") return await discard(input.toEnd())
    if (count > MAX_PARTS) throw wrongBody(`has more than ${MAX_PARTS} parts`)
    input.push(mark)
    const head = []
    let size = 0
    for await (const piece of input.until(Buffer.from(CRLF + CRLF))) {
      size += piece.length
      if (size > MAX_HEAD_BYTES) throw wrongBody("a part's headers are too long")
      head.push(piece)
    }
    yield { part: parsePartHeaders(textOfHead(Buffer.concat(head))) }
    for await (const bytes of input.until(delimiter)) yield { bytes }
  }
}

async function discard(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > MAX_AROUND_BYTES) throw wrongBody("has too much data before or after its parts")
  }
}

function createInput(chunks: AsyncIterator<Uint8Array>) {
  let rest: Buffer = Buffer.alloc(0)

  /** Appends the next chunk to the unread bytes; false at the end. */
  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next()
    if (done) return false
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length)
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    return true
  }
  const needMore = async () => {
    if (!(await more())) throw wrongBody("ends before its last boundary")
  }

  return {
    /** Puts bytes back before the unread ones. */
    push(bytes: Buffer) {
      rest = Buffer.concat([bytes, rest])
    },
    async exactly(length: number): Promise<Buffer> {
      while (rest.length < length) await needMore()
      const taken = rest.subarray(0, length)
      rest = rest.subarray(length)
      return taken
    },
    /** Reads up to `needle`, and skips `needle` itself. */
    async *until(needle: Buffer): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = rest.indexOf(needle)
        // Without a match, bytes that could be the start of `needle` stay for the next read.
        const end = at >= 0 ? at : Math.max(0, rest.length - needle.length + 1)
        if (end > 0) {
          const taken = rest.subarray(0, end)
          rest = rest.subarray(end)
          yield taken
        }
        if (at >= 0) {
          rest = rest.subarray(needle.length)
          return
        }
        await needMore()
      }
    },
    async *toEnd(): AsyncGenerator<Uint8Array> {
      do {
        yield rest
        rest = Buffer.alloc(0)
      } while (await more())
    },
  }
}

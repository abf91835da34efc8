import { TurnpikeError } from "../base/errors.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { tooLarge } from "../files/store-stream.ts"
import type { Clock } from "../platform/clock.ts"
import { refuseCharset, refuseEncoded } from "./body-coding.ts"
import { brokenOff, inTime } from "./body-time.ts"
import { type MultipartEvent, parseMultipart, wrongBody } from "./multipart.ts"
import type { PartHeaders } from "./part-headers.ts"
import { BODY_POLICY } from "./policies.ts"

/** An uploaded file: its name, and its bytes as they arrive. */
export interface FileBody {
  name: string
  mediaType: string | null
  chunks: AsyncIterable<Uint8Array>
}

/** Bytes allowed in a form besides the file: other fields, headers, boundaries. */
const ENVELOPE_BYTES = 64 * 1024

/**
 * Reads a request up to its one file: the part `file` of multipart/form-data, or the body itself with its name in
 * the query. Throws VALIDATION_FAILED, PAYLOAD_TOO_LARGE or REQUEST_TIMEOUT, now or when the chunks are read.
 */
export async function readFileBody(request: Request, queryName: string | undefined, clock: Clock): Promise<FileBody> {
  const type = request.headers.get("content-type")
  refuseEncoded(request.headers)
  const isForm = /^\s*multipart\/form-data/i.test(type ?? "")
  const length = Number(request.headers.get("content-length") ?? 0)
  if (length > FILE_POLICY.maxBytes + (isForm ? ENVELOPE_BYTES : 0)) throw tooLarge()
  const chunks = chunksOf(request.body, clock)
  if (isForm) refuseCharset(type)
  if (isForm) return readForm(chunks, boundaryOf(type ?? ""), queryName)
  if (!queryName) throw wrong("name", "name: is required unless you send a form. Send `?name=report.pdf`")
  // curl sends this type for any body. No uploaded file has it.
  const isSaid = !/^application\/x-www-form-urlencoded/i.test(type ?? "")
  return { name: queryName, mediaType: isSaid ? type : null, chunks }
}

function wrong(param: string, message: string): TurnpikeError {
  return new TurnpikeError("VALIDATION_FAILED", message, { param })
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null, clock: Clock): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await inTime(clock, BODY_POLICY.idleMs, () => reader.read()).catch(brokenOff)
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a stalled client may never settle it.
    reader.cancel().catch(() => {})
  }
}

/** RFC 2046 section 5.1.1 allows 1 to 70 of these characters. */
function boundaryOf(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2] ?? ""
  if (/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary)) return boundary
  throw wrongBody("the Content-Type has no valid boundary")
}

async function readForm(
  chunks: AsyncGenerator<Uint8Array>,
  boundary: string,
  queryName: string | undefined,
): Promise<FileBody> {
  const events = parseMultipart(chunks, boundary)
  try {
    const part = await findFile(events)
    const name = queryName || part.filename
    if (!name) throw wrong("file", "file: has no filename")
    return { name, mediaType: part.contentType ?? null, chunks: fileChunks(events, chunks) }
  } catch (error) {
    await chunks.return(undefined)
    throw error
  }
}

const isFile = ({ name, filename }: PartHeaders) => name === "file" || filename !== undefined

/** Skips other fields up to the first file. */
async function findFile(events: AsyncIterator<MultipartEvent>): Promise<PartHeaders> {
  let passed = 0
  for (;;) {
    const { done, value } = await events.next()
    if (done) throw wrong("file", "file: is missing among the form's parts")
    if ("bytes" in value) {
      passed += value.bytes.length
      if (passed > ENVELOPE_BYTES) throw wrongBody("has too much data besides the file")
    } else if (isFile(value.part)) {
      if (value.part.name !== "file") throw wrong("file", 'file: the name of the file\'s part must be "file"')
      return value.part
    }
  }
}

/** The bytes of the file. It reads to the end of the form, to verify that no second file follows. */
async function* fileChunks(
  events: AsyncIterable<MultipartEvent>,
  input: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let isOver = false
  let passed = 0
  try {
    for await (const event of events) {
      if ("part" in event) {
        if (isFile(event.part)) throw wrong("file", "file: send exactly one file")
        isOver = true
      } else if (!isOver) yield event.bytes
      else {
        passed += event.bytes.length
        if (passed > ENVELOPE_BYTES) throw wrongBody("has too much data besides the file")
      }
    }
  } finally {
    await input.return(undefined)
  }
}

import { type MultipartError, make, type PartInfo } from "multipasta"
import { TurnpikeError } from "../errors.ts"
import { mediaTypeOf } from "../files/media-types.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { tooLarge } from "../files/store-stream.ts"

/** A file on its way in: what it is called, and its bytes as they come. */
export interface FileBody {
  name: string
  mediaType: string
  chunks: AsyncIterable<Uint8Array>
}

/** What surrounds the file in a multipart body. */
const ENVELOPE_BYTES = 64 * 1024
const MAX_FIELD_BYTES = 64 * 1024
const MAX_PARTS = 10

/**
 * The one file of a request, read no further than its name: a part of multipart/form-data, or the body itself with the
 * name from the query. Throws VALIDATION_FAILED, PAYLOAD_TOO_LARGE; so does reading the chunks.
 */
export async function readFileBody(request: Request, queryName: string | undefined): Promise<FileBody> {
  const length = Number(request.headers.get("content-length") ?? 0)
  const type = request.headers.get("content-type") ?? ""
  const multipart = /^\s*multipart\/form-data/i.test(type)
  if (length > FILE_POLICY.maxBytes + (multipart ? ENVELOPE_BYTES : 0)) throw tooLarge()
  const chunks = chunksOf(request.body)
  if (multipart) return readMultipart(chunks, type, queryName)
  if (!queryName) throw wrong("name", "name: say what the file is called, as `?name=report.pdf`")
  // curl says this of any body; it is never true of a file.
  const meant = /^application\/x-www-form-urlencoded/i.test(type) ? "" : type
  return { name: queryName, mediaType: meant || mediaTypeOf(queryName) || "application/octet-stream", chunks }
}

function wrong(param: string, message: string): TurnpikeError {
  return new TurnpikeError("VALIDATION_FAILED", message, { param })
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new TurnpikeError("VALIDATION_FAILED", "The body broke off before its end.", { param: "body", cause })
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function readMultipart(
  input: AsyncGenerator<Uint8Array>,
  contentType: string,
  queryName: string | undefined,
): Promise<FileBody> {
  let info: PartInfo | null = null
  let fault: TurnpikeError | null = null
  let ended = false
  const ready: Uint8Array[] = []
  const parser = make({
    headers: { "content-type": contentType },
    maxParts: MAX_PARTS,
    maxFieldSize: MAX_FIELD_BYTES,
    isFile: (part) => part.filename !== undefined || part.name === "file",
    onField: () => {},
    onFile: (part) => {
      if (info) fault ??= wrong("file", "file: send exactly one file")
      const first = info === null
      info ??= part
      return (chunk) => {
        if (first && chunk) ready.push(chunk)
      }
    },
    onError: (error) => {
      fault ??= wrong("body", `body: ${describe(error)}`)
    },
    onDone: () => {},
  })
  /** Feeds the parser once more; what it found is in `ready`. */
  const feed = async () => {
    const { done, value } = await input.next()
    if (done) {
      ended = true
      parser.end()
    } else parser.write(value)
    if (fault) {
      await input.return(undefined)
      throw fault
    }
  }
  while (!info && !ended) await feed()
  const part = info as PartInfo | null
  if (!part) throw wrong("file", "file: there is no file among the form's parts")
  const name = queryName || part.filename
  if (!name) {
    await input.return(undefined)
    throw wrong("file", "file: has no filename")
  }
  const said = part.headers["content-type"]
  const mediaType = (said && String(said)) ?? mediaTypeOf(name) ?? "application/octet-stream"
  return {
    name,
    mediaType,
    chunks: (async function* () {
      try {
        for (;;) {
          yield* ready.splice(0)
          if (ended) return
          await feed()
        }
      } finally {
        await input.return(undefined)
      }
    })(),
  }
}

function describe(error: MultipartError): string {
  switch (error._tag) {
    case "InvalidBoundary":
      return "the Content-Type has no valid boundary"
    case "EndNotReached":
      return "ends before its last boundary"
    case "ReachedLimit":
      return "has too many or too large parts beside the file"
    default:
      return "a part has broken headers"
  }
}

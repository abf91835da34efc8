import { TurnpikeError } from "../base/errors.ts"

/** The headers of one part of a form. */
export interface PartHeaders {
  name: string
  filename: string | undefined
  contentType: string | undefined
}

const PARAMETER = /;\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^\s;"]*))/gi

/** Parses the header lines of a part. Throws VALIDATION_FAILED unless they declare form-data with a name. */
export function parsePartHeaders(head: string): PartHeaders {
  const [padding, ...lines] = head.replace(/\r\n[ \t]+/g, " ").split("\r\n")
  const headers = new Map<string, string>()
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*)$/.exec(line)
    if (!match) throw wrongHeaders()
    headers.set(`${match[1]}`.toLowerCase(), `${match[2]}`.trim())
  }
  const disposition = headers.get("content-disposition") ?? ""
  if (padding?.trim() !== "" || !/^form-data\s*(;|$)/i.test(disposition)) throw wrongHeaders()
  const parameters = new Map<string, string>()
  for (const [, key = "", quoted, token] of disposition.matchAll(PARAMETER)) {
    parameters.set(key.toLowerCase(), quoted === undefined ? `${token}` : unquote(quoted))
  }
  const name = parameters.get("name")
  if (name === undefined) throw wrongHeaders()
  const extended = decodeExtended(parameters.get("filename*"))
  const filename = extended ?? parameters.get("filename")
  if (extended === null && filename === undefined) {
    throw new TurnpikeError("INVALID_ENCODING", "The name in `filename*` is not text in its charset.", {
      param: "file",
    })
  }
  return { name, filename, contentType: headers.get("content-type") }
}

function wrongHeaders(): TurnpikeError {
  const message = "body: a part has no `Content-Disposition: form-data` with a name, or malformed headers"
  return new TurnpikeError("VALIDATION_FAILED", message, { param: "body" })
}

/**
 * Browsers encode a quote as %22 (WHATWG HTML, multipart/form-data); other clients escape it. A
 * lone backslash is a path separator.
 */
const unquote = (text: string) => text.replace(/\\"|%22/g, '"')

/** RFC 8187: `UTF-8'en'na%C3%AFve.txt`. Undefined for any other form, null for bytes that are wrong in its charset. */
function decodeExtended(value: string | undefined): string | null | undefined {
  const match = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? "")
  if (!match) return undefined
  const bytes = `${match[2]}`.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return new TextDecoder(match[1], { fatal: true, ignoreBOM: false }).decode(
      Uint8Array.from(bytes, (char) => char.charCodeAt(0)),
    )
  } catch {
    return null
  }
}

import { TurnpikeError } from "../errors.ts"

interface ServedFile {
  name: string
  media_type: string
  bytes: number
  sha256: string
}

/** Bytes from `offset` on, `length` of them. */
export interface ByteRange {
  offset: number
  length: number
}

/** The one range of a Range header (RFC 9110, section 14.2); null for the whole file. Several ranges are the whole file. */
export function parseRange(header: string | undefined, bytes: number): ByteRange | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "")
  if (!match || (match[1] === "" && match[2] === "")) return null
  const [, from = "", to = ""] = match
  const offset = from === "" ? Math.max(0, bytes - Number(to)) : Number(from)
  const end = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (from !== "" && to !== "" && Number(to) < Number(from)) return null
  if (offset > end) throw new TurnpikeError("RANGE_NOT_SATISFIABLE", `The file has ${bytes} bytes.`)
  return { offset, length: end - offset + 1 }
}

/** Headers with which a browser saves a customer's file and never runs it. */
export function fileHeaders(file: ServedFile, range: ByteRange | null): Record<string, string> {
  return {
    "content-type": file.media_type,
    "content-length": String(range?.length ?? file.bytes),
    "content-disposition": contentDisposition(file.name),
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "accept-ranges": "bytes",
    etag: etagOf(file),
    ...(range && { "content-range": `bytes ${range.offset}-${range.offset + range.length - 1}/${file.bytes}` }),
  }
}

export const etagOf = (file: Pick<ServedFile, "sha256">) => `"${file.sha256}"`

/** RFC 6266: a plain name for old readers, and the real one as RFC 8187 has it. */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const real = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${real}`
}

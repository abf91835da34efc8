import type { ByteRange } from "../files/get-file.ts"
import { inertMediaType, safeMediaType } from "../files/media-types.ts"

interface ServedFile {
  name: string
  media_type: string
  bytes: number
  sha256: string
}

type Header = (name: string) => string | undefined

/** The kind of download: whole file, range, not modified (304), or range not satisfiable (416). */
export type Download =
  | { status: 200; range: null }
  | { status: 206; range: ByteRange }
  | { status: 304 | 416; range: null }

/**
 * Evaluates If-None-Match, Range and If-Range (RFC 9110 sections 13.1.2, 13.1.5, 14.2). A request
 * for several ranges gets the whole file.
 */
export function planDownload(file: ServedFile, header: Header): Download {
  const etag = etagOf(file)
  const known = (header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  if (known.includes(etag) || known[0] === "*") return { status: 304, range: null }
  const condition = header("if-range")
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header("range")?.trim() ?? "")
  if (!match || match[0].length === 7 || (condition !== undefined && condition.trim() !== etag)) {
    return { status: 200, range: null }
  }
  const [, from = "", to = ""] = match
  if (from !== "" && to !== "" && Number(to) < Number(from)) return { status: 200, range: null }
  const offset = from === "" ? Math.max(0, file.bytes - Number(to)) : Number(from)
  const last = from === "" || to === "" ? file.bytes - 1 : Math.min(Number(to), file.bytes - 1)
  if (offset > last) return { status: 416, range: null }
  return { status: 206, range: { offset, length: last - offset + 1 } }
}

/**
 * Headers that make a browser save an account's file instead of running it. `inPages`: our pages
 * can load it with a cookie.
 */
export function fileHeaders(
  file: ServedFile,
  { range }: Download,
  { inPages }: { inPages: boolean },
): Record<string, string> {
  // The type may have been stored under an earlier rule.
  const type = safeMediaType(file.media_type)
  return {
    "content-type": inPages ? inertMediaType(type) : type,
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

/** RFC 6266: an ASCII name for old clients, and the real name as in RFC 8187. */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_")
  const real = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${real}`
}

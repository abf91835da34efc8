/** Types that say nothing of the bytes: senders put them where they do not know better. */
const GENERIC = new Set([
  "application/octet-stream",
  "binary/octet-stream",
  "application/binary",
  "application/x-binary",
  "*/*",
])

export const isGeneric = (type: string) => GENERIC.has(essence(type))

/** Unregistered names that are in use, and the registered ones. */
const ALIASES: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "image/x-webp": "image/webp",
  "application/x-pdf": "application/pdf",
  "application/acrobat": "application/pdf",
  "text/pdf": "application/pdf",
  "text/json": "application/json",
  "application/x-json": "application/json",
}

/** The type without its parameters, in lower case, under its registered name. */
export function essence(mediaType: string): string {
  const [type = ""] = mediaType.toLowerCase().split(";")
  const plain = type.trim()
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] as string) : plain
}

/** How many of the first bytes `sniffed` looks at: readers look for the mark of a PDF in the first kilobyte. */
export const SNIFFED_BYTES = 1024

/** What the first bytes say: a picture or a PDF that providers take; null for anything else. */
export function sniffed(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES))
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp"
  return head.includes("%PDF-") ? "application/pdf" : null
}

/** The charset that bytes have: a byte order mark, or else what the type declares, or else UTF-8. */
export function charsetOf(bytes: Uint8Array, mediaType: string): string {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? "utf-8"
}

/** The bytes as text by their charset; null when they are no text in it. An unknown charset is read as UTF-8. */
export function decodeText(bytes: Uint8Array, mediaType: string): string | null {
  try {
    return decoderOf(charsetOf(bytes, mediaType), true).decode(bytes)
  } catch {
    return null
  }
}

/** A decoder of a declared charset, or of UTF-8 where the runtime does not know it. */
export function decoderOf(charset: string, fatal = false): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: false })
  } catch {
    return new TextDecoder("utf-8", { fatal, ignoreBOM: false })
  }
}

/** Types that say nothing about the content. Senders use them if they do not know the type. */
const GENERIC = new Set([
  "application/octet-stream",
  "binary/octet-stream",
  "application/binary",
  "application/x-binary",
  "*/*",
])

export const isGeneric = (type: string) => GENERIC.has(essence(type))

/** Unregistered type names in use, and their registered names. */
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

/** The media type without parameters, in lower case, under its registered name. */
export function essence(mediaType: string): string {
  const [type = ""] = mediaType.toLowerCase().split(";")
  const plain = type.trim()
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] as string) : plain
}

/** How many bytes `sniffed` reads. PDF readers search the first kilobyte for the marker too. */
export const SNIFFED_BYTES = 1024

/** The type that the first bytes show: an image or PDF type that providers accept; null for any other content. */
export function sniffed(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES))
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp"
  return head.includes("%PDF-") ? "application/pdf" : null
}

/** The charset of bytes: from a byte order mark, otherwise from the media type, otherwise UTF-8. */
export function charsetOf(bytes: Uint8Array, mediaType: string): string {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(mediaType)?.[1]?.toLowerCase() ?? "utf-8"
}

/** Decodes bytes by their charset; null if they are not valid text in it. An unknown charset is read as UTF-8. */
export function decodeText(bytes: Uint8Array, mediaType: string): string | null {
  try {
    return decoderOf(charsetOf(bytes, mediaType), true).decode(bytes)
  } catch {
    return null
  }
}

/** A decoder for a declared charset, or for UTF-8 if the runtime does not know the charset. */
export function decoderOf(charset: string, fatal = false): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: false })
  } catch {
    return new TextDecoder("utf-8", { fatal, ignoreBOM: false })
  }
}

/** Media types by extension: the registered types (IANA) of what agents write and people attach. */
const BY_EXTENSION: Record<string, string> = {
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  ics: "text/calendar",
  json: "application/json",
  jsonl: "application/jsonl",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  sql: "application/sql",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
}

/** The media type of a name's extension, if it is a known one. */
export function mediaTypeOf(name: string): string | undefined {
  const extension = name.split(".").at(-1)?.toLowerCase() ?? ""
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}

/** Types whose bytes a model can read as text. */
export const TEXT_TYPES =
  /^text\/|^application\/(json|jsonl|xml|yaml|sql|javascript|x-ndjson|x-yaml)$|\+(json|xml|yaml)$/

/** Whether a model can read the bytes as text. */
export function isText(mediaType: string): boolean {
  return TEXT_TYPES.test(essence(mediaType))
}

const UNKNOWN = "application/octet-stream"

/** Types that say nothing of the bytes: senders put them where they do not know better. */
const GENERIC = new Set([UNKNOWN, "binary/octet-stream", "application/binary", "application/x-binary", "*/*"])

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

/** What the first bytes say: a picture or a PDF that providers take; null for anything else. */
export function sniffed(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 1024))
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp"
  // Readers look for the mark of a PDF in the first kilobyte.
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
const TOKEN = "[a-z0-9][a-z0-9!#$&^_.+-]{0,62}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`)
/** Those that are in use. Others are left out: a platform that cannot write one would fail the download. */
const CHARSET =
  /^\s*charset="?(utf-8|utf-16(?:le|be)?|us-ascii|iso-8859-(?:[1-9]|1[0-6])|windows-125[0-8]|shift_jis|euc-(?:jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5|koi8-[ru])"?\s*$/

/**
 * `type/subtype` in lower case with at most a charset (RFC 9110 section 8.3.1, names as RFC 6838 section 4.2 has them);
 * application/octet-stream for anything else.
 */
export function safeMediaType(given: string | null | undefined): string {
  const [type = "", ...parameters] = (given ?? "").toLowerCase().split(";")
  if (!TYPE.test(type.trim())) return UNKNOWN
  const known = essence(type)
  const charset = parameters.map((parameter) => CHARSET.exec(parameter)?.[1]).find(Boolean)
  return charset ? `${known}; charset=${charset}` : known
}

/** Types that a browser runs or applies in a page: scripts, styles, transformations, WebAssembly. */
const RUN_BY_PAGES = /script|\/css|xsl|\/wasm/

/** A type under which no page runs a file. With nosniff a browser takes only those types as scripts and styles. */
export const inertMediaType = (type: string) => (RUN_BY_PAGES.test(type.toLowerCase()) ? UNKNOWN : type)

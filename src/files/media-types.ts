import { essence } from "../base/media-bytes.ts"

/** IANA media types by extension, for files that agents write and people attach. */
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

/** The media type of a name's extension; undefined if the extension is unknown. */
export function mediaTypeOf(name: string): string | undefined {
  const extension = name.split(".").at(-1)?.toLowerCase() ?? ""
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
}

/** Media types that a model can read as text. */
export const TEXT_TYPES =
  /^text\/|^application\/(json|jsonl|xml|yaml|sql|javascript|x-ndjson|x-yaml)$|\+(json|xml|yaml)$/

/** True if a model can read the bytes as text. */
export function isText(mediaType: string): boolean {
  return TEXT_TYPES.test(essence(mediaType))
}

const UNKNOWN = "application/octet-stream"

const TOKEN = "[a-z0-9][a-z0-9!#$&^_.+-]{0,62}"
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`)
/** Charsets that are in use. Others are removed: if a platform does not support one, the download would fail. */
const CHARSET =
  /^\s*charset="?(utf-8|utf-16(?:le|be)?|us-ascii|iso-8859-(?:[1-9]|1[0-6])|windows-125[0-8]|shift_jis|euc-(?:jp|kr)|iso-2022-jp|gb2312|gbk|gb18030|big5|koi8-[ru])"?\s*$/

/**
 * A safe media type: `type/subtype` in lower case with at most a charset (RFC 9110, 8.3.1; RFC 6838, 4.2). Anything
 * else becomes application/octet-stream.
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

/** A media type that no page can run. With nosniff, a browser accepts only RUN_BY_PAGES types as scripts and styles. */
export const inertMediaType = (type: string) => (RUN_BY_PAGES.test(type.toLowerCase()) ? UNKNOWN : type)

/** What an extension says; the registered types of what agents write and people attach (IANA). */
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
  const [type = ""] = mediaType.split(";")
  return TEXT_TYPES.test(type)
}

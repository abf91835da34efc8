import { FILE_POLICY } from "./policies.ts"

const encoder = new TextEncoder()

/**
 * A name that can stand in a header, a list and a folder: the last part of a path, without control characters and without
 * invisible ones that change how it reads, in NFC, cut in front of its extension. Every script stays as it is.
 */
export function safeName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? ""
  const clean = last
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu, "")
    .trim()
  if (/^\.*$/.test(clean)) return "file"
  const dot = clean.lastIndexOf(".")
  const extension = dot > 0 && clean.length - dot <= 20 ? clean.slice(dot) : ""
  return cut(clean.slice(0, clean.length - extension.length), extension)
}

/** Shortens the stem, by whole graphemes, until both fit. */
function cut(stem: string, extension: string): string {
  const fits = (text: string) =>
    [...text].length <= FILE_POLICY.maxNameCharacters && encoder.encode(text).length <= FILE_POLICY.maxNameBytes
  if (fits(stem + extension)) return stem + extension
  let kept = ""
  for (const { segment } of new Intl.Segmenter().segment(stem.slice(0, FILE_POLICY.maxNameBytes))) {
    if (!fits(kept + segment + extension)) break
    kept += segment
  }
  return (kept || "file") + extension
}

/** `type/subtype` in lower case with at most a charset (RFC 9110, section 8.3.1); what is none, is application/octet-stream. */
export function safeMediaType(given: string): string {
  const [type = "", ...parameters] = given.toLowerCase().split(";")
  const token = "[a-z0-9][a-z0-9!#$&^_.+-]{0,62}"
  if (!new RegExp(`^${token}/${token}$`).test(type.trim())) return "application/octet-stream"
  const charset = parameters
    .map((parameter) => /^\s*charset="?([a-z0-9_-]{1,40})"?\s*$/.exec(parameter)?.[1])
    .find(Boolean)
  return charset ? `${type.trim()}; charset=${charset}` : type.trim()
}

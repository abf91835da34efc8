import { FILE_POLICY } from "./policies.ts"

const encoder = new TextEncoder()

/** Control characters, line separators, and characters that are invisible or change the text direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/** Persian, Indic scripts and emoji need joiners. Next to ASCII characters, or doubled, they only hide something. */
const STRAY_JOINER = /(?<![^\0-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f\u200c\u200d])/gu

/**
 * A file name that is safe in a header, a list and a folder: the last part of a path, without invisible characters,
 * in NFC, shortened before its extension. All scripts are allowed. A name that is empty or only dots becomes
 * "file".
 */
export function safeName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? ""
  const clean = last.replace(UNSEEN, "").replace(STRAY_JOINER, "").normalize("NFC").trim()
  if (/^\.*$/.test(clean)) return "file"
  return cut(...partsOf(clean))
}

/** The name with a number before its extension: `cat-2.png`. */
export function numberedName(safe: string, number: number): string {
  const [stem, extension] = partsOf(safe)
  return cut(stem, `-${number}${extension}`)
}

function partsOf(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf(".")
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ""
  return [name.slice(0, name.length - extension.length), extension]
}

/** Shortens the stem, by whole graphemes, until stem and extension fit. */
function cut(stem: string, extension: string): string {
  const fits = (text: string) =>
    [...text].length <= FILE_POLICY.maxNameCharacters && encoder.encode(text).length <= FILE_POLICY.maxNameBytes
  if (fits(stem + extension)) return stem + extension
  let kept = ""
  for (const { segment } of new Intl.Segmenter().segment(stem)) {
    if (!fits(kept + segment + extension)) break
    kept += segment
  }
  return (kept.trim() || "file") + extension
}

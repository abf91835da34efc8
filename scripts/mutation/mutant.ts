/** A small change of a source file for which a test should fail. */
export interface Mutant {
  file: string
  /** The start and end of the change in the text. */
  from: number
  to: number
  becomes: string
}

/** Describes a mutant as `src/room/file.sql:12:5 was → becomes`. */
export function describeMutant({ file, from, to, becomes }: Mutant, text: string): string {
  return `${placeOf(file, text, from)} ${describeChange(text.slice(from, to), becomes)}`
}

/** The place as `src/room/file.sql:12:5`, which editors can open. */
export function placeOf(file: string, text: string, at: number): string {
  const lines = text.slice(0, at).split("\n")
  return `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** The line at this offset, with its indentation. */
export function sourceLine(text: string, at: number): string {
  const end = text.indexOf("\n", at)
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end).trimEnd()
}

/** Describes the change without the common start and end. */
export function describeChange(was: string, becomes: string): string {
  const short = (words: string) => {
    const line = words.replace(/\s+/g, " ").trim()
    return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line
  }
  return becomes.trim() === "" ? `${short(was)} → nothing` : `${short(was)} → ${short(becomes)}`
}

/** One small change of a source file that a test should notice. */
export interface Mutant {
  file: string
  /** Where the change begins and ends in the text. */
  from: number
  to: number
  becomes: string
}

/** `src/room/file.sql:12:5 was → becomes`. */
export function describeMutant({ file, from, to, becomes }: Mutant, text: string): string {
  return `${placeOf(file, text, from)} ${describeChange(text.slice(from, to), becomes)}`
}

/** `src/room/file.sql:12:5`, as editors know it. */
export function placeOf(file: string, text: string, at: number): string {
  const lines = text.slice(0, at).split("\n")
  return `${file}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** With its indentation. */
export function sourceLine(text: string, at: number): string {
  const end = text.indexOf("\n", at)
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end).trimEnd()
}

/** Without what both begin and end with. */
export function describeChange(was: string, becomes: string): string {
  const short = (words: string) => {
    const line = words.replace(/\s+/g, " ").trim()
    return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line
  }
  return becomes.trim() === "" ? `${short(was)} → nothing` : `${short(was)} → ${short(becomes)}`
}

/** The lengths of a chunk, in UTF-16 units: it ends after a space from `least` on, and otherwise at `most`. */
const CHUNK = { least: 4, most: 16 } as const

/**
 * Cuts a text into chunks that depend only on the text, not on the pieces in which it arrives. So a response has the
 * same events with the same numbers whenever it is read.
 */
export class TextChunks {
  private rest = ""

  /** Returns the chunks that a piece completes. */
  add(piece: string): string[] {
    const text = this.rest + piece
    const chunks: string[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const length = at + 1 - from
      const isHalf = /[\ud800-\udbff]/.test(text.charAt(at))
      if (isHalf || (length < CHUNK.most && (length < CHUNK.least || !/\s/.test(text.charAt(at))))) continue
      chunks.push(text.slice(from, at + 1))
      from = at + 1
    }
    this.rest = text.slice(from)
    return chunks
  }

  /** Returns the last chunk, if there is one. */
  end(): string[] {
    const { rest } = this
    this.rest = ""
    return rest === "" ? [] : [rest]
  }
}

export function chunkCount(text: string): number {
  const chunks = new TextChunks()
  return chunks.add(text).length + chunks.end().length
}

/** More chunks than a reader can be ahead of the log (PUSH_POLICY.aheadChars). */
export const MOST_CHUNKS_AHEAD = 20_000

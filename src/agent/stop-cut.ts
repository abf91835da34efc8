import type { AssistantPart, ModelAnswer } from "./engine.ts"

/**
 * Ends a text before the first of some sequences. Not every provider has such a setting, and a provider that has one
 * leaves nothing to cut.
 */
export class StopCut {
  private readonly stops: readonly string[]
  /** The end of the text so far, if a sequence may begin with it. */
  private held = ""
  private isOver = false

  constructor(stops: readonly string[]) {
    this.stops = stops
  }

  /** Returns what can be shown of a piece and of what was held back. */
  take(piece: string): string {
    if (this.isOver || this.stops.length === 0) return this.isOver ? "" : piece
    const text = this.held + piece
    const end = this.firstIn(text)
    this.isOver = end < text.length
    const shown = this.isOver ? end : text.length - this.begunAtEnd(text)
    this.held = this.isOver ? "" : text.slice(shown)
    return text.slice(0, shown)
  }

  /** The rest, at the end of the answer. */
  end(): string {
    const { held } = this
    this.held = ""
    return held
  }

  /** The answer without what comes after the first sequence. */
  cut(answer: ModelAnswer): ModelAnswer {
    const content: AssistantPart[] = []
    for (const part of answer.content) {
      const end = part.type === "text" ? this.firstIn(part.text) : Number.POSITIVE_INFINITY
      if (part.type !== "text" || end === part.text.length) {
        content.push(part)
        continue
      }
      if (end > 0) content.push({ ...part, text: part.text.slice(0, end) })
      return { ...answer, text: answer.text.slice(0, this.firstIn(answer.text)), content, finish: "stop" }
    }
    return answer
  }

  /** Where the sequence begins that is whole first, as a model stops; the length of the text without one. */
  private firstIn(text: string): number {
    let first = { begin: text.length, end: Number.POSITIVE_INFINITY }
    for (const stop of this.stops) {
      const begin = text.indexOf(stop)
      const end = begin + stop.length
      if (begin >= 0 && (end < first.end || (end === first.end && begin < first.begin))) first = { begin, end }
    }
    return first.begin
  }

  /** How many characters at the end may be the beginning of a sequence. */
  private begunAtEnd(text: string): number {
    const most = Math.max(...this.stops.map(({ length }) => length)) - 1
    for (let length = Math.min(most, text.length); length > 0; length--) {
      const end = text.slice(text.length - length)
      if (this.stops.some((stop) => stop.startsWith(end))) return length
    }
    return 0
  }
}

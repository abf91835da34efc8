import type { AssistantPart, ModelAnswer, ModelCall } from "../agent/engine.ts"
import { textOf } from "../agent/engine.ts"

/** A shorter beginning may be how the answer truly goes on: "ha" and "ha, ha". */
const LEAST = 4

/** What an answer has said before it was cut off, where a call is asked to go on from there; else an empty text. */
function begunIn({ engine, messages }: ModelCall): string {
  // A rehearsal goes on exactly.
  if (engine === "rehearsal") return ""
  const first = messages.findLastIndex((message) => message.role !== "assistant" || !message.cut) + 1
  return messages.slice(first).map(textOf).join("")
}

/** Tells what is new in a continuation from what its answer has said already: many models begin again instead of going on. */
export class Continuation {
  private readonly begun: string
  /** What came and is the beginning of what was said, so far. */
  private held = ""
  private isNew: boolean
  /** How many characters were left out. */
  private repeated = 0

  constructor(call: ModelCall) {
    this.begun = begunIn(call).trimStart()
    this.isNew = this.begun === ""
  }

  /** What is new of a piece as it comes. */
  take(piece: string): string {
    if (this.isNew) return piece
    this.held += piece
    const said = this.held.trimStart()
    if (this.begun.startsWith(said)) return ""
    this.isNew = true
    if (!said.startsWith(this.begun) || this.begun.length < LEAST) return this.held
    this.repeated = this.held.length - said.length + this.begun.length
    return this.held.slice(this.repeated)
  }

  /** At the end of a whole answer: what was held back and is new after all. */
  end(): string {
    if (this.isNew || this.held === "") return ""
    const said = this.held.trim()
    if (said.length >= LEAST || said === this.begun.trim()) {
      this.repeated = this.held.length
      return ""
    }
    this.isNew = true
    return this.held
  }

  /** A whole answer without what it repeats. */
  rest(answer: ModelAnswer): ModelAnswer {
    let left = this.repeated
    if (left === 0) return answer
    const content = answer.content.flatMap((part): AssistantPart[] => {
      if (part.type !== "text") return [part]
      const text = part.text.slice(left)
      left = Math.max(0, left - part.text.length)
      return text === "" ? [] : [{ ...part, text }]
    })
    return { ...answer, text: answer.text.slice(this.repeated), content }
  }

  /** Whether a call that was cut off has said nothing that was not said before. */
  repeats(text: string): boolean {
    return this.begun !== "" && text.trim().length >= LEAST && this.begun.includes(text.trim())
  }

  /** Whether a whole answer only repeats what was said before, so it is not billed. */
  onlyRepeats({ content, finish }: ModelAnswer): boolean {
    const isPlain = finish === "stop" || finish === "other"
    return this.repeated > 0 && isPlain && content.every(({ type }) => type === "reasoning")
  }
}

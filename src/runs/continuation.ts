import type { AssistantPart, ModelAnswer, ModelCall } from "../agent/engine.ts"
import { textOf } from "../agent/engine.ts"

/** A shorter text may be no repetition but the true continuation, such as "ha" after "ha". In characters. */
const LEAST = 4

/** The text of the cut answer that a call must continue; empty if there is no such answer. */
function begunIn({ engine, messages }: ModelCall): string {
  // A rehearsal continues exactly and repeats nothing.
  if (engine === "rehearsal") return ""
  const first = messages.findLastIndex((message) => message.role !== "assistant" || message.asks !== "cut") + 1
  return messages.slice(first).map(textOf).join("")
}

/** Removes repeated text from a continuation: many models start their answer again instead of continuing it. */
export class Continuation {
  private readonly begun: string
  /** Text that has arrived and so far equals the beginning of the earlier text. */
  private held = ""
  private isNew: boolean
  /** How many characters were removed. */
  private repeated = 0

  constructor(call: ModelCall) {
    this.begun = begunIn(call).trimStart()
    this.isNew = this.begun === ""
  }

  /** Returns the new text of a piece as it arrives. */
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

  /** At the end of a whole answer, returns the text that was held back but is new. */
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

  /** Returns a whole answer without the repeated text. */
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

  /** True if a call that was cut off has only repeated earlier text. */
  repeats(text: string): boolean {
    return this.begun !== "" && text.trim().length >= LEAST && this.begun.includes(text.trim())
  }

  /** True if a whole answer only repeats earlier text, so that it is not billed. */
  onlyRepeats({ content, finish }: ModelAnswer): boolean {
    const isPlain = finish === "stop" || finish === "other"
    return this.repeated > 0 && isPlain && content.every(({ type }) => type === "reasoning")
  }
}

import type { AssistantPart } from "./engine.ts"

const [OPEN, CLOSE] = ["<think>", "</think>"]

/** A piece of text, and the reasoning that is hidden from owners. */
interface Told {
  text: string
  hidden: string
}

/**
 * Separates the reasoning from an answer that begins with <think>, which servers without a parser
 * pass on. Later tags are text. An answer that ends normally without </think> has no reasoning.
 */
export class Thinking {
  private state: "before" | "inside" | "after" | "over" = "before"
  private held = ""
  private thinks = false
  private thought = ""
  text = ""

  /** Takes the next piece. Half a tag is held back until the rest arrives. */
  take(piece: string): Told {
    const told = this.told(piece)
    this.text += told.text
    this.thought += told.hidden
    return told
  }

  private told(piece: string): Told {
    if (this.state === "over") return { text: piece, hidden: "" }
    this.held += piece
    if (this.state === "before") {
      const begun = this.held.trimStart()
      if (begun.length < OPEN.length && OPEN.startsWith(begun)) return NOTHING
      if (!begun.startsWith(OPEN)) return { text: this.rest(), hidden: "" }
      this.state = "inside"
      this.thinks = true
      this.held = begun.slice(OPEN.length)
    }
    const hidden = this.state === "inside" ? this.inside() : ""
    const text = this.state === "after" ? this.held.trimStart() : ""
    return { text: text === "" ? "" : this.rest().trimStart(), hidden }
  }

  /** Returns the part of the held text that is certainly reasoning. */
  private inside(): string {
    const end = this.held.indexOf(CLOSE)
    const until = end < 0 ? Math.max(0, this.held.length - CLOSE.length + 1) : end
    const hidden = this.held.slice(0, until)
    this.held = this.held.slice(end < 0 ? until : until + CLOSE.length)
    if (end >= 0) this.state = "after"
    return hidden
  }

  private rest(): string {
    const rest = this.held
    this.held = ""
    this.state = "over"
    return rest
  }

  /** Splits the text of an answer's parts into reasoning and text. */
  apart(parts: AssistantPart[]): AssistantPart[] {
    if (!this.thinks) return parts
    const others = parts.filter(({ type }) => type !== "text")
    const thought = this.thought.trim()
    return [
      ...(thought === "" ? [] : [{ type: "reasoning" as const, text: thought }]),
      ...(this.text === "" ? [] : [{ type: "text" as const, text: this.text }]),
      ...others,
    ]
  }

  /** Ends the answer. `byItself`: the model ended it, so it was not cut off. */
  end({ byItself }: { byItself: boolean }): Told {
    const isInside = this.state === "inside"
    const isText = this.state === "before" || (isInside && byItself)
    const told = { text: isText ? this.rest() : "", hidden: isText ? "" : this.rest() }
    if (isInside && byItself) {
      told.text = OPEN + this.thought + told.text
      this.thinks = false
    }
    this.text += told.text
    if (isInside) this.thought += told.hidden
    return told
  }
}

const NOTHING: Told = { text: "", hidden: "" }

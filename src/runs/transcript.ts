import { wireBytes } from "../agent-config/request-parts.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { joinedText, type StepRow } from "../turns/step-row.ts"

/** The steps of a turn so far, over all its agents. */
export class Transcript {
  private readonly steps: readonly StepRow[]
  private next: number
  private bytes: number

  /**
   * `steps`: the array of the claim, to which each committed step is appended. `links`: earlier turns of its exchange.
   */
  constructor(steps: readonly StepRow[], links: readonly object[]) {
    this.steps = steps
    this.next = steps.reduce((next, { step }) => Math.max(next, step + 1), 0)
    this.bytes = wireBytes(steps) + (links.length > 0 ? wireBytes(links) : 0)
  }

  /** The number of the next step. */
  nextStep(): number {
    return this.next++
  }

  grow(bytes: number): void {
    this.bytes += bytes
  }

  /** The limit that is exceeded, or null. */
  get limit(): "STEP_LIMIT_REACHED" | "TRANSCRIPT_LIMIT_REACHED" | null {
    if (this.next > TURN_POLICY.maxModelCalls) return "STEP_LIMIT_REACHED"
    return this.bytes > TURN_POLICY.transcriptBytes ? "TRANSCRIPT_LIMIT_REACHED" : null
  }

  get isEmpty(): boolean {
    return this.steps.length === 0
  }

  /** The text of the space's own agent so far, with `text` at its end; null if it is empty. */
  partialResult(text = ""): string | null {
    const own = this.steps.filter(({ agent }) => agent === null)
    return joinedText([...own, { text, finish: "stop" }]) || null
  }
}

import { wireBytes } from "../agent-config/request-parts.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { joinedText, type StepRow } from "../turns/step-row.ts"

/** What the agents of a turn have said so far: its steps, over all agents. */
export class Transcript {
  private readonly steps: readonly StepRow[]
  private next: number
  private bytes: number

  /** `steps`: the claim's, to which each committed step is added. */
  constructor(steps: readonly StepRow[]) {
    this.steps = steps
    this.next = steps.reduce((next, { step }) => Math.max(next, step + 1), 0)
    this.bytes = wireBytes(steps)
  }

  /** The number of the next step. */
  nextStep(): number {
    return this.next++
  }

  grow(bytes: number): void {
    this.bytes += bytes
  }

  /** The limit that is passed, or null. */
  get limit(): "STEP_LIMIT_REACHED" | "TRANSCRIPT_LIMIT_REACHED" | null {
    if (this.next > TURN_POLICY.maxModelCalls) return "STEP_LIMIT_REACHED"
    return this.bytes > TURN_POLICY.transcriptBytes ? "TRANSCRIPT_LIMIT_REACHED" : null
  }

  get isEmpty(): boolean {
    return this.steps.length === 0
  }

  /** What the space's own agent has said so far, with `text` as its last words, or null. */
  partialResult(text = ""): string | null {
    const own = this.steps.filter(({ agent }) => agent === null)
    return joinedText([...own, { text, finish: "stop" }]) || null
  }
}

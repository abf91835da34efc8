import { isDeepStrictEqual } from "node:util"
import { type AssistantPart, callsOf, type EngineName, type ModelAnswer, type ToolOutput } from "../agent/engine.ts"
import { countRowOf } from "../agent/token-names.ts"
import type { Served } from "../providers/account.ts"

/** A committed step: the model's output, and the results of its calls so far, by their index. */
export interface StepRow {
  step: number
  agent: string | null
  text: string
  content: AssistantPart[]
  finish: ModelAnswer["finish"]
  results: Record<string, ToolOutput>
}

/** Restores the content of a stored step: content that is only its text is not stored. */
export const stepRowOf = <Row extends Pick<StepRow, "text" | "content">>(row: Row): Row =>
  row.content.length > 0 || row.text === "" ? row : { ...row, content: [{ type: "text", text: row.text }] }

/** The indexes of a step's calls that have no result yet. */
export function pendingCalls({ content, results }: StepRow): number[] {
  return callsOf(content).flatMap((_, index) => (results[index] ? [] : [index]))
}

/** True if the text of the next step continues the text of this one. */
export const goesOn = (finish: StepRow["finish"] | undefined) => finish === "aborted" || finish === "paused"

/**
 * True if nothing follows the step: it has no calls, is not the "more" of a rehearsed step, and was not cut off. After
 * an empty step the model is asked again once, so only a second one (`before`: the step before it) is an answer.
 */
export function isAnswer({ content, finish }: StepRow, before: Pick<StepRow, "finish"> | undefined): boolean {
  if (finish === "empty") return before?.finish === "empty"
  return finish !== "more" && !goesOn(finish) && callsOf(content).length === 0
}

type Said = Pick<StepRow, "text" | "finish">

/** The last answer of an agent, with the text right before it that was cut off, which is its beginning. */
export function answerText(steps: readonly Said[]): string {
  const begins = steps.findLastIndex(({ finish }, at) => !goesOn(finish) && at < steps.length - 1) + 1
  return joinedText(steps.slice(begins))
}

/** All text of an agent: its answers as paragraphs, the pieces of one answer joined. */
export function joinedText(steps: readonly Said[]): string {
  return steps.reduce((all, { text }, at) => {
    const before = steps[at - 1]
    const isNext = before !== undefined && !goesOn(before.finish)
    return isNext && all !== "" && text !== "" ? `${all}\n\n${text}` : all + text
  }, "")
}

const isTextAlone = ({ text, content }: ModelAnswer): boolean => isDeepStrictEqual(content, [{ type: "text", text }])

/** A model call that returned, or was cut off after it had produced output, as its commit writes it. */
export interface FinishedStep {
  /** Its number in the turn, over all agents: 0, 1, 2, … */
  step: number
  /** The tool call that the sub-agent works for; null for the space's own agent. */
  agent: string | null
  /** The sub-agent's name. */
  subagent: string | null
  answer: ModelAnswer
  provider: EngineName
  pin: string
  priceVersion: number
  /** The modifiers of its price. */
  modifiers: readonly string[]
  /** Credit micros, bounded by the rest of the hold. */
  cost: number
  /** The price of all its tokens. The part above the cost is our loss. */
  price: number
  /** What the provider charges us for these tokens. */
  providerCost: number
  durationSec: number
  /** The account that served it; null: the environment's. */
  served: Served | null
}

/** A step as an argument of the procedures. */
export function stepArgument(finished: FinishedStep) {
  const { step, agent, subagent, answer, provider, pin, priceVersion, served, modifiers } = finished
  const { cost, price, providerCost, durationSec } = finished
  const { usage, text, content, finish, responseId } = answer
  return {
    step,
    agent,
    subagent,
    text,
    content: isTextAlone(answer) ? [] : content,
    calls: callsOf(content).length,
    finish,
    cost,
    price,
    ...(providerCost !== cost && { provider_cost: providerCost }),
    provider,
    model: pin,
    ...countRowOf(usage),
    duration_sec: durationSec,
    price_version: priceVersion,
    ...(modifiers.length > 0 && { modifiers }),
    ...(responseId !== undefined && { response_id: responseId }),
    ...served,
  }
}

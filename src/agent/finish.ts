import { type AssistantPart, type ModelAnswer, ModelError } from "./engine.ts"
import type { Evidence } from "./evidence.ts"

type Finish = ModelAnswer["finish"]

/** The reasons for the end of a whole answer, as providers write them. Any other reason is no evidence of one. */
const REASONS = {
  refused: ["refusal", "refused"],
  filtered: [
    "content_filter",
    "content-filter",
    "content_filtered",
    "guardrail_intervened",
    "sensitive",
    "safety",
    "image_safety",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
  ],
  error: [
    "error",
    "network_error",
    "insufficient_system_resource",
    "malformed_function_call",
    "malformed_tool_use",
    "malformed_model_output",
    "function_call_filter",
    "unexpected_tool_call",
    "too_many_tool_calls",
  ],
  length: [
    "length",
    "max_tokens",
    "max_output",
    "max_output_tokens",
    "max_completion_tokens",
    "max_new_tokens",
    "token_limit",
    "model_length",
    "model_context_window_exceeded",
  ],
  paused: ["pause_turn"],
  calls: ["tool_calls", "tool_call", "tool_use", "tool-calls", "function_call"],
  stop: ["stop", "end_turn", "stop_sequence", "completed"],
  other: ["eos", "eos_token", "end", "done", "complete", "finished", "success", "normal"],
} as const

type Reason = keyof typeof REASONS

const reasonOf = (word: string) =>
  (Object.keys(REASONS) as Reason[]).find((reason) => (REASONS[reason] as readonly string[]).includes(word)) ?? word

/** True if this is the provider's reason for an answer that is cut, so that calls in it may not be whole. */
export const isCutFor = (word: string) => ["length", "paused"].includes(reasonOf(word))

/** Some models end an empty answer with a few invisible tokens. */
const INVISIBLE_TOKENS = 4

/**
 * Determines how an answer ended. Throws a ModelError for an answer that is not whole: only the provider's own words
 * are evidence of a whole one.
 */
export function finishOf(evidence: Evidence, parts: readonly Pick<AssistantPart, "type">[]): Finish {
  const reasons = evidence.reasons.map(reasonOf)
  const has = (reason: Reason) => reasons.includes(reason)
  for (const fault of ["refused", "filtered", "error"] as const) if (has(fault)) return fault
  const unknown = reasons.find((reason) => !Object.hasOwn(REASONS, reason))
  if (unknown !== undefined) throw broken(`The provider ended the answer with "${unknown.slice(0, 50)}".`)
  const hasCalls = parts.some(({ type }) => type === "tool-call")
  if (reasons.length === 0) needEnd(evidence, { hasParts: parts.length > 0, hasCalls })
  if (evidence.isRefusal) return "refused"
  if (has("length")) return "length"
  if (has("paused")) return "paused"
  if (evidence.hasOpenCall) throw broken("The provider ended the answer within a tool call.")
  if (hasCalls) return "tool-calls"
  if (has("calls") && !evidence.hasOwnCalls) throw broken("The provider announced a tool call and sent none.")
  const { said, reasoning } = evidence.tokens.output
  if (parts.length === 0 && !evidence.hasOwnCalls && said - reasoning > INVISIBLE_TOKENS) {
    throw broken(`The provider counted ${said} tokens and sent none of them.`)
  }
  return has("stop") ? "stop" : "other"
}

/** Without a reason, the end that the stream announces is the evidence, or a last frame with counts after a text. */
function needEnd(evidence: Evidence, { hasParts, hasCalls }: { hasParts: boolean; hasCalls: boolean }): void {
  const isCounted = evidence.tokens.output.said > 0
  const isWhole = evidence.isDone
    ? hasParts || isCounted
    : evidence.endsWithCounts && isCounted && hasParts && !hasCalls
  if (!isWhole) throw new ModelError("unavailable", "The provider's answer broke off.")
}

const broken = (message: string) => new ModelError("unavailable", message, { isVoid: true })

/** True if the model or its provider refused or failed. */
export const isFaulty = (finish: Finish) => finish === "refused" || finish === "filtered" || finish === "error"

import { composed } from "../base/casts.ts"
import { parseExact } from "../base/exact-json.ts"
import type { AssistantPart, Effort, Message, ModelCall, Setting } from "./engine.ts"
import { isTierName } from "./service-tier.ts"

/** Anthropic's least budget of reasoning in tokens. The answer gets as many. */
const LEAST_TOKENS = 1_024
/** The share of the output that may be reasoning, for models that take a budget. */
const BUDGET_SHARES: Record<Exclude<Effort, "none">, number> = { low: 0.2, medium: 0.5, high: 0.8 }
/** Anthropic's highest temperature. */
const MOST_TEMPERATURE = 1

/**
 * OpenAI's options about reasoning. A model that the SDK does not know is asked too: its refusal is learned. Without a
 * summary, which no page shows.
 */
export const reasoningOptions = (effort: Effort | undefined) =>
  effort === undefined ? {} : { reasoningSummary: null, ...(effort !== "none" && { forceReasoning: true }) }

/** The part of a request of Anthropic's API that this file changes. */
interface BudgetRequest {
  max_tokens: number
  temperature?: number
  thinking?: { type: string; budget_tokens?: number }
}

/**
 * Makes the budget of an Anthropic request a part of its output limit: the SDK adds it, and the hold would not pay for
 * it. Models without a budget are asked as the SDK does. `output`: the most tokens of reasoning and answer.
 */
export function withBudget(
  body: string,
  call: Pick<ModelCall, "messages" | "reasoning" | "temperature">,
  { output, onLeftOut }: { output: number; onLeftOut: (setting: Setting) => void },
): string {
  const { reasoning: effort, temperature, messages } = call
  if (effort === undefined || effort === "none") return body
  const request = composed<BudgetRequest>(parseExact(body) as object)
  if (request.thinking?.type !== "enabled") return body
  if (output < 2 * LEAST_TOKENS || !mayThink(messages)) {
    onLeftOut("reasoning")
    const { thinking: _thinking, ...plain } = request
    const cold = temperature !== undefined && { temperature: Math.min(temperature, MOST_TEMPERATURE) }
    return JSON.stringify({ ...plain, max_tokens: output, ...cold })
  }
  const budget = Math.min(output - LEAST_TOKENS, Math.max(LEAST_TOKENS, Math.floor(output * BUDGET_SHARES[effort])))
  return JSON.stringify({
    ...request,
    max_tokens: output,
    thinking: { ...request.thinking, budget_tokens: budget },
  })
}

/**
 * False if the answer that a call continues began without reasoning, such as one of an earlier try. Anthropic refuses
 * to reason in the middle of it.
 */
function mayThink(messages: readonly Message[]): boolean {
  const asked = messages.findLastIndex(
    (message) => message.role === "user" || (message.role === "assistant" && message.asks !== undefined),
  )
  const [begun] = messages.slice(asked + 1)
  if (begun?.role !== "assistant") return true
  const [first] = begun.content
  const signed = first?.type === "reasoning" ? first.providerOptions?.anthropic : undefined
  return signed?.signature !== undefined || signed?.redactedData !== undefined
}

const isOfProvider = ({ type, providerOptions }: AssistantPart) => type === "reasoning" && providerOptions !== undefined

/** True if messages have reasoning that only its provider can read. */
export const isSigned = (messages: readonly Message[]): boolean =>
  messages.some((message) => message.role === "assistant" && message.content.some(isOfProvider))

export const withoutSigned = (messages: Message[]): Message[] =>
  messages.map((message) =>
    message.role === "assistant"
      ? { ...message, content: message.content.filter((part) => !isOfProvider(part)) }
      : message,
  )

/** The setting that a refused parameter is; null: none that a call may do without. */
export function settingOf(call: ModelCall, parameter: string | null): Setting | null {
  const { temperature, reasoning, stop, serviceTier } = call
  if (parameter === "temperature") return temperature === undefined ? null : parameter
  if (parameter !== null && isTierName(parameter)) return serviceTier === undefined ? null : "service_tier"
  if (parameter === "stop" || parameter === "stop_sequences") return stop === undefined ? null : "stop"
  return reasoning !== undefined && parameter !== null && REASONING.test(parameter) ? "reasoning" : null
}

/** The names of reasoning in requests. OpenAI names a refused effort in place of its parameter. */
const REASONING = /^(reasoning|thinking|output_config|effort|adaptive|include|none|low|medium|high)\b|^reasoning_/

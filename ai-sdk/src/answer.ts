import type {
  JSONObject,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import type { Turn, TurnEvent } from "@turnpike-turns/client"

/** Failures whose text is an answer: the model or its provider refused. */
const REFUSED = ["MODEL_REFUSED", "CONTENT_FILTERED"]

/** True if a turn that has ended has an answer. */
export const hasAnswer = (turn: Turn) => turn.state === "done" || REFUSED.includes(turn.error?.code ?? "")

/** Calls of the caller's tools. Each carries the conversation that its result continues. */
export const callsOf = ({ calls, conversation }: Turn, prompt: string): LanguageModelV4ToolCall[] =>
  calls.map(({ id, name, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(input),
    providerMetadata: { turnpike: { conversation, prompt } },
  }))

/** How a turn ended, with its bill. */
export function endOf(turn: Turn) {
  const { tokens_input, tokens_cached, tokens_output, tokens_reasoning } = turn.usage
  const usage: LanguageModelV4Usage = {
    inputTokens: {
      total: tokens_input,
      noCache: tokens_input - tokens_cached,
      cacheRead: tokens_cached,
      cacheWrite: undefined,
    },
    outputTokens: { total: tokens_output, text: tokens_output - tokens_reasoning, reasoning: tokens_reasoning },
    raw: turn.usage,
  }
  return { usage, finishReason: finishOf(turn), providerMetadata: { turnpike: billOf(turn) } }
}

function finishOf(turn: Turn): LanguageModelV4FinishReason {
  const raw = turn.finish ?? turn.status_reason ?? turn.state
  if (turn.state !== "done") return { unified: hasAnswer(turn) ? "content-filter" : "error", raw }
  if (turn.finish === "tool_calls") return { unified: "tool-calls", raw }
  return { unified: turn.truncated ? "length" : "stop", raw }
}

/** `providerMetadata.turnpike` of an answer. */
function billOf(turn: Turn): JSONObject {
  return {
    turnId: turn.turn_id,
    conversation: turn.conversation,
    model: turn.model,
    costUsd: turn.billed_cost_usd,
    endUserChargeUsd: turn.end_user_charge_usd,
    outputs: turn.outputs.map((file) => ({ ...file })),
    warnings: turn.warnings,
  }
}

export const metadataOf = ({ turn_id, created_at, model }: Turn) => ({
  id: turn_id,
  timestamp: new Date(created_at),
  modelId: model,
})

/** The text of a turn in parts of a stream: one for each step, so a step that starts again has its own. */
export class StreamedText {
  readonly #write: (part: LanguageModelV4StreamPart) => Promise<void>
  #part = 0
  #written = ""

  constructor(write: (part: LanguageModelV4StreamPart) => Promise<void>) {
    this.#write = write
  }

  async read({ type, data }: TurnEvent): Promise<void> {
    // Sub-agents write for the agent, not for the reader.
    if (data.agent) return
    if (type === "step.started") await this.#end()
    if (type === "text.delta") await this.#add(String(data.text))
  }

  /** Adds the part of the result that was not streamed, as all of a result with a form. */
  async finish(result: string): Promise<void> {
    if (!result.startsWith(this.#written)) await this.#end()
    await this.#add(result.slice(this.#written.length))
    await this.#end()
  }

  async #add(delta: string): Promise<void> {
    if (delta === "") return
    if (this.#written === "") await this.#write({ type: "text-start", id: String(this.#part) })
    this.#written += delta
    await this.#write({ type: "text-delta", id: String(this.#part), delta })
  }

  async #end(): Promise<void> {
    if (this.#written !== "") await this.#write({ type: "text-end", id: String(this.#part++) })
    this.#written = ""
  }
}

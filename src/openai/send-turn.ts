import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { TurnTools } from "../dialects/caller-tools.ts"
import type { PlainMessage } from "../dialects/plain-messages.ts"
import { type DialectRequest, knowRequest, SEND_DIALECT_TURN_ERRORS, sendDialectTurn } from "../dialects/send-turn.ts"
import { CANCEL_TURN_ERRORS, cancelTurn } from "../turns/cancel-turn.ts"
import type { CreateTurn } from "../turns/schemas.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import { resultsIn } from "./caller-tools.ts"
import { continueFrom, requireNext } from "./previous-response.ts"

interface SharedBody
  extends Pick<CreateTurn, "metadata" | "max_cost_usd" | "timeout_seconds" | "temperature" | "store"> {
  model: string
  safety_identifier?: string | undefined
  user?: string | undefined
}

interface AskedTurn extends DialectRequest<SharedBody> {
  /** The field that has the messages. */
  field: "input" | "messages"
  messages: PlainMessage[]
  maxOutput: CreateTurn["max_output_tokens"]
  /** The field that has it. */
  outputField: string
  reasoning: CreateTurn["reasoning"]
  format: CreateTurn["response_format"]
  stop?: CreateTurn["stop"]
  tools: TurnTools
  conversation?: string | undefined
  previousResponse?: string | undefined
}

export const SEND_OPEN_AI_TURN_ERRORS = [...SEND_DIALECT_TURN_ERRORS, ...CANCEL_TURN_ERRORS] as const

/** Sends a turn for a request of OpenAI's API. Throws the errors of `sendDialectTurn`. */
export async function sendOpenAiTurn(ctx: Context, credential: Credential, asked: AskedTurn): Promise<SentTurn> {
  const { body: sent, field, messages, previousResponse } = asked
  const known = await knowRequest(ctx, credential, {
    dialect: "openai",
    request: asked,
    named: sent.safety_identifier ?? sent.user ?? asked.endUserRef,
    content: { body: sent, field },
  })
  const { idempotencyKey } = known
  const previous = previousResponse
    ? await continueFrom(ctx, credential, { responseId: previousResponse, idempotencyKey })
    : null
  const made = await sendDialectTurn(ctx, credential, {
    ...known,
    space: sent.model,
    messages,
    field,
    results: asked.conversation !== undefined || previous ? resultsIn(messages) : null,
    conversation: asked.conversation ?? previous?.conversation_id,
    position: previous ? previous.position + 1 : undefined,
    settings: settingsOf(asked),
    names: { end_user_ref: "safety_identifier", max_output_tokens: asked.outputField },
  })
  if (previous && !made.replayed) {
    try {
      requireNext(previous, made.made)
    } catch (error) {
      // Another turn of the conversation was accepted between the check and this turn.
      made.own?.leave()
      await cancelTurn(ctx, credential, made.made.turn_id)
      throw error
    }
  }
  return made
}

const settingsOf = ({ body: sent, ...asked }: AskedTurn) => ({
  ...(sent.metadata && { metadata: sent.metadata }),
  ...(sent.max_cost_usd !== undefined && { max_cost_usd: sent.max_cost_usd }),
  ...(sent.timeout_seconds !== undefined && { timeout_seconds: sent.timeout_seconds }),
  ...(sent.temperature !== undefined && { temperature: sent.temperature }),
  ...(asked.maxOutput !== undefined && { max_output_tokens: asked.maxOutput }),
  ...(asked.reasoning && { reasoning: asked.reasoning }),
  ...(asked.format && { response_format: asked.format }),
  ...(asked.stop && { stop: asked.stop }),
  ...(sent.store === false && { store: false }),
  ...asked.tools,
})

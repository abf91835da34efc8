import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { invalid } from "../base/invalid-field.ts"
import { hashRequest } from "../base/request-hash.ts"
import { UPLOAD_FILE_ERRORS } from "../files/upload-file.ts"
import { defaultEndUserOf } from "../keys/default-end-user.ts"
import { ACCEPT_TURN_ERRORS } from "../turns/accept-turn.ts"
import { sendWithFiles } from "../turns/attach-files.ts"
import { CANCEL_TURN_ERRORS, cancelTurn } from "../turns/cancel-turn.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"
import { type SentFor, type SentTurn, sendTurnFor } from "../turns/send-turn.ts"
import { resultsIn, type TurnTools } from "./caller-tools.ts"
import { attachmentsIn, type PlainMessage, saidInTurn } from "./plain-messages.ts"
import { continueFrom, requireNext } from "./previous-response.ts"
import { keyOfRequest } from "./request-key.ts"

/** A request with its headers. */
export interface OpenAiRequest<Body> {
  body: Body
  /** The caller's Idempotency-Key; null without one. */
  idempotencyKey: string | null
  /** True if the client says that it sends the request again. */
  isRetry: boolean
  sentFor: SentFor
  /** The end user in the header END_USER_HEADER. */
  endUserRef: string | undefined
}

interface SharedBody
  extends Pick<CreateTurn, "metadata" | "max_cost_usd" | "timeout_seconds" | "temperature" | "store"> {
  model: string
  safety_identifier?: string | undefined
  user?: string | undefined
}

interface AskedTurn extends OpenAiRequest<SharedBody> {
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

/** For clients that cannot set `safety_identifier` or `user`, such as chat interfaces. */
export const END_USER_HEADER = "Turnpike-End-User"

export const SEND_OPEN_AI_TURN_ERRORS = [...ACCEPT_TURN_ERRORS, ...CANCEL_TURN_ERRORS, ...UPLOAD_FILE_ERRORS] as const

/**
 * Sends a turn for a request of OpenAI's API. Without a conversation, each turn has one of its own, since OpenAI's
 * requests remember nothing. Throws the errors of `acceptTurn` and `uploadFile`.
 */
export async function sendOpenAiTurn(ctx: Context, credential: Credential, asked: AskedTurn): Promise<SentTurn> {
  const { body: sent, field, messages, previousResponse, sentFor } = asked
  const space = sent.model
  const endUserRef = await endUserOf(ctx, credential, asked)
  const request = { body: sent, field, endUserRef }
  const idempotencyKey =
    asked.idempotencyKey ?? (await keyOfRequest(ctx, credential, { request, isRetry: asked.isRetry }))
  const previous = previousResponse
    ? await continueFrom(ctx, credential, { responseId: previousResponse, idempotencyKey })
    : null
  const position = previous ? previous.position + 1 : undefined
  const body = {
    space,
    end_user_ref: endUserRef,
    conversation:
      asked.conversation ?? previous?.conversation_id ?? `openai-${hashRequest(idempotencyKey).slice(0, 32)}`,
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
  }
  const results = asked.conversation !== undefined || previous ? resultsIn(messages) : null
  const made = await sendWithFiles(ctx, credential, {
    idempotencyKey,
    attachments: results ? [] : attachmentsIn(messages),
    bodyWith: (ids) => ({ ...body, ...(results ?? saidInTurn(messages, ids, field)) }),
    field,
    send: (asked) => sendTurnFor(ctx, credential, { idempotencyKey, body: asked, position }, sentFor),
  }).catch((error: unknown) => {
    throw renamed(error, asked)
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

/** The end user that the request names, or else the default of its key, since chat interfaces name none. */
async function endUserOf(ctx: Context, credential: Credential, { body, endUserRef }: AskedTurn): Promise<string> {
  const ref = body.safety_identifier ?? body.user ?? endUserRef
  if (ref === undefined) return defaultEndUserOf(ctx, credential)
  const { error } = createTurnSchema.shape.end_user_ref.safeParse(ref)
  if (error) throw invalid(`${error.issues[0]?.message}`, END_USER_HEADER)
  return ref
}

/** Names the fields of a turn as the request has them. */
function renamed(error: unknown, { field, outputField }: AskedTurn): unknown {
  if (!(error instanceof TurnpikeError) || error.param === undefined) return error
  const names: Record<string, string> = {
    space: "model",
    end_user_ref: "safety_identifier",
    text: field,
    messages: field,
    results: field,
    files: field,
    max_output_tokens: outputField,
  }
  const param = names[error.param] ?? error.param
  const { details, retryAfter, retryable } = error
  return new TurnpikeError(error.code, error.message, {
    param,
    retryable,
    cause: error,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

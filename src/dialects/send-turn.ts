import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { Dialect } from "../base/dialects.ts"
import { TurnpikeError } from "../base/errors.ts"
import { invalid } from "../base/invalid-field.ts"
import { hashRequest } from "../base/request-hash.ts"
import { UPLOAD_FILE_ERRORS } from "../files/upload-file.ts"
import { defaultEndUserOf } from "../keys/default-end-user.ts"
import { ACCEPT_TURN_ERRORS } from "../turns/accept-turn.ts"
import { sendWithFiles } from "../turns/attach-files.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"
import { type SentFor, type SentTurn, sendTurnFor } from "../turns/send-turn.ts"
import { attachmentsIn, type PlainMessage, saidInTurn } from "./plain-messages.ts"
import { keyOfRequest } from "./request-key.ts"

/** A request with its headers. */
export interface DialectRequest<Body> {
  body: Body
  /** The caller's Idempotency-Key; null without one. */
  idempotencyKey: string | null
  /** True if the client says that it sends the request again. */
  isRetry: boolean
  sentFor: SentFor
  /** The end user in the header END_USER_HEADER. */
  endUserRef: string | undefined
}

/** For clients that cannot name an end user in their body, such as chat interfaces. */
export const END_USER_HEADER = "Turnpike-End-User"

/** A request whose end user and key are known. */
export interface KnownRequest {
  dialect: Dialect
  idempotencyKey: string
  endUserRef: string
  sentFor: SentFor
}

/**
 * The key and the end user of a request. `named`: the end user that it names, or else the default of its key, since
 * chat interfaces name none. `content`: everything that makes two requests equal.
 */
export async function knowRequest(
  ctx: Context,
  credential: Credential,
  {
    dialect,
    request,
    named,
    namedIn = END_USER_HEADER,
    content,
  }: {
    dialect: Dialect
    request: Omit<DialectRequest<unknown>, "body">
    named: string | undefined
    /** The field that names it, for errors. */
    namedIn?: string
    content: object
  },
): Promise<KnownRequest> {
  const endUserRef = named ?? (await defaultEndUserOf(ctx, credential))
  const { error } = createTurnSchema.shape.end_user_ref.safeParse(endUserRef)
  if (error) throw invalid(`${error.issues[0]?.message}`, namedIn)
  const { isRetry, sentFor } = request
  const idempotencyKey =
    request.idempotencyKey ??
    (await keyOfRequest(ctx, credential, { dialect, request: { ...content, endUserRef }, isRetry }))
  return { dialect, idempotencyKey, endUserRef, sentFor }
}

interface AskedTurn extends KnownRequest {
  space: string
  messages: PlainMessage[]
  /** The field that has them. */
  field: "input" | "messages"
  /** Calls' results, if the turn continues with them instead of the messages. */
  results?: Pick<CreateTurn, "results" | "text"> | null
  /** Default: a conversation of its own, since requests of dialects remember nothing. */
  conversation?: string | undefined
  position?: number | undefined
  settings: Omit<Partial<CreateTurn>, "space" | "end_user_ref" | "conversation" | "messages" | "results" | "text">
  /** How the request names fields of the turn, for errors. */
  names: Readonly<Record<string, string>>
}

export const SEND_DIALECT_TURN_ERRORS = [...ACCEPT_TURN_ERRORS, ...UPLOAD_FILE_ERRORS] as const

/** Sends a turn for a request of a dialect. Throws the errors of `acceptTurn` and `uploadFile`. */
export async function sendDialectTurn(ctx: Context, credential: Credential, asked: AskedTurn): Promise<SentTurn> {
  const { idempotencyKey, messages, field, results = null, settings, position } = asked
  const body = {
    space: asked.space,
    end_user_ref: asked.endUserRef,
    conversation: asked.conversation ?? `${asked.dialect}-${hashRequest(idempotencyKey).slice(0, 32)}`,
    ...settings,
  }
  return sendWithFiles(ctx, credential, {
    idempotencyKey,
    attachments: results ? [] : attachmentsIn(messages),
    bodyWith: (ids) => ({ ...body, ...(results ?? saidInTurn(messages, ids, field)) }),
    field,
    send: (turn) => sendTurnFor(ctx, credential, { idempotencyKey, body: turn, position }, asked.sentFor),
  }).catch((error: unknown) => {
    throw renamed(error, asked)
  })
}

/** Names the fields of a turn as the request has them. */
function renamed(error: unknown, { field, names }: AskedTurn): unknown {
  if (!(error instanceof TurnpikeError) || error.param === undefined) return error
  const all: Record<string, string> = {
    space: "model",
    text: field,
    messages: field,
    results: field,
    files: field,
    ...names,
  }
  const param = all[error.param] ?? error.param
  const { details, retryAfter, retryable } = error
  return new TurnpikeError(error.code, error.message, {
    param,
    retryable,
    cause: error,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

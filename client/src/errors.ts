import type { CountState, CreditsDetails, ErrorAnswer, QuotaDetails } from "./operations.ts"

/** Every code of the service's table: `/docs#tag/errors` has the cause and the cure of each. */
export type ErrorCode = ErrorAnswer["error"]["code"]

/** Codes for failures without an answer of the service. */
export type ClientErrorCode = "CONNECTION_FAILED" | "TIMEOUT" | "UNEXPECTED_ANSWER" | "WEBHOOK_VERIFICATION_FAILED"

/** The fields of an error; see TurnpikeError. */
interface ErrorFields {
  /** A later version of the service may send other codes. */
  code: ErrorCode | ClientErrorCode | (string & {})
  status?: number | undefined
  param?: string | undefined
  details?: unknown
  retryable?: boolean | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
  cause?: unknown
}

/**
 * What every method throws, as one of the classes below. Only an abort by your own `signal` is thrown as its reason.
 *
 * @example
 * try {
 *   await turnpike.turns.create(body)
 * } catch (error) {
 *   if (error instanceof InsufficientCreditsError) await askForTopUp()
 *   else if (error instanceof TurnpikeError) console.error(error.code, error.requestId)
 *   throw error
 * }
 */
export class TurnpikeError extends Error {
  override name = "TurnpikeError"
  /** The stable name of the error. `message` is for people and may change. */
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  /** The HTTP status, when there was an answer. */
  readonly status: number | undefined
  /** The field or parameter at fault. */
  readonly param: string | undefined
  /** Details, such as all faults of a body, or the cap that is reached. */
  readonly details: unknown
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** The request's id. Name it when you report a problem. */
  readonly requestId: string | undefined
  /** Try again after this many seconds. */
  readonly retryAfter: number | undefined

  /** @internal */
  constructor(message: string, fields: ErrorFields) {
    super(message, { cause: fields.cause })
    this.code = fields.code
    this.status = fields.status
    this.param = fields.param
    this.details = fields.details
    this.retryable = fields.retryable ?? false
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
  }
}

/** 401: the key is missing, mistyped, unknown, revoked or expired. */
export class AuthenticationError extends TurnpikeError {
  override name = "AuthenticationError"
}
/** 402 INSUFFICIENT_CREDITS: the balance is spent, or held by running turns. Top up. */
export class InsufficientCreditsError extends TurnpikeError {
  override name = "InsufficientCreditsError"
  /** The balance, how much of it is held, and the least that the turn needs. */
  declare readonly details: CreditsDetails
}
/** 403: the key's scope does not cover this operation, or the end user is blocked. */
export class PermissionError extends TurnpikeError {
  override name = "PermissionError"
}
/** 404: it does not exist, or this key may not see it. */
export class NotFoundError extends TurnpikeError {
  override name = "NotFoundError"
}
/** 409: the resource is in another state than the request assumes. */
export class ConflictError extends TurnpikeError {
  override name = "ConflictError"
}
/**
 * 429 QUOTA_EXCEEDED: a cap is reached. `retryAfter` are the seconds until it resets. The client waits for it itself up to 30
 * seconds, unless `retryable` is false: then the cap is too small for this turn at any time.
 *
 * @example
 * if (error instanceof QuotaExceededError) console.log(error.details.cap, error.details.left_usd, error.retryAfter)
 */
export class QuotaExceededError extends TurnpikeError {
  override name = "QuotaExceededError"
  /** The cap that resets last: its limit, what is spent, reserved and left, and when it resets; all in `exceeded`. */
  declare readonly details: QuotaDetails
}
/** 429 QUOTA_EXCEEDED: there is too much of something that is counted, such as open test turns. The client waits and tries again, as above. */
export class CountExceededError extends TurnpikeError {
  override name = "CountExceededError"
  /** What there is too much of, how much there may be, and is. */
  declare readonly details: CountState
}
/** 400, 405, 413, 415, 416, 422: the request is wrong; `param` says where. */
export class ValidationError extends TurnpikeError {
  override name = "ValidationError"
}
/** 5xx: the service failed, and failed again when the client retried. */
export class ServerError extends TurnpikeError {
  override name = "ServerError"
}
/** No complete answer came: CONNECTION_FAILED, or its subclass TimeoutError. */
export class ConnectionError extends TurnpikeError {
  override name = "ConnectionError"
}
/** TIMEOUT: no answer in time. After `turns.run`, `details.turn_id` names the turn, which goes on. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError"
}
/** The message was not signed with this secret, was altered or is too old. Answer 400 and do nothing. */
export class WebhookVerificationError extends TurnpikeError {
  override name = "WebhookVerificationError"
}

const FAMILIES: Record<number, typeof TurnpikeError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: TimeoutError,
  409: ConflictError,
  // The answer of a proxy, not of the service: balance and cap are unknown.
  402: TurnpikeError,
  429: TurnpikeError,
}

/** Errors whose `details` have a type. */
const BY_CODE: Record<string, typeof TurnpikeError> = {
  INSUFFICIENT_CREDITS: InsufficientCreditsError,
  QUOTA_EXCEEDED: QuotaExceededError,
}

/** The error of an answer. An answer that does not look like the service's own comes from a proxy. */
export function errorOf(answer: Response, text: string, retryAfter: number | undefined): TurnpikeError {
  const { status } = answer
  const requestId = answer.headers.get("x-request-id") ?? undefined
  const known = { status, requestId, retryAfter }
  const error = bodyOf(text)
  const Family = FAMILIES[status] ?? (status >= 500 ? ServerError : status >= 400 ? ValidationError : TurnpikeError)
  if (!error) {
    const hint = status >= 300 && status < 400 ? `, to ${answer.headers.get("location")}: is baseUrl right?` : ""
    const retryable = status === 429 || status >= 500
    return new Family(`HTTP ${status}${hint}`, { ...known, code: "UNEXPECTED_ANSWER", details: text, retryable })
  }
  const { code, message, param, retryable, request_id } = error
  const details = "details" in error ? error.details : undefined
  const isCount = code === "QUOTA_EXCEEDED" && typeof (details as Partial<CountState> | undefined)?.used === "number"
  const Known = isCount ? CountExceededError : (BY_CODE[code] ?? Family)
  return new Known(message, { ...known, code, param, details, retryable, requestId: request_id ?? requestId })
}

function bodyOf(text: string): ErrorAnswer["error"] | null {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorAnswer>
    return error && typeof error.code === "string" && typeof error.message === "string" ? error : null
  } catch {
    return null
  }
}

import type { CountState, CreditsDetails, ErrorAnswer, QuotaDetails } from "./operations.ts"

/** Every error code of the service. `/docs/errors` lists cause and cure of each. */
export type ErrorCode = ErrorAnswer["error"]["code"]

/** Codes of errors without a valid response of the service. */
export type ClientErrorCode =
  | "CONNECTION_FAILED"
  | "TIMEOUT"
  | "UNEXPECTED_ANSWER"
  | "WEBHOOK_VERIFICATION_FAILED"
  | "TOOL_REQUEST_REFUSED"

/** The fields of a TurnpikeError. */
interface ErrorFields {
  /** A later version of the service can send other codes. */
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
 * All methods throw one of the classes below. If you abort with your own `signal`, its reason is thrown instead.
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
  /** The stable code of the error. `message` is for people and can change. */
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** The field or parameter that is wrong. */
  readonly param: string | undefined
  /** Details, such as all validation errors of a body, or the cap that was reached. */
  readonly details: unknown
  /** True if the same request can succeed later. */
  readonly retryable: boolean
  /** The request's id. Include it when you report a problem. */
  readonly requestId: string | undefined
  /** The number of seconds to wait before you try again. */
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
/**
 * 402 INSUFFICIENT_CREDITS: the available balance is too low for this turn. Top up, or wait for running turns to
 * end.
 */
export class InsufficientCreditsError extends TurnpikeError {
  override name = "InsufficientCreditsError"
  /** The balance, the held part of it, and the least amount that the turn needs. */
  declare readonly details: CreditsDetails
}
/** 403: the key's scope does not cover this operation, or the end user is blocked. */
export class PermissionError extends TurnpikeError {
  override name = "PermissionError"
}
/** 404: the object does not exist, or this key cannot access it. */
export class NotFoundError extends TurnpikeError {
  override name = "NotFoundError"
}
/** 409: the state of the object does not allow the request. */
export class ConflictError extends TurnpikeError {
  override name = "ConflictError"
}
/**
 * 429 QUOTA_EXCEEDED: a cap is reached. `retryAfter` is the number of seconds until it resets; the client waits for
 * up to 30 seconds by itself. If `retryable` is false, the cap is too small for this turn at any time.
 *
 * @example
 * if (error instanceof QuotaExceededError) console.log(error.details.cap, error.details.left_usd, error.retryAfter)
 */
export class QuotaExceededError extends TurnpikeError {
  override name = "QuotaExceededError"
  /**
   * The cap that resets last: its limit, the amounts spent, reserved and left, and its reset. `exceeded` lists all
   * caps.
   */
  declare readonly details: QuotaDetails
}
/**
 * 429 QUOTA_EXCEEDED: the limit of a count is reached, such as of open test turns. The client waits and retries, as
 * above.
 */
export class CountExceededError extends TurnpikeError {
  override name = "CountExceededError"
  /** The counted limit, its value, and its usage. */
  declare readonly details: CountState
}
/** 400, 405, 413, 415, 416, 422: the request is invalid. `param` names the field. */
export class ValidationError extends TurnpikeError {
  override name = "ValidationError"
}
/** 5xx: the service failed, also after the client's retries. */
export class ServerError extends TurnpikeError {
  override name = "ServerError"
}
/** There was no complete response: CONNECTION_FAILED, or the subclass TimeoutError. */
export class ConnectionError extends TurnpikeError {
  override name = "ConnectionError"
}
/** TIMEOUT: no response in time. After `turns.run`, `details.turn_id` is the id of the turn, which continues to run. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError"
}
/** The message is not signed with this secret, was changed, or is too old. Respond with 400 and ignore it. */
export class WebhookVerificationError extends TurnpikeError {
  override name = "WebhookVerificationError"
}

/** The request to a tool carries no valid `Turnpike-Identity`. Respond with 401. */
export class ToolRequestError extends TurnpikeError {
  override name = "ToolRequestError"
}

const FAMILIES: Record<number, typeof TurnpikeError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: TimeoutError,
  409: ConflictError,
  // Without the service's body, the response comes from a proxy, so balance and cap are unknown.
  402: TurnpikeError,
  429: TurnpikeError,
}

/** The error classes whose `details` have a type. */
const BY_CODE: Record<string, typeof TurnpikeError> = {
  INSUFFICIENT_CREDITS: InsufficientCreditsError,
  QUOTA_EXCEEDED: QuotaExceededError,
}

/** The error of a response. A response without the service's error body comes from a proxy. */
export function errorOf(answer: Response, text: string, retryAfter: number | undefined): TurnpikeError {
  const { status } = answer
  const requestId = answer.headers.get("x-request-id") ?? undefined
  const known = { status, requestId, retryAfter }
  const error = bodyOf(text)
  const Family = FAMILIES[status] ?? (status >= 500 ? ServerError : status >= 400 ? ValidationError : TurnpikeError)
  if (!error) {
    const hint = status >= 300 && status < 400 ? `, to ${answer.headers.get("location")}: check baseUrl` : ""
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

/** A validation error. `loc` is the path to the field, such as `["body", "caps", "day_usd"]`. */
export interface Fault {
  loc: (string | number)[]
  msg: string
  type: string
}

interface Problem {
  code: string
  message: string
  status: number
  requestId: string | null
  /** Seconds to wait before a retry; null if the response has no `Retry-After`. */
  retryAfter: number | null
  faults: Fault[]
  details: unknown
}

/** An error response of the API. `status` is 0 if the service could not be reached. */
export class ApiError extends Error {
  override name = "ApiError"
  readonly code: string
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter: number | null
  readonly faults: Fault[]
  readonly details: unknown

  constructor(problem: Problem) {
    super(problem.message)
    this.code = problem.code
    this.status = problem.status
    this.requestId = problem.requestId
    this.retryAfter = problem.retryAfter
    this.faults = problem.faults
    this.details = problem.details
  }

  /** The error message for a field of the body, given as a path with dots, such as `caps.day_usd`. */
  faultOf(field: string): string | undefined {
    return this.faults.find(({ loc }) => loc.slice(1).join(".") === field)?.msg
  }

  /** The current row, if the request failed with 412 because another client had changed it. */
  get current(): unknown {
    return (this.details as { current?: unknown } | undefined)?.current
  }
}

export async function readError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as {
    detail?: string | Fault[]
    code?: string
    details?: unknown
  }
  const faults = Array.isArray(body.detail) ? body.detail : []
  const told = typeof body.detail === "string" ? body.detail : faults.map(({ msg }) => msg).join(" ")
  const wait = Number(response.headers.get("retry-after") ?? "none")
  return new ApiError({
    code: body.code ?? (faults[0] ? "VALIDATION_FAILED" : "UNKNOWN"),
    message: told || `The service answered with status ${response.status} and no message. Try again.`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number.isFinite(wait) ? wait : null,
    faults,
    details: body.details,
  })
}

const withoutAnswer = (code: string, message: string) =>
  new ApiError({ code, message, status: 0, requestId: null, retryAfter: null, faults: [], details: undefined })

/** The browser is offline, so the request was not sent. Nothing sends it later. */
export const notSent = ({ isChange }: { isChange: boolean }): ApiError =>
  withoutAnswer(
    "OFFLINE",
    isChange
      ? "You are offline. Nothing was sent. Try again when you are connected."
      : "You are offline. This is loaded when you are connected again.",
  )

interface Unanswered {
  isChange: boolean
  /** The operation takes effect only once, however often it is sent. */
  once: boolean
  /** The time limit that has passed; null if the connection failed earlier. */
  seconds: number | null
}

/** No answer came: the service could not be reached, or the connection broke, or the time limit has passed. */
export function unanswered({ isChange, once, seconds }: Unanswered): ApiError {
  const what =
    seconds === null
      ? "The service does not answer."
      : `The service did not answer within ${Math.round(seconds)} seconds.`
  const next = once
    ? "It may have received the request. If you send the same again, it takes effect only once."
    : isChange
      ? "It may have received the request. Check the connection, and try again."
      : "Check the connection, and try again."
  return withoutAnswer(seconds === null ? "UNREACHABLE" : "TIMEOUT", `${what} ${next}`)
}

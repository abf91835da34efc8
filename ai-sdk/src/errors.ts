import { APICallError } from "@ai-sdk/provider"
import { type Turn, TurnpikeError } from "@turnpike-turns/client"

/** The AI SDK waits for at most a minute before a retry. */
const MOST_RETRY_AFTER_SECONDS = 60

/** Failures of a turn after which a new one may succeed. */
const PASSING = ["MODEL_UNAVAILABLE", "ENGINE_LOST"]

/** A request that failed, for the AI SDK's errors. */
export interface FailedRequest {
  url: string
  requestBodyValues: unknown
}

/** An error of the client as one of the AI SDK. The reason of an abort stays as it is. */
export function callErrorOf(error: unknown, request: FailedRequest): unknown {
  if (!(error instanceof TurnpikeError)) return error
  const { code, message, status, param, details, retryable, requestId, retryAfter } = error
  return new APICallError({
    ...request,
    message,
    ...(status !== undefined && { statusCode: status }),
    responseHeaders: {
      ...(requestId !== undefined && { "x-request-id": requestId }),
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
    // A cap that resets in hours can be retried, but not within this call.
    isRetryable: retryable && (retryAfter ?? 0) <= MOST_RETRY_AFTER_SECONDS,
    data: { code, param, details },
    cause: error,
  })
}

/** The error of a turn that failed or was cancelled. */
export function turnError(turn: Turn, request: FailedRequest): APICallError {
  const { turn_id: turnId, state, status_reason, error, billed_cost_usd: costUsd } = turn
  const code = error?.code ?? status_reason ?? state
  return new APICallError({
    ...request,
    message: error?.message ?? `The turn was cancelled: ${code}.`,
    // A retry is a new turn with a bill of its own, so only a turn that cost nothing is retried.
    isRetryable: costUsd === 0 && PASSING.includes(code),
    data: { code, turnId, costUsd, details: error?.details ?? null },
  })
}

/** The error of a turn that waits for a person or a result. It waits on, and the same call later gets its reply. */
export function waitingError({ turn_id: turnId, waiting }: Turn, request: FailedRequest): APICallError {
  const message =
    `The turn ${turnId} waits (${waiting?.for}). When it has what it waits for, it continues. ` +
    "The same call with the same idempotencyKey then gets its reply."
  return new APICallError({ ...request, message, isRetryable: false, data: { code: "TURN_WAITING", turnId, waiting } })
}

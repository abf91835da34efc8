import { TurnpikeError } from "./errors.ts"

/** Clients should not wait longer than this by themselves before they send a request again. */
const SHORT_WAIT_SECONDS = 60

/**
 * The status that an error has below /v1/openai. OpenAI answers 400 to every request that is wrong, and frameworks
 * such as LangChain.js repeat a 422 six times. Each repeat would be a turn.
 */
export const openAiStatus = <Status extends number>(status: Status) =>
  status === 422 ? (400 as const) : (status as Exclude<Status, 422>)

/** The values of `type` in OpenAI's errors. */
function typeOf({ status }: TurnpikeError): string {
  if (status === 402) return "insufficient_quota"
  if (status === 401) return "authentication_error"
  if (status === 403) return "permission_error"
  if (status === 404) return "not_found_error"
  if (status === 429) return "rate_limit_error"
  return status >= 500 ? "server_error" : "invalid_request_error"
}

/** An error with the fields of OpenAI's errors: its code is ours. */
export const openAiError = (error: TurnpikeError) => ({
  type: typeOf(error),
  code: error.code,
  message: error.message,
  param: error.param ?? null,
})

/**
 * The value of `x-should-retry`, which OpenAI's clients obey. Without it they would retry every 409 and 429, also if
 * a cap resets in hours.
 */
export const shouldRetry = ({ retryable, retryAfter = 0 }: TurnpikeError) =>
  String(retryable && retryAfter <= SHORT_WAIT_SECONDS)

/** Any error that ends a stream, which cannot have a status any more. */
export function streamFailure(error: unknown): TurnpikeError {
  if (error instanceof TurnpikeError) return error
  return new TurnpikeError("INTERNAL", "Something went wrong on our side.", { cause: error })
}

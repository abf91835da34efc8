import { TurnpikeError } from "./errors.ts"

/** The APIs of other services that turns can be sent with, each below `/v1/` and its name. */
export const DIALECTS = ["openai", "anthropic"] as const

export type Dialect = (typeof DIALECTS)[number]

/** The dialect of a path; undefined for our own API. */
export const dialectOf = (path: string): Dialect | undefined =>
  DIALECTS.find((dialect) => path.startsWith(`/v1/${dialect}/`))

/** Clients should not wait longer than this by themselves before they send a request again. */
const SHORT_WAIT_SECONDS = 60

/**
 * The status that an error has in a dialect. Both services answer 400 to every request that is wrong, and frameworks
 * such as LangChain.js repeat a 422 six times. Each repeat would be a turn.
 */
export const dialectStatus = <Status extends number>(status: Status) =>
  status === 422 ? (400 as const) : (status as Exclude<Status, 422>)

/** Both services name these groups of errors alike. */
export const SHARED_TYPES: Readonly<Partial<Record<number, string>>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
}

/**
 * The value of `x-should-retry`, which the clients of both services obey. Without it they would retry every 409 and
 * 429, also if a cap resets in hours.
 */
export const shouldRetry = ({ retryable, retryAfter = 0 }: TurnpikeError) =>
  String(retryable && retryAfter <= SHORT_WAIT_SECONDS)

/** Any error that ends a stream, which cannot have a status any more. */
export function streamFailure(error: unknown): TurnpikeError {
  if (error instanceof TurnpikeError) return error
  return new TurnpikeError("INTERNAL", "Something went wrong on our side.", { cause: error })
}

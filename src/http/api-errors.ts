import type { Context as HonoContext } from "hono"
import { HTTPException } from "hono/http-exception"
import { TurnpikeError } from "../errors.ts"
import { describeError } from "../platform/log.ts"
import type { AppEnv } from "./app-env.ts"
import { dashboardErrorBody, isDashboard } from "./dashboard-errors.ts"

/**
 * The answer to anything that was thrown, in the shape of the surface whose path was asked for. What is not ours leaves as
 * INTERNAL; the log has the rest.
 */
export function answerError(error: unknown, c: HonoContext<AppEnv>): Response {
  const ctx = c.get("ctx")
  const known = error instanceof TurnpikeError ? error : translate(error)
  if (known.status >= 500) ctx.log("error", "request.failed", { code: known.code, error: describeError(error) })
  if (known.retryAfter !== undefined) c.header("Retry-After", String(known.retryAfter))
  if (known.status === 401) c.header("WWW-Authenticate", isDashboard(c.req.path) ? "Cookie" : "Bearer")
  return c.json(errorBody(known, c, ctx.requestId), known.status)
}

/** In the shape of the surface whose path was asked for. */
export const errorBody = (error: TurnpikeError, { req }: HonoContext<AppEnv>, requestId: string) =>
  isDashboard(req.path) ? dashboardErrorBody(error, req.method) : apiErrorBody(error, requestId)

/** Most who miss a path have left out its version, or put a slash or an empty id at its end. */
export function nothingAt(path: string): TurnpikeError {
  const slash = path.length > 1 && path.endsWith("/")
  const below = path.startsWith("/v1/") || path.startsWith("/api/")
  const hint = slash
    ? ": a path does not end with a slash"
    : below
      ? ""
      : ": the API is below /v1, and its reference at /docs"
  return new TurnpikeError("NOT_FOUND", `There is nothing at ${path}${hint}.`)
}

function apiErrorBody(error: TurnpikeError, requestId: string) {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.details !== undefined && { details: error.details }),
      retryable: error.retryable,
      request_id: requestId,
    },
  }
}

function translate(error: unknown): TurnpikeError {
  // Hono's JSON validator throws this, with status 400, for a body that does not parse.
  if (error instanceof HTTPException && error.status === 400) {
    return new TurnpikeError("INVALID_JSON", "The body is not valid JSON.", { cause: error })
  }
  return new TurnpikeError("INTERNAL", "Something went wrong on our side. The request id tells us what.", {
    cause: error,
  })
}

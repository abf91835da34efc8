import type { Context as HonoContext } from "hono"
import { HTTPException } from "hono/http-exception"
import { TurnpikeError } from "../base/errors.ts"
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
  const dashboard = isDashboard(c.req.path)
  if (known.status === 401) c.header("WWW-Authenticate", dashboard ? "Cookie" : "Bearer")
  const body = dashboard ? dashboardErrorBody(known, c.req.method) : apiErrorBody(known, ctx.requestId)
  return c.json(body, known.status)
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

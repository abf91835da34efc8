import type { Context as HonoContext } from "hono"
import { HTTPException } from "hono/http-exception"
import { TurnpikeError } from "../base/errors.ts"
import { describeError } from "../platform/log.ts"
import { answerJson } from "./answer-json.ts"
import type { AppEnv } from "./app-env.ts"
import { setVersion } from "./versions.ts"

/**
 * The answer to a thrown error, in the shape of the surface that the path belongs to. Unknown errors become INTERNAL; the log has the
 * details.
 */
export function answerError(error: unknown, c: HonoContext<AppEnv>): Response {
  const ctx = c.get("ctx")
  const known = error instanceof TurnpikeError ? error : translate(error)
  if (known.status >= 500) ctx.log("error", "request.failed", { code: known.code, error: describeError(error) })
  if (known.retryAfter !== undefined) c.header("Retry-After", String(known.retryAfter))
  if (known.status === 401) c.header("WWW-Authenticate", isDashboard(c.req.path) ? "Cookie" : "Bearer")
  if (known.code === "VERSION_MISMATCH") setVersion(c, (known.details as { current?: object } | undefined)?.current)
  return answerJson(c, errorBody(known, c, ctx.requestId), known.status)
}

/** In the shape of the surface whose path was asked for. */
export const errorBody = (error: TurnpikeError, { req }: HonoContext<AppEnv>, requestId: string) =>
  isDashboard(req.path) ? dashboardErrorBody(error, req.method) : apiErrorBody(error, requestId)

/** The usual mistakes: a path without its version, with a slash at its end, or with an empty id. */
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

/** Whether a path belongs to the dashboard's surface, which has its own shape of errors and lists. */
const isDashboard = (path: string) => path === "/api" || path.startsWith("/api/")

/**
 * The dashboard's error body (docs/decisions/0007-http-conventions.md): `{detail: [{loc, msg, type}]}` for every 422, which FastAPI's
 * clients know as HTTPValidationError; `{detail, code}` for all others.
 */
function dashboardErrorBody(error: TurnpikeError, method: string) {
  const { code, message, param, details, faults, status } = error
  if (status !== 422) {
    return { detail: message, code, ...(param && { param }), ...(details !== undefined && { details }) }
  }
  if (faults.length > 0) {
    return {
      detail: faults.map(({ location, path, message, type }) => ({ loc: [location, ...path], msg: message, type })),
    }
  }
  return { detail: [{ loc: locationOf(error, method), msg: message, type: typeOf(code) }] }
}

/** A verb names the field, but not whether it was in the query or the body. */
function locationOf({ code, param }: TurnpikeError, method: string): string[] {
  if (code === "IDEMPOTENCY_KEY_REUSED") return ["header", "Idempotency-Key"]
  const location = method === "GET" || method === "HEAD" ? "query" : "body"
  return param ? [location, ...param.split(".")] : [location]
}

const typeOf = (code: string) => (code === "VALIDATION_FAILED" ? "value_error" : code.toLowerCase())

import type { Context as HonoContext } from "hono"
import { HTTPException } from "hono/http-exception"
import { anthropicError } from "../base/anthropic-error.ts"
import { dialectOf, dialectStatus, shouldRetry } from "../base/dialects.ts"
import { errorFields } from "../base/error-body.ts"
import { TurnpikeError } from "../base/errors.ts"
import { openAiError } from "../base/openai-error.ts"
import { describeError } from "../platform/log.ts"
import { answerJson } from "./answer-json.ts"
import type { AppEnv } from "./app-env.ts"
import { setVersion } from "./versions.ts"

/**
 * Converts a thrown error to a response, in the format of the path's API. Unknown errors become
 * INTERNAL, with the details only in the log.
 */
export function answerError(error: unknown, c: HonoContext<AppEnv>): Response {
  const ctx = c.get("ctx")
  const known = error instanceof TurnpikeError ? error : translate(error)
  if (known.status >= 500) ctx.log("error", "request.failed", { code: known.code, error: describeError(error) })
  if (known.retryAfter !== undefined) c.header("Retry-After", String(known.retryAfter))
  if (known.status === 401) c.header("WWW-Authenticate", isDashboard(c.req.path) ? "Cookie" : "Bearer")
  const dialect = dialectOf(c.req.path)
  if (dialect) c.header("X-Should-Retry", shouldRetry(known))
  if (known.code === "VERSION_MISMATCH" && !c.res.headers.has("ETag"))
    setVersion(c, (known.details as { current?: object } | undefined)?.current)
  const status = dialect ? dialectStatus(known.status) : known.status
  return answerJson(c, errorBody(known, c, ctx.requestId), status)
}

/** The error body in the format of the path's API. */
export function errorBody(error: TurnpikeError, { req }: HonoContext<AppEnv>, requestId: string) {
  if (isDashboard(req.path)) return dashboardErrorBody(error, req.method)
  const dialect = dialectOf(req.path)
  if (dialect === "anthropic") return anthropicError(error, requestId)
  const fields = errorFields(error, requestId)
  return { error: dialect === "openai" ? { ...fields, ...openAiError(error) } : fields }
}

/** A NOT_FOUND error for an unknown path, with a hint for common mistakes: no version, or a trailing slash. */
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

function translate(error: unknown): TurnpikeError {
  // Hono's JSON validator throws this, with status 400, for a body that does not parse.
  if (error instanceof HTTPException && error.status === 400) {
    return new TurnpikeError("INVALID_JSON", "The body is not valid JSON.", { cause: error })
  }
  return new TurnpikeError("INTERNAL", "Something went wrong on our side. Quote the request id when you report it.", {
    cause: error,
  })
}

/** True if a path belongs to the dashboard's API, which has its own format of errors and lists. */
const isDashboard = (path: string) => path === "/api" || path.startsWith("/api/")

/**
 * The dashboard's error body (docs/decisions/0007-http-conventions.md). For 422 it is `{detail:
 * [{loc, msg, type}]}`, the HTTPValidationError of FastAPI's clients; otherwise `{detail, code}`.
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

/** A verb's error names the field, but not whether it was in the query or the body. */
function locationOf({ code, param }: TurnpikeError, method: string): string[] {
  if (code === "IDEMPOTENCY_KEY_REUSED") return ["header", "Idempotency-Key"]
  const location = method === "GET" || method === "HEAD" ? "query" : "body"
  return param ? [location, ...param.split(".")] : [location]
}

const typeOf = (code: string) => (code === "VALIDATION_FAILED" ? "value_error" : code.toLowerCase())

import type { Context as HonoContext } from "hono"
import { HTTPException } from "hono/http-exception"
import type * as z from "zod"
import { ERROR_CODES, TurnpikeError } from "../errors.ts"
import { describeError } from "../platform/log.ts"
import type { AppEnv } from "./app-env.ts"

/** The /v1 error body for anything that was thrown. What is not ours leaves as INTERNAL; the log has the rest. */
export function answerError(error: unknown, c: HonoContext<AppEnv>): Response {
  const ctx = c.get("ctx")
  const known = error instanceof TurnpikeError ? error : translate(error)
  if (known.status >= 500) ctx.log("error", "request.failed", { code: known.code, error: describeError(error) })
  const { status, retryable } = ERROR_CODES[known.code]
  if (known.retryAfter !== undefined) c.header("Retry-After", String(known.retryAfter))
  if (status === 401) c.header("WWW-Authenticate", "Bearer")
  return c.json(
    {
      error: {
        code: known.code,
        message: known.message,
        ...(known.param !== undefined && { param: known.param }),
        ...(known.details !== undefined && { details: known.details }),
        retryable,
        request_id: ctx.requestId,
      },
    },
    status,
  )
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

/** VALIDATION_FAILED with the first fault as `param` and all of them as `details`. */
export function validationError(error: { issues: readonly z.core.$ZodIssue[] }): TurnpikeError {
  const details = error.issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [{ param: issue.path.join("."), message: issue.message }]
    return issue.keys.map((key) => ({ param: [...issue.path, key].join("."), message: "There is no such field." }))
  })
  const first = details[0]
  const message = first?.param ? `${first.param}: ${first.message}` : (first?.message ?? "The request is wrong.")
  return new TurnpikeError("VALIDATION_FAILED", message, { ...(first?.param && { param: first.param }), details })
}

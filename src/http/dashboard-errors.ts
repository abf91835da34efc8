import type { TurnpikeError } from "../base/errors.ts"

/** Whether a path belongs to the dashboard's surface, which has its own shape of errors and lists. */
export const isDashboard = (path: string) => path === "/api" || path.startsWith("/api/")

/**
 * The dashboard's error body (design section 2): `{detail: [{loc, msg, type}]}` for every 422, as FastAPI's clients know it
 * (HTTPValidationError); `{detail, code}` for all others.
 */
export function dashboardErrorBody(error: TurnpikeError, method: string) {
  const { code, message, param, details, faults, status } = error
  if (status !== 422) {
    return { detail: message, code, ...(param && { param }), ...(details !== undefined && { details }) }
  }
  if (faults.length > 0) {
    return { detail: faults.map(({ place, path, message, type }) => ({ loc: [place, ...path], msg: message, type })) }
  }
  return { detail: [{ loc: placeOf(error, method), msg: message, type: typeOf(code) }] }
}

/** A verb names the field that it refuses, not where it was. */
function placeOf({ code, param }: TurnpikeError, method: string): string[] {
  if (code === "IDEMPOTENCY_KEY_REUSED") return ["header", "Idempotency-Key"]
  const place = method === "GET" || method === "HEAD" ? "query" : "body"
  return param ? [place, ...param.split(".")] : [place]
}

const typeOf = (code: string) => (code === "VALIDATION_FAILED" ? "value_error" : code.toLowerCase())

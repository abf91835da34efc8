import type { Context as HonoContext } from "hono"
import type { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { systemClock } from "../platform/clock.ts"
import { createLog } from "../platform/log.ts"
import { answerJson } from "./answer-json.ts"
import { errorBody, nothingAt } from "./api-errors.ts"
import type { AppEnv } from "./app-env.ts"
import { SAFE_HEADERS } from "./safe-headers.ts"
import { API_PATHS } from "./secure-scheme.ts"

/**
 * Answers every API request while variables are missing or wrong (`fault`). Pages are static files
 * and do not need them.
 */
export function answerUnconfigured(c: HonoContext<AppEnv>, fault: TurnpikeError) {
  const { path } = c.req
  const requestId = newId("request", systemClock.now())
  const log = createLog({ LOG_LEVEL: "error" }, { request_id: requestId })
  log("error", "worker.unconfigured", { message: fault.message, faults: String(fault.cause) })
  const error = API_PATHS.test(path) ? fault : nothingAt(path)
  return answerJson(c, errorBody(error, c, requestId), error.status, {
    ...SAFE_HEADERS,
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
  })
}

import { createMiddleware } from "hono/factory"
import * as z from "zod"
import { parseBaseEnv } from "../../base/env.ts"
import { TurnpikeError } from "../../base/errors.ts"
import { isSameSecret } from "../../base/same-secret.ts"
import { answerJson } from "../../http/answer-json.ts"
import { nothingAt } from "../../http/api-errors.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { getHealth, healthSchema } from "../../system/get-health.ts"
import { healthMetrics } from "../../system/health-metrics.ts"

const HEALTH_PATH = "/api/health"

/** Without a configured token the path returns 404, and a wrong token is rejected before any I/O. */
const monitorToken = createMiddleware<AppEnv>(async (c, next) => {
  const { HEALTH_TOKEN: token } = parseBaseEnv(c.env)
  // Thrown and not returned: otherwise the 405 for other methods would name this method.
  if (token === undefined) throw nothingAt(c.req.path)
  const [, given = ""] = /^bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? []
  if (!isSameSecret(given, token)) {
    throw new TurnpikeError("INVALID_INTERNAL_SECRET", "Send `Authorization: Bearer` with the service's HEALTH_TOKEN.")
  }
  await next()
})

/** For monitors, which have no session. Mounted before the authentication of admins. */
export function mountHealthCheck(app: App) {
  app.use(HEALTH_PATH, monitorToken)
  app.operation(
    {
      method: "get",
      path: HEALTH_PATH,
      id: "getServiceHealth",
      tag: "monitoring",
      summary: "Check the whole service",
      description:
        "For a monitor. The database, the queue, the cron and its sweeps, overdue turns and deliveries, the last " +
        "reconciliation, and suspended provider accounts. If no HEALTH_TOKEN is configured, this operation does not exist.",
      open: true,
      byServer: true,
      headers: [
        {
          name: "Authorization",
          description: "`Bearer` and the HEALTH_TOKEN.",
          required: true,
          example: "Bearer a-long-random-token",
        },
      ],
      query: z.strictObject({
        format: z
          .enum(["json", "prometheus"])
          .default("json")
          .meta({ description: "`prometheus`: the text format of Prometheus. Default: `json`." }),
      }),
      answer: {
        status: 200,
        description: "Every check passes.",
        schema: healthSchema,
        also: { "text/plain": "The checks as metrics: `turnpike_up`, `turnpike_check_ok` and `turnpike_check_value`." },
        failing: { 503: "A check fails. The body is the same." },
      },
      errors: ["INVALID_INTERNAL_SECRET", "NOT_FOUND"],
    },
    async (c, { query: { format } }) => {
      const health = await getHealth(c.get("ctx"))
      const status = health.status === "ok" ? 200 : 503
      if (format === "json") return answerJson(c, health, status)
      return c.text(healthMetrics(health), status, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" })
    },
  )
}

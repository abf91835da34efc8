import * as z from "zod"
import type { Context } from "../../actor/context.ts"
import { onceFor } from "../../base/once-for.ts"
import type { App } from "../../http/app.ts"

const tag = "Health"

/** The minimum time between two database checks of an isolate. The request needs no key, so its checks are bounded. */
const ASKED_EVERY_MS = 1_000
const answerOf = onceFor((_isolate: Context["cooling"]) => ({ at: Number.NEGATIVE_INFINITY }))

/** Health checks for load balancers and monitors. Mounted before the authentication of /v1, so they need no key. */
export function mountHealth(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/health",
      id: "getHealth",
      tag,
      summary: "Check that the API is alive",
      description: "A liveness check. It needs no key and does not query the database.",
      open: true,
      answer: {
        status: 200,
        description: "The API is alive.",
        schema: z.object({ status: z.literal("ok") }).meta({ id: "Health" }),
      },
      errors: [],
    },
    async () => ({ status: "ok" as const }),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/health/ready",
      id: "getReadiness",
      tag,
      summary: "Check that the API is ready",
      description:
        "A readiness check. It needs no key and sends a trivial query to the database. It returns 503 if the database does not answer.",
      open: true,
      answer: {
        status: 200,
        description: "The database answers.",
        schema: z.object({ status: z.literal("ready") }).meta({ id: "Readiness" }),
      },
      errors: [],
    },
    async (c) => {
      const { clock, cooling, db } = c.get("ctx")
      const now = clock.now().getTime()
      const answer = answerOf(cooling)
      if (Math.abs(now - answer.at) >= ASKED_EVERY_MS) {
        await db.run({ sql: "select 1", parameters: [] })
        answer.at = now
      }
      return { status: "ready" as const }
    },
  )
}

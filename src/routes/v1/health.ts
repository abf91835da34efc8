import * as z from "zod"
import type { App } from "../../http/app.ts"

const tag = "Health"

/** An isolate asks its database at most this often while that answers, however many ask: nobody needs a key here. */
const ASKED_EVERY_MS = 1_000
let answeredAt = Number.NEGATIVE_INFINITY

/** Whether the service runs, for load balancers and monitors. Mounted before the authentication of /v1. */
export function mountHealth(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/health",
      id: "getHealth",
      tag,
      summary: "Whether the API answers",
      description: "For monitors of liveness: it needs no key and asks no database.",
      open: true,
      answer: {
        status: 200,
        description: "It answers.",
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
      summary: "Whether the API can take requests",
      description:
        "For monitors of readiness: it needs no key and asks the database for nothing but an answer. 503 when there is none.",
      open: true,
      answer: {
        status: 200,
        description: "The database answers.",
        schema: z.object({ status: z.literal("ready") }).meta({ id: "Readiness" }),
      },
      errors: [],
    },
    async (c) => {
      const { clock, db } = c.get("ctx")
      const now = clock.now().getTime()
      if (Math.abs(now - answeredAt) >= ASKED_EVERY_MS) {
        await db.run({ sql: "select 1", parameters: [] })
        answeredAt = now
      }
      return { status: "ready" as const }
    },
  )
}

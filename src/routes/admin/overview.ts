import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import { getOverview, overviewSchema } from "../../system/get-overview.ts"

export function mountOverview(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/overview",
      id: "getOverview",
      tag: "admin",
      summary: "Read the overview",
      description: "The service at a glance: people, spaces, turns under way, money, and the last reconciliation.",
      answer: { status: 200, description: "The overview.", schema: overviewSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c) => getOverview(c.get("ctx"), sessionOf(c)),
  )
}

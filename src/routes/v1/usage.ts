import { listModels, modelSchema } from "../../catalog/list-models.ts"
import type { App } from "../../http/app.ts"
import { pageOf } from "../../http/query.ts"
import { mountUsageReport } from "../usage-report.ts"

/** What there is to choose from, and what it has cost. */
export function mountUsage(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/models",
      id: "listModels",
      tag: "Models",
      summary: "List the models",
      description:
        "The models that turns may use, with their prices, all in one page and in the catalog's order: the first is what a " +
        "turn uses when neither it nor its space names one. A test key sees the rehearsal models.",
      answer: { status: 200, description: "All of them.", schema: pageOf(modelSchema) },
      errors: [],
    },
    async (c) => {
      const data = await listModels(c.get("ctx"), c.get("credential"))
      return { data, has_more: false, next_cursor: null }
    },
  )

  mountUsageReport(app, { prefix: "/v1", query: {} })
}

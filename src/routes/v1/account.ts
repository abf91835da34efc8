import { balanceSchema, getBalance } from "../../billing/get-balance.ts"
import { listModels, modelSchema } from "../../catalog/list-models.ts"
import type { App } from "../../http/app.ts"
import { pageOf, wholePage } from "../../http/query.ts"
import { getOwnKey, ownKeyAnswerSchema } from "../../keys/get-own-key.ts"
import { mountUsageReport } from "../usage-report.ts"

export function mountAccount(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/me",
      id: "getMe",
      tag: "Account",
      summary: "Read this API key",
      description: "The key, its caps with what they have left, and its account's balance.",
      answer: { status: 200, description: "The key, its caps and its account's balance.", schema: ownKeyAnswerSchema },
      errors: [],
    },
    async (c) => getOwnKey(c.get("ctx"), c.get("credential")),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/balance",
      id: "getBalance",
      tag: "Account",
      summary: "Read the balance",
      description: "Not for test keys, nor for keys to one space.",
      answer: { status: 200, description: "The balance of the key's account.", schema: balanceSchema },
      errors: ["SCOPE_DENIED"],
    },
    async (c) => getBalance(c.get("ctx"), c.get("credential")),
  )
}

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
        "All models that turns may use, with their prices, in the catalog's order and in one page. A turn " +
        "uses the first one when neither it nor its space names a model. A test key sees the rehearsal " +
        "models.",
      answer: { status: 200, description: "All models.", schema: pageOf(modelSchema) },
      errors: [],
    },
    async (c) => {
      const data = await listModels(c.get("ctx"), c.get("credential"))
      return wholePage(data)
    },
  )

  mountUsageReport(app, { prefix: "/v1", query: {} })
}

import { balanceSchema, getBalance } from "../../billing/get-balance.ts"
import { listModels, modelSchema } from "../../catalog/list-models.ts"
import type { App } from "../../http/app.ts"
import { pageOf } from "../../http/query.ts"
import { getOwnKey, ownKeyAnswerSchema } from "../../keys/get-own-key.ts"
import { mountUsageReport } from "../usage-report.ts"

export function mountAccount(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/me",
      id: "getMe",
      tag: "Account",
      summary: "Who this key is",
      description: "The key with its caps and what is left of them, and its account's balance.",
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
      answer: { status: 200, description: "The balance of the key's account.", schema: balanceSchema },
      errors: [],
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

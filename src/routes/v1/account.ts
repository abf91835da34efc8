import * as z from "zod"
import { balanceSchema, getBalance } from "../../billing/get-balance.ts"
import { imageModelSchema, listModels, modelSchema } from "../../catalog/list-models.ts"
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
        "All models that turns may use, with their prices, in the catalog's order and in one page. A turn " +
        "uses the first one when neither it nor its space names a model. `image_models` are those that " +
        "`generate_image` makes pictures by, with the price of each picture; the first one does where the " +
        "manifest names none. A test key sees the rehearsal models, and no image models: its pictures are free.",
      answer: {
        status: 200,
        description: "All models.",
        schema: pageOf(modelSchema).extend({ image_models: z.array(imageModelSchema) }),
      },
      errors: [],
    },
    async (c) => {
      const { chat, image } = await listModels(c.get("ctx"), c.get("credential"))
      return { data: chat, has_more: false, next_cursor: null, image_models: image }
    },
  )

  mountUsageReport(app, { prefix: "/v1", query: {} })
}

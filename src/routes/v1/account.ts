import { createRoute } from "@hono/zod-openapi"
import { z } from "zod"
import { getBalance } from "../../billing/get-balance.ts"
import type { App } from "../../http/app.ts"
import { errorResponses, jsonAnswer } from "../../http/openapi.ts"
import { toInstant } from "../../time.ts"

const balanceSchema = z
  .object({
    balance_usd: z.number(),
    held_usd: z.number().meta({ description: "Set aside for turns that are not over." }),
    available_usd: z.number().meta({ description: "balance_usd - held_usd: what new turns may hold." }),
  })
  .meta({ id: "Balance" })

const meSchema = z
  .object({
    key: z.object({
      key_id: z.string(),
      name: z.string(),
      scope: z.enum(["created", "space", "all"]),
      space: z.string().nullable().meta({ description: "The one space of a key with the scope `space`." }),
      test: z.boolean(),
      created_at: z.iso.datetime(),
      expires_at: z.iso.datetime().nullable(),
    }),
    balance: balanceSchema,
  })
  .meta({ id: "Me" })

const me = createRoute({
  method: "get",
  path: "/v1/me",
  tags: ["Account"],
  operationId: "getMe",
  summary: "Who this key is",
  responses: { 200: jsonAnswer("The key and its account's balance.", meSchema), ...errorResponses() },
})

const balance = createRoute({
  method: "get",
  path: "/v1/balance",
  tags: ["Account"],
  operationId: "getBalance",
  summary: "Read the balance",
  responses: { 200: jsonAnswer("The balance of the key's account.", balanceSchema), ...errorResponses() },
})

export function mountAccount(app: App) {
  app.openapi(me, async (c) => {
    const { actor, spaceSlug, balance } = await getBalance(c.get("ctx"), c.get("credential"))
    const { key_id, name, scope, test } = actor
    const dates = { created_at: toInstant(actor.created_at), expires_at: toInstant(actor.expires_at) }
    return c.json({ key: { key_id, name, scope, space: spaceSlug, test, ...dates }, balance }, 200)
  })
  app.openapi(balance, async (c) => c.json((await getBalance(c.get("ctx"), c.get("credential"))).balance, 200))
}

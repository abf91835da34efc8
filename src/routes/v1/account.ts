import * as z from "zod"
import { balanceSchema, getBalance } from "../../billing/get-balance.ts"
import type { App } from "../../http/app.ts"
import { keyOf } from "../../identity/actor.ts"
import { toInstant } from "../../time.ts"

const meSchema = z
  .object({
    key: z.object({
      key_id: z.string(),
      name: z.string().meta({ example: "Server" }),
      scope: z.enum(["created", "space", "all"]),
      space: z.string().nullable().meta({ description: "The one space of a key with the scope `space`." }),
      test: z.boolean(),
      created_at: z.iso.datetime(),
      expires_at: z.iso.datetime().nullable(),
    }),
    balance: balanceSchema,
  })
  .meta({ id: "Me" })

export function mountAccount(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/me",
      id: "getMe",
      tag: "Account",
      summary: "Who this key is",
      answer: { status: 200, description: "The key and its account's balance.", schema: meSchema },
      errors: [],
    },
    async (c) => {
      const { actor, spaceSlug, balance } = await getBalance(c.get("ctx"), c.get("credential"))
      const { key_id, name, scope, test } = keyOf(actor)
      const dates = { created_at: toInstant(actor.created_at), expires_at: toInstant(actor.expires_at) }
      return { key: { key_id, name, scope, space: spaceSlug, test, ...dates }, balance }
    },
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
    async (c) => (await getBalance(c.get("ctx"), c.get("credential"))).balance,
  )
}

import type { App } from "../../http/app.ts"
import { getOwnKey, ownKeyAnswerSchema } from "../../keys/get-own-key.ts"
import { balanceSchema, getBalance } from "../../wallets/get-balance.ts"

export function mountAccount(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/me",
      id: "getMe",
      tag: "Account",
      summary: "Read this API key",
      description: "The key, its caps with the amounts left, and its account's balance.",
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
      description: "Not available to test keys or to keys with the scope `space`.",
      answer: { status: 200, description: "The balance of the key's account.", schema: balanceSchema },
      errors: ["SCOPE_DENIED"],
    },
    async (c) => getBalance(c.get("ctx"), c.get("credential")),
  )
}

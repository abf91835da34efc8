import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-auth.ts"
import {
  accountLimitsSchema,
  getAccountLimits,
  putAccountLimits,
  putAccountLimitsSchema,
} from "../../quotas/account-limits.ts"

const tag = "Account"
const theLimits = { status: 200, description: "The limits.", schema: accountLimitsSchema } as const

export function mountLimits(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/limits",
      id: "getLimits",
      tag,
      summary: "Read the account's limits",
      description:
        "The default limits of your customers, and when your balance counts as low. Caps of a key are at the key, limits of one " +
        "customer at `/v1/end-users/{end_user_ref}`. Test turns have no limits.",
      answer: theLimits,
      errors: [],
    },
    async (c) => getAccountLimits(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/limits",
      id: "putLimits",
      tag,
      summary: "Set the account's limits",
      description:
        "Replaces them all. They bind the next turn: a higher limit admits at once, one below what is spent already refuses until " +
        "the day or the month ends. Turns that were accepted keep what they hold.",
      body: putAccountLimitsSchema,
      answer: theLimits,
      errors: [],
    },
    async (c, { body }) => putAccountLimits(c.get("ctx"), sessionOf(c), body),
  )
}

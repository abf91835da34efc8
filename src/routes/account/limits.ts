import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  accountLimitsSchema,
  getAccountLimits,
  putAccountLimits,
  putAccountLimitsSchema,
} from "../../quotas/account-limits.ts"
import { accountPlanSchema, getPlan } from "../../quotas/get-plan.ts"
import { raised } from "../raised.ts"

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
        "The default limits of your customers, and the threshold below which your balance counts as low. The caps of a key are part of " +
        "the key. The limits of one customer are at `/api/account/end-users/{end_user_ref}`. Test turns have no limits.",
      answer: theLimits,
      errors: [],
    },
    async (c) => getAccountLimits(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/plan",
      id: "getPlan",
      tag,
      summary: "Read the account's plan",
      description: "The plan that the operator gave the account, and what is left of its daily cap.",
      answer: { status: 200, description: "The plan.", schema: accountPlanSchema },
      errors: [],
    },
    async (c) => getPlan(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/limits",
      id: "putLimits",
      tag,
      summary: "Set the account's limits",
      description:
        "Replaces all limits, from the next turn on. A higher limit admits turns at once. A limit below " +
        "the amount already spent rejects turns until the day or the month ends. Turns that were already accepted " +
        "keep their holds.",
      body: putAccountLimitsSchema,
      answer: theLimits,
      errors: [],
    },
    async (c, { body }) => raised(c, await putAccountLimits(c.get("ctx"), sessionOf(c), body)),
  )
}

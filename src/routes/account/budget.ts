import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import { budgetSchema, deleteBudget, getBudget, putBudget, putBudgetSchema } from "../../spending/budget.ts"

const tag = "Account"
const path = "/api/account/budget"
const answer = { status: 200, description: "The budget.", schema: budgetSchema } as const

/** The budget of the account for each month. */
export function mountBudget(app: App) {
  app.operation(
    {
      method: "get",
      path,
      id: "getBudget",
      tag,
      summary: "Read the account's budget",
      description: "The budget for each month, the spend of this month, and what was told about it.",
      answer,
      errors: [],
    },
    async (c) => getBudget(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path,
      id: "putBudget",
      tag,
      summary: "Set the account's budget",
      description:
        "A budget only tells you: it refuses no turns, as caps do. The event `budget.reached` and an email tell each of `percents` once a " +
        "month, and once that the forecast exceeds the budget. A part that is already spent is told within some minutes. After a change of " +
        "the amount, everything is told again. Spend is that of the forecast: with the web chat, less refunds, without test turns.",
      body: putBudgetSchema,
      answer,
      errors: [],
    },
    async (c, { body }) => putBudget(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "delete",
      path,
      id: "deleteBudget",
      tag,
      summary: "Delete the account's budget",
      description: "Nothing more is told. A second request returns the same response.",
      answer,
      errors: [],
    },
    async (c) => deleteBudget(c.get("ctx"), sessionOf(c)),
  )
}

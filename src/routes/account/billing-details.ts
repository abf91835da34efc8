import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  billingDetailsSchema,
  getBillingDetails,
  putBillingDetails,
  putBillingDetailsSchema,
} from "../../receipts/billing-details.ts"

const tag = "Account"
const path = "/api/account/billing-details"
const theDetails = { status: 200, description: "The details.", schema: billingDetailsSchema } as const

export function mountBillingDetails(app: App) {
  app.operation(
    {
      method: "get",
      path,
      id: "getBillingDetails",
      tag,
      summary: "Read the billing details",
      description:
        "The company, address and tax number of the account. The web app shows them on statements that are printed or saved as PDF. " +
        "Signed documents do not have them.",
      answer: theDetails,
      errors: [],
    },
    async (c) => getBillingDetails(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path,
      id: "putBillingDetails",
      tag,
      summary: "Set the billing details",
      description:
        "Replaces all details. Documents that are made from then on have them, also those of earlier months.",
      body: putBillingDetailsSchema,
      answer: theDetails,
      errors: [],
    },
    async (c, { body }) => putBillingDetails(c.get("ctx"), sessionOf(c), body),
  )
}

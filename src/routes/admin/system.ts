import * as z from "zod"
import { billInfra, infraBillingSchema } from "../../billing/bill-infra.ts"
import { reconcileAs } from "../../billing/reconcile.ts"
import { reconciliationSchema, serializeReconciliation } from "../../billing/reconciliation-row.ts"
import type { App } from "../../http/app.ts"
import { booleanParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { getSystem, systemSchema } from "../../system/get-system.ts"

const tag = "admin"

export function mountSystem(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/system",
      id: "getSystem",
      tag,
      summary: "Read the system's status",
      description:
        "The time of a round trip to the database, what waits in the queues, containers, failures of the last " +
        "day, when each sweep ran, and what the last reconciliation of the books found.",
      answer: { status: 200, description: "The status.", schema: systemSchema },
      errors: ["ADMIN_REQUIRED"],
      example: { answer: { reconciliation_running: null } },
    },
    async (c) => getSystem(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/system/reconcile",
      id: "reconcile",
      tag,
      summary: "Reconcile the books now",
      description:
        "Begins a pass over all history of the books, or continues the pass under way, and answers its report. On a " +
        "large database the pass is not finished by then and `finished_at` is null: the sweeper continues it, " +
        "and the system's status has the report. A pass begins by itself every hour, over what has moved since the " +
        "last one; once a week, and within a day after a finding, over all history. It repairs counters, " +
        "holds, lost turns and charges for our own failures, and only reports everything else.",
      answer: { status: 200, description: "The report so far.", schema: reconciliationSchema },
      errors: ["ADMIN_REQUIRED", "CONFLICT"],
    },
    async (c) => serializeReconciliation(await reconcileAs(c.get("ctx"), sessionOf(c))),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/system/bill-infra",
      id: "billInfra",
      tag,
      summary: "Bill containers and storage",
      description:
        "Bills each account for what its spaces used since the last time: the seconds of calls in containers, and what files " +
        "were stored for how long, at the prices of the settings. It is one row `space_usage` in the account's ledger, and never " +
        "takes more than the account has available: the rest stays due, and is billed first the next time. What comes to less than " +
        "a credit micro waits for more. One request works for some seconds; with `finished: false` the next one goes on. What an " +
        "account used before its first bill is in that bill, so try it with `dry_run` first.",
      query: z.strictObject({
        dry_run: booleanParam.default(false).meta({
          description: "`true`: only says what would be billed now. With very many accounts, of the first ones.",
        }),
      }),
      answer: { status: 200, description: "What was billed, or would be.", schema: infraBillingSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query }) => billInfra(c.get("ctx"), sessionOf(c), query.dry_run),
  )
}

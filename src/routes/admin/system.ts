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
        "The duration of a round trip to the database, the lengths of the queues, containers, failures of the last " +
        "day, the last run of each sweep, and the findings of the last reconciliation.",
      answer: { status: 200, description: "The status.", schema: systemSchema },
      errors: [],
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
        "Starts a reconciliation over the whole history of the books, or continues the running one, and returns its report. On a " +
        "large database it may not be finished by then, and `finished_at` is null. The sweeper then continues it, " +
        "and the system's status shows the report. Every hour a reconciliation starts automatically for everything that changed since the " +
        "last one. Once a week, and within a day after a finding, it covers the whole history. It repairs counters, " +
        "holds, lost turns and charges for our own failures. All other findings are only reported.",
      answer: { status: 200, description: "The report so far.", schema: reconciliationSchema },
      errors: [],
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
        "Bills each account for the usage of its spaces since the last time: the duration of calls in containers, and the size and duration " +
        "of stored files, at the prices in the settings. The bill is one `space_usage` entry in the account's ledger. It never " +
        "exceeds the available balance. The rest stays due and is billed first the next time. An amount below " +
        "one credit micro is carried over. One request works for some seconds; if `finished` is false, send another one. The first bill of an " +
        "account covers all its past usage, so try `dry_run` first.",
      query: z.strictObject({
        dry_run: booleanParam.default(false).meta({
          description:
            "`true`: bills nothing, and returns the amounts that would be billed now. With very many accounts, only for the first ones. Default: false.",
        }),
      }),
      answer: {
        status: 200,
        description: "The amounts that were billed, or would be billed.",
        schema: infraBillingSchema,
      },
      errors: [],
    },
    async (c, { query }) => billInfra(c.get("ctx"), sessionOf(c), query.dry_run),
  )
}

import { reconcileAs } from "../../billing/reconcile.ts"
import { reconciliationSchema, serializeReconciliation } from "../../billing/reconciliation-row.ts"
import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-auth.ts"
import { getSystem, systemSchema } from "../../system/get-system.ts"

const tag = "System"

export function mountSystem(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/system",
      id: "getSystem",
      tag,
      summary: "Read the system's status",
      description:
        "How far the database is away, what waits in the queues, when each job of the sweeper ran, and what the last " +
        "reconciliation of the books has found.",
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
        "Begins a pass over all history of the books, or goes on with the one that is under way, and answers its report. On a " +
        "large database `finished_at` is null then: the sweeper goes on, and the status of the system has the report. A pass " +
        "begins by itself every hour, over what has moved since the last one; once a week, and within a day behind a finding, " +
        "over all history. It repairs what it may (counters, holds, lost turns, charges of our failures), and only names " +
        "everything else.",
      answer: { status: 200, description: "The report, so far.", schema: reconciliationSchema },
      errors: ["ADMIN_REQUIRED", "CONFLICT"],
    },
    async (c) => serializeReconciliation(await reconcileAs(c.get("ctx"), sessionOf(c))),
  )
}

import { reconcileAs } from "../../billing/reconcile.ts"
import { reconciliationSchema, serializeReconciliation } from "../../billing/reconciliation-row.ts"
import type { App } from "../../http/app.ts"
import { sessionOf } from "../../http/session-auth.ts"
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
        "The time of a round trip to the database, what waits in the queues, when each sweep ran, and what " +
        "the last reconciliation of the books found.",
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
}

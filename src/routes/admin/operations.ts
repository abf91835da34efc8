import * as z from "zod"
import type { App } from "../../http/app.ts"
import { wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { getOverview, overviewSchema } from "../../system/get-overview.ts"
import { getServiceLevel, serviceLevelSchema } from "../../system/get-service-level.ts"
import { mountAnalytics } from "./analytics.ts"
import { mountEndUserAnalytics } from "./analytics-end-users.ts"
import { mountMoneyAnalytics } from "./analytics-money.ts"
import { mountApiKeys } from "./api-keys.ts"
import { mountAudit } from "./audit.ts"
import { mountBooks } from "./books.ts"
import { mountBulk } from "./bulk.ts"
import { mountCatalog } from "./catalog.ts"
import { mountContainers } from "./containers.ts"
import { mountProviderBooks } from "./provider-books.ts"
import { mountProviderLogins } from "./provider-logins.ts"
import { mountProviders } from "./providers.ts"
import { mountRefundRequests } from "./refunds.ts"
import { mountReportFiles } from "./report-files.ts"
import { mountSettings } from "./settings.ts"
import { mountSpaceMembers } from "./space-members.ts"
import { mountAllSpaces } from "./spaces.ts"
import { mountSubscriptions } from "./subscriptions.ts"
import { mountSystem } from "./system.ts"
import { mountTasks } from "./tasks.ts"
import { mountTeams } from "./teams.ts"
import { mountTurnActions } from "./turn-actions.ts"
import { mountAllTurns } from "./turns.ts"
import { mountUsers } from "./users.ts"
import { mountWorkspaces } from "./workspaces.ts"

/** All operations for admins. Each verb checks the role in its own database statement. */
export function mountAdmin(app: App) {
  mountOverview(app)
  mountUsers(app)
  mountBulk(app)
  mountBooks(app)
  mountRefundRequests(app)
  mountSubscriptions(app)
  mountCatalog(app)
  mountAllSpaces(app)
  mountSpaceMembers(app)
  mountAllTurns(app)
  mountTurnActions(app)
  mountTasks(app)
  mountTeams(app)
  mountWorkspaces(app)
  mountSettings(app)
  mountApiKeys(app)
  mountProviders(app)
  mountContainers(app)
  mountProviderLogins(app)
  mountProviderBooks(app)
  mountSystem(app)
  mountAudit(app)
  mountAnalytics(app)
  mountMoneyAnalytics(app)
  mountEndUserAnalytics(app)
  mountReportFiles(app)
}

function mountOverview(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/overview",
      id: "getOverview",
      tag: "admin",
      summary: "Read the overview",
      description: "Summary figures of the service: people, spaces, open turns, money, and the last reconciliation.",
      answer: { status: 200, description: "The overview.", schema: overviewSchema },
      errors: [],
    },
    async (c) => getOverview(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/service-level",
      id: "getServiceLevel",
      tag: "admin",
      summary: "Read the service level",
      description:
        "Says in a sentence how the service is, with the page of each failing check, and how it was: successes, durations, " +
        "queue, provider errors and the backlog of webhooks in each quarter of an hour.",
      query: z.strictObject({
        days: wholeParam(1, 7).default(1).meta({ description: "The number of days until now. Default: 1." }),
      }),
      answer: { status: 200, description: "The service level.", schema: serviceLevelSchema },
      errors: [],
    },
    async (c, { query: { days } }) => getServiceLevel(c.get("ctx"), sessionOf(c), days),
  )
}

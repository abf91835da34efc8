import type { App } from "../../http/app.ts"
import { mountConversations } from "../conversations.ts"
import { mountEndUsers } from "../end-users.ts"
import { mountEvents } from "../events.ts"
import { mountModels } from "../models.ts"
import { FOR_OWNERS } from "../mounting.ts"
import { mountProfiles } from "../profiles.ts"
import { mountReceipts } from "../receipts.ts"
import { mountResale } from "../resale.ts"
import { mountSpaceConfig } from "../spaces/config.ts"
import { mountRetention } from "../spaces/retention.ts"
import { mountTools } from "../spaces/tools.ts"
import { mountTurnMessages } from "../turn-messages.ts"
import { mountUsageReport } from "../usage-report.ts"
import { mountActivity } from "./activity.ts"
import { mountAnomalies } from "./anomalies.ts"
import { mountBillingDetails } from "./billing-details.ts"
import { mountBudget } from "./budget.ts"
import { mountChat } from "./chat.ts"
import { mountCustomers } from "./customers.ts"
import { mountExplorer } from "./explorer.ts"
import { mountOwnFiles } from "./files.ts"
import { mountIdentities } from "./identities.ts"
import { mountKeys } from "./keys.ts"
import { mountLimits } from "./limits.ts"
import { mountMembers } from "./members.ts"
import { mountMemberships } from "./memberships.ts"
import { mountMoney } from "./money.ts"
import { mountPortalPreviews } from "./portal-previews.ts"
import { mountRefunds } from "./refunds.ts"
import { mountSecondFactor } from "./second-factor.ts"
import { mountSessions } from "./sessions.ts"
import { mountSharing } from "./sharing.ts"
import { mountOwnSpaces } from "./spaces.ts"
import { mountTraceEndpoint } from "./traces.ts"
import { mountTurnDetails } from "./turn-details.ts"
import { mountOwnTurns } from "./turns.ts"
import { mountWaits } from "./waits.ts"
import { mountOwnWebhooks } from "./webhooks.ts"

/** All operations of the account owner. */
export function mountOwner(app: App) {
  mountMoney(app)
  mountBudget(app)
  mountAnomalies(app)
  mountBillingDetails(app)
  mountLimits(app)
  mountTraceEndpoint(app)
  mountSessions(app)
  mountActivity(app)
  mountMembers(app)
  mountMemberships(app)
  mountSecondFactor(app)
  mountIdentities(app)
  mountKeys(app)
  mountOwnSpaces(app)
  mountSharing(app)
  mountSpaceConfig(app, FOR_OWNERS)
  mountRetention(app, FOR_OWNERS)
  mountTools(app, FOR_OWNERS)
  mountOwnFiles(app)
  mountOwnTurns(app)
  mountConversations(app, FOR_OWNERS)
  mountTurnMessages(app, FOR_OWNERS)
  mountWaits(app)
  mountRefunds(app)
  mountTurnDetails(app)
  mountExplorer(app)
  mountChat(app)
  mountOwnWebhooks(app)
  mountEvents(app, FOR_OWNERS)
  mountModels(app, FOR_OWNERS)
  mountUsageReport(app, FOR_OWNERS)
  mountReceipts(app, FOR_OWNERS)
  mountEndUsers(app, FOR_OWNERS)
  mountProfiles(app, FOR_OWNERS)
  mountResale(app, FOR_OWNERS)
  mountCustomers(app)
  mountPortalPreviews(app)
}

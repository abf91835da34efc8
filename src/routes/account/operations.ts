import type { App } from "../../http/app.ts"
import { testQuery } from "../../http/query.ts"
import { mountUsageReport } from "../usage-report.ts"
import { mountChat } from "./chat.ts"
import { mountOwnFiles } from "./files.ts"
import { mountIdentities } from "./identities.ts"
import { mountKeys } from "./keys.ts"
import { mountLimits } from "./limits.ts"
import { mountMoney } from "./money.ts"
import { mountSecondFactor } from "./second-factor.ts"
import { mountSessions } from "./sessions.ts"
import { mountOwnSpaces } from "./spaces.ts"
import { mountOwnTurns } from "./turns.ts"
import { mountOwnWebhooks } from "./webhooks.ts"

/** What an account's owner does. */
export function mountOwner(app: App) {
  mountMoney(app)
  mountLimits(app)
  mountSessions(app)
  mountSecondFactor(app)
  mountIdentities(app)
  mountKeys(app)
  mountOwnSpaces(app)
  mountOwnFiles(app)
  mountOwnTurns(app)
  mountChat(app)
  mountOwnWebhooks(app)
  mountUsageReport(app, { prefix: "/api/account", query: testQuery })
}

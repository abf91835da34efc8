import type { App } from "../../http/app.ts"
import { testQuery } from "../../http/query.ts"
import { mountUsageReport } from "../usage-report.ts"
import { mountChat } from "./chat.ts"
import { mountIdentities } from "./identities.ts"
import { mountKeys } from "./keys.ts"
import { mountLimits } from "./limits.ts"
import { mountMoney } from "./money.ts"
import { mountSessions } from "./sessions.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTurns } from "./turns.ts"
import { mountWebhooks } from "./webhooks.ts"

/** What an account's owner does. */
export function mountAccount(app: App) {
  mountMoney(app)
  mountLimits(app)
  mountSessions(app)
  mountIdentities(app)
  mountKeys(app)
  mountSpaces(app)
  mountTurns(app)
  mountChat(app)
  mountWebhooks(app)
  mountUsageReport(app, { prefix: "/api/account", query: testQuery })
}

import { parseAuthEnv } from "../../env.ts"
import type { Group } from "../../http/app.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { testQuery } from "../../http/query.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountUsageReport } from "../usage-report.ts"
import { mountChat } from "./chat.ts"
import { serveDashboardReference } from "./document.ts"
import { mountIdentities } from "./identities.ts"
import { mountKeys } from "./keys.ts"
import { mountMoney } from "./money.ts"
import { mountSessions } from "./sessions.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTurns } from "./turns.ts"
import { mountWebhooks } from "./webhooks.ts"

/** /api/account/*: what an account's owner sees and does in the dashboard. */
export const account: Group = {
  parseEnv: parseAuthEnv,
  mount(app) {
    serveDashboardReference(app)
    app.use("/api/account/*", sameOrigin, sessionAuth, jsonOnly)
    mountMoney(app)
    mountSessions(app)
    mountIdentities(app)
    mountKeys(app)
    mountSpaces(app)
    mountTurns(app)
    mountChat(app)
    mountWebhooks(app)
    mountUsageReport(app, { prefix: "/api/account", query: testQuery })
  },
}

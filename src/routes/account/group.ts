import { parseBaseEnv } from "../../env.ts"
import type { Group } from "../../http/app.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { serveReference } from "../../http/serve-reference.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { dashboardGuides } from "../../reference/dashboard-guides.ts"
import { dashboardApp, describeDashboard } from "./document.ts"
import { mountAccount } from "./operations.ts"

/** /api/account/*: what an account's owner sees and does in the dashboard. */
export const account: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    serveReference(app, {
      documentPath: "/api/openapi.json",
      pagePath: "/api/docs",
      describe: (origin) => describeDashboard(dashboardApp(), { origin }),
      guidesOf: dashboardGuides,
      aboutErrors: "`code` is stable and made for programs, `detail` for people; a 422 has faults instead of both.",
    })
    app.use("/api/account/*", sameOrigin, sessionAuth, jsonOnly)
    mountAccount(app)
  },
}

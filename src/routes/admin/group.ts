import { parseBaseEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountHealthCheck } from "./health.ts"
import { mountAdmin } from "./operations.ts"

/** /api/admin/*: the operators' operations for the dashboard. /api/health: the check of monitors. */
export const admin: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountHealthCheck(app)
    app.use("/api/admin/*", sameOrigin, sessionAuth)
    mountAdmin(app)
  },
}

import { parseAuthEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountOwner } from "./operations.ts"

/** /api/account/*: the account owner's operations for the dashboard. */
export const account: Group = {
  parseEnv: parseAuthEnv,
  mount(app) {
    app.use("/api/account/*", sameOrigin, sessionAuth)
    mountOwner(app)
  },
}

import { parseAuthEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountOwner } from "./operations.ts"

/** /api/account/*: what an account's owner sees and does in the dashboard. */
export const account: Group = {
  parseEnv: parseAuthEnv,
  mount(app) {
    app.use("/api/account/*", sameOrigin, sessionAuth, jsonOnly)
    mountOwner(app)
  },
}

import { createMiddleware } from "hono/factory"
import { parseAuthEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { rightsFirst } from "../../http/rights-first.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountOwner } from "./operations.ts"

const UPLOAD = /^\/api\/account\/spaces\/[^/]+\/files$/

/** Requires a JSON body, except for file uploads. */
const jsonUnlessFile = createMiddleware<AppEnv>((c, next) =>
  c.req.method === "POST" && UPLOAD.test(c.req.path) ? next() : jsonOnly(c, next),
)

/** /api/account/*: the account owner's operations for the dashboard. */
export const account: Group = {
  parseEnv: parseAuthEnv,
  mount(app) {
    app.use("/api/account/*", sameOrigin, sessionAuth, rightsFirst(), jsonUnlessFile)
    mountOwner(app)
  },
}

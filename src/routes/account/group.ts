import { parseBaseEnv } from "../../env.ts"
import type { App, Group } from "../../http/app.ts"
import { DASHBOARD_SURFACE } from "../../http/dashboard-surface.ts"
import { jsonOnly } from "../../http/json-bodies.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { sameOrigin } from "../../http/same-origin.ts"
import { sessionAuth } from "../../http/session-auth.ts"
import { mountChat } from "./chat.ts"
import { mountKeys } from "./keys.ts"
import { mountMoney } from "./money.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTurns } from "./turns.ts"

/** /api/account/*: what an account's owner sees and does in the dashboard. */
export const account: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountOpenApi(app)
    app.use("/api/account/*", sameOrigin, sessionAuth, jsonOnly)
    mountMoney(app)
    mountKeys(app)
    mountSpaces(app)
    mountTurns(app)
    mountChat(app)
  },
}

function mountOpenApi(app: App) {
  app.get("/api/openapi.json", (c) => {
    const operations = app.operations.filter((operation) => operation.path.startsWith("/api/"))
    return c.json(openApiDocument(operations, { origin: new URL(c.req.url).origin, surface: DASHBOARD_SURFACE }))
  })
}

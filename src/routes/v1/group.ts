import { parseBaseEnv } from "../../env.ts"
import type { App, Group } from "../../http/app.ts"
import { keyAuth } from "../../http/key-auth.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { API_SURFACE } from "../../http/surface.ts"
import { mountAccount } from "./account.ts"
import { mountDeliveries } from "./deliveries.ts"
import { mountEvents } from "./events.ts"
import { mountFiles } from "./files.ts"
import { mountSpaceConfig } from "./space-config.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTools } from "./tools.ts"
import { mountTurns } from "./turns.ts"
import { mountWebhooks } from "./webhooks.ts"

/** /v1/*: customers' servers. */
export const v1: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountOpenApi(app)
    app.use("/v1/*", keyAuth)
    mountSpaces(app)
    mountSpaceConfig(app)
    mountTools(app)
    mountFiles(app)
    mountTurns(app)
    mountWebhooks(app)
    mountDeliveries(app)
    mountEvents(app)
    mountAccount(app)
  },
}

function mountOpenApi(app: App) {
  app.get("/v1/openapi.json", (c) => {
    const operations = app.operations.filter((operation) => operation.path.startsWith("/v1/"))
    return c.json(openApiDocument(operations, { origin: new URL(c.req.url).origin, surface: API_SURFACE }))
  })
}

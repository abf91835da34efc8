import { parseBaseEnv } from "../../env.ts"
import { type App, type Group, jsonBodies } from "../../http/app.ts"
import { keyAuth } from "../../http/key-auth.ts"
import { mountAccount } from "./account.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTurns } from "./turns.ts"

/** /v1/*: customers' servers. */
export const v1: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountOpenApi(app)
    app.use("/v1/*", keyAuth, ...jsonBodies)
    mountSpaces(app)
    mountTurns(app)
    mountAccount(app)
  },
}

function mountOpenApi(app: App) {
  app.openAPIRegistry.registerComponent("securitySchemes", "api_key", {
    type: "http",
    scheme: "bearer",
    description: "`Authorization: Bearer <API_KEY>`. Keys are for servers only, never for browsers or mobile apps.",
  })
  app.doc31("/v1/openapi.json", (c) => ({
    openapi: "3.1.0",
    info: {
      title: "Turnpike",
      version: "1",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      description: "Create isolated spaces, send turns to their agents, get text and an exact bill.",
    },
    servers: [{ url: new URL(c.req.url).origin }],
    security: [{ api_key: [] }],
    tags: [{ name: "Spaces" }, { name: "Turns" }, { name: "Account" }],
  }))
}

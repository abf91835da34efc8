import { parseBaseEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { keyAuth } from "../../http/key-auth.ts"
import { mountAccount, mountUsage } from "./account.ts"
import { mountEndUsers } from "./end-users.ts"
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
    app.use("/v1/*", keyAuth)
    mountSpaces(app)
    mountSpaceConfig(app)
    mountTools(app)
    mountFiles(app)
    mountTurns(app)
    mountWebhooks(app)
    mountEvents(app)
    mountAccount(app)
    mountUsage(app)
    mountEndUsers(app)
  },
}

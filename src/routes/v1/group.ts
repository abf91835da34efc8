import { parseBaseEnv } from "../../base/env.ts"
import type { Group } from "../../http/app.ts"
import { keyAuth } from "../../http/key-auth.ts"
import { serveReference } from "../../http/serve-reference.ts"
import { guidesOf } from "../../reference/guides.ts"
import { mountAccount, mountUsage } from "./account.ts"
import { describeV1 } from "./document.ts"
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
    serveReference(app, {
      documentPath: "/v1/openapi.json",
      pagePath: "/docs",
      describe: (origin) => describeV1(app, { origin }),
      guidesOf,
      aboutErrors:
        "`{error: {code, message, param?, details?, retryable, request_id}}`: `code` is stable and made for programs, `message` " +
        "for people; `param` is the field at fault, `details` are all faults. `retryable` says whether the same request may " +
        "succeed later.",
    })
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

import { parseBaseEnv } from "../../env.ts"
import { type Group, jsonBodies } from "../../http/app.ts"
import { keyAuth } from "../../http/key-auth.ts"
import { mountAccount } from "./account.ts"
import { mountFiles, mountUpload } from "./files.ts"
import { mountReference } from "./reference.ts"
import { mountSpaceConfig } from "./space-config.ts"
import { mountSpaces } from "./spaces.ts"
import { mountTools } from "./tools.ts"
import { mountTurns } from "./turns.ts"

/** /v1/*: customers' servers. */
export const v1: Group = {
  parseEnv: parseBaseEnv,
  mount(app) {
    mountReference(app)
    app.use("/v1/*", keyAuth)
    mountUpload(app)
    app.use("/v1/*", ...jsonBodies)
    mountSpaces(app)
    mountSpaceConfig(app)
    mountTools(app)
    mountFiles(app)
    mountTurns(app)
    mountAccount(app)
  },
}

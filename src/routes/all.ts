import { parseAllEnv } from "../base/env.ts"
import { allOf } from "../http/app.ts"
import { account } from "./account/group.ts"
import { admin } from "./admin/group.ts"
import { auth } from "./auth/group.ts"
import { callbacks } from "./callbacks/group.ts"
import { v1 } from "./v1/group.ts"

/** All groups of routes in one worker. */
export const all = allOf(parseAllEnv, [v1, auth, account, admin, callbacks])

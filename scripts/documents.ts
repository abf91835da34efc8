import { parseBaseEnv } from "../src/base/env.ts"
import { App, allOf, type Group } from "../src/http/app.ts"
import { describeDashboard } from "../src/routes/account/document.ts"
import { account } from "../src/routes/account/group.ts"
import { admin } from "../src/routes/admin/group.ts"
import { auth } from "../src/routes/auth/group.ts"
import { describeV1 } from "../src/routes/v1/document.ts"
import { v1 } from "../src/routes/v1/group.ts"

/** The operations of a group, without a worker that serves them. */
function appOf(group: Group): App {
  const app = new App()
  group.mount(app)
  return app
}

/** Each surface: its operations, and how they are described. */
export const SURFACES = {
  v1: { app: appOf(v1), describe: describeV1 },
  dashboard: { app: appOf(allOf(parseBaseEnv, [auth, account, admin])), describe: describeDashboard },
}

export type SurfaceName = keyof typeof SURFACES

/** The OpenAPI document of a surface. `onMissing` is told each field without an example. */
export function documentOf(name: SurfaceName, onMissing: (path: string) => void = () => {}) {
  const { app, describe } = SURFACES[name]
  return describe(app, { origin: "https://api.turnpike.test", onMissing })
}

import { parseBaseEnv } from "../src/base/env.ts"
import { App, allOf, type Group } from "../src/http/app.ts"
import { APIS, describeApi } from "../src/reference/apis.ts"
import { account } from "../src/routes/account/group.ts"
import { admin } from "../src/routes/admin/group.ts"
import { all } from "../src/routes/all.ts"
import { auth } from "../src/routes/auth/group.ts"
import { callbacks } from "../src/routes/callbacks/group.ts"
import { v1 } from "../src/routes/v1/group.ts"

/** An app with the operations of a group, for reading them only. */
function appOf(group: Group): App {
  const app = new App()
  group.mount(app)
  return app
}

/** The apps of all workers by the names of their files in functions/. */
export const WORKERS: Record<string, App> = Object.fromEntries(
  Object.entries({ all, v1, auth, account, admin, callbacks }).map(([name, group]) => [name, appOf(group)]),
)

/** Each surface: the app with its operations, and the description of the API. */
export const SURFACES = {
  v1: { app: appOf(v1), api: APIS.v1 },
  dashboard: { app: appOf(allOf(parseBaseEnv, [auth, account, admin])), api: APIS.dashboard },
}

export type SurfaceName = keyof typeof SURFACES

/** The OpenAPI document of a surface. Calls `onMissing` for each field without an example. */
export function documentOf(
  name: SurfaceName,
  onMissing: (path: string) => void = () => {},
  origins: readonly string[] = [],
) {
  const { app, api } = SURFACES[name]
  return describeApi(api, app.operations, { onMissing, origins })
}

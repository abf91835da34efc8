import { App, type Group } from "../src/http/app.ts"
import { dashboardApp, describeDashboard } from "../src/routes/account/document.ts"
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
  dashboard: { app: dashboardApp(), describe: describeDashboard },
}

export type SurfaceName = keyof typeof SURFACES

/** The OpenAPI document of a surface. `onMissing` is told each field without an example. */
export function documentOf(name: SurfaceName, onMissing: (path: string) => void = () => {}) {
  const { app, describe } = SURFACES[name]
  return describe(app, { origin: "https://api.turnpike.test", onMissing })
}

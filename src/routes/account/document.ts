import { App } from "../../http/app.ts"
import { DASHBOARD_SURFACE } from "../../http/dashboard-surface.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { mountAdmin } from "../admin/operations.ts"
import { mountAccount } from "./operations.ts"

/** Every operation below /api, whichever worker serves it. */
export function dashboardApp(): App {
  const app = new App()
  for (const mount of [mountAccount, mountAdmin]) mount(app)
  return app
}

/** The OpenAPI document of the operations below /api. `onMissing` is told each field without an example. */
export function describeDashboard(app: App, options: { origin: string; onMissing?: (path: string) => void }) {
  return openApiDocument(app.operations, { ...options, surface: DASHBOARD_SURFACE })
}

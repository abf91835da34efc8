import type { App } from "../../http/app.ts"
import { DASHBOARD_SURFACE } from "../../http/dashboard-surface.ts"
import { openApiDocument } from "../../http/openapi.ts"

/** The OpenAPI document of the operations below /api. `onMissing` is told each field without an example. */
export function describeDashboard(app: App, options: { origin: string; onMissing?: (path: string) => void }) {
  const operations = app.operations.filter((operation) => operation.path.startsWith("/api/"))
  return openApiDocument(operations, { ...options, surface: DASHBOARD_SURFACE })
}

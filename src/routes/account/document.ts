import type { App } from "../../http/app.ts"
import { DASHBOARD_SURFACE } from "../../http/dashboard-surface.ts"
import { openApiDocument } from "../../http/openapi.ts"
import { serveReference } from "../../http/serve-reference.ts"
import { dashboardGuides } from "../../reference/dashboard-guides.ts"

/** The OpenAPI document of the operations below /api. `onMissing` is told each field without an example. */
export function describeDashboard(app: App, options: { origin: string; onMissing?: (path: string) => void }) {
  const operations = app.operations.filter((operation) => operation.path.startsWith("/api/"))
  return openApiDocument(operations, { ...options, surface: DASHBOARD_SURFACE })
}

/** Serves that document and its page, of all operations below /api that the worker has: each group of them does. */
export function serveDashboardReference(app: App): void {
  serveReference(app, {
    documentPath: "/api/openapi.json",
    pagePath: "/api/docs",
    describe: (origin) => describeDashboard(app, { origin }),
    guidesOf: dashboardGuides,
    aboutErrors: "`code` is stable and made for programs, `detail` for people; a 422 has faults instead of both.",
  })
}

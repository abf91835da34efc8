import { App } from "../../src/http/app.ts"
import { v1 } from "../../src/routes/v1/group.ts"

/** Every operation of /v1, from the table that the worker routes and documents from. */
export function v1Operations() {
  const app = new App()
  v1.mount(app)
  const operations = app.operations.filter(({ path }) => path.startsWith("/v1/"))
  const known = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
  // Hono's own table: a route that is not an operation would be missing from every document and test.
  const others = app.routes
    .filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
    .filter((route) => !known.has(route))
  return { operations, others: [...new Set(others)] }
}

export type V1Operation = ReturnType<typeof v1Operations>["operations"][number]

/** Operations on a reference, a name or a month that each account has for itself, so they need no earlier data. */
export const OF_OWN_WORDS =
  /^(putEndUser(Limits|Billing)|(get|put|delete)EndUserProfile|creditEndUser|createPortalSession|previewPortal|getEndUserBalance|listEndUserLedger|putPrice|getStatement|listStatementDocuments)$/

/** The ids in a path, each with the segment before it, which names their kind: `tools/{name}`. */
export const idsIn = (path: string) => path.match(/[\w-]+\/\{\w+\}/g) ?? []

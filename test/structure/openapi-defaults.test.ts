import { expect, test } from "vitest"
import * as z from "zod"
import { documentOf, SURFACES, type SurfaceName } from "../../scripts/documents.ts"

interface Parameter {
  name: string
  in: string
  schema: { default?: unknown; type?: string }
}

/**
 * The defaults of docs/contract.md by method and path; for the customer API the defaults that the
 * guides name.
 */
const CONTRACT: Record<string, Record<string, unknown>> = {
  "get /api/admin/users": { limit: 50, offset: 0 },
  "get /api/admin/users/{user_id}/spaces": { limit: 2000, offset: 0 },
  "get /api/admin/subscriptions/usage": { days: 30 },
  "get /api/admin/spaces/list": {
    brand: "all",
    archived: "active",
    sort: "title",
    direction: "asc",
    limit: 50,
    offset: 0,
  },
  "get /api/admin/tasks": { brand: "all", state: "all", limit: 100, offset: 0 },
  "get /api/admin/context-comparison": { days: 30 },
  "get /api/admin/usage": { days: 30 },
  "get /api/admin/analytics/top-users": { days: 30, limit: 20 },
  "get /api/admin/analytics/errors": { days: 30 },
  "get /api/admin/analytics/context-size": { days: 30 },
  "get /api/admin/analytics/top-spaces": { days: 30, limit: 20 },
  "get /api/admin/analytics/hourly": { days: 7 },
  "get /api/admin/analytics/hourly-spaces": { top: 8 },
  "get /api/admin/analytics/costs": { days: 30 },
  "get /api/admin/analytics/energy-timeline": { days: 30, all_time: false },
  "get /api/admin/analytics/balance-trend": { days: 30, all_time: false, active_window_days: 30 },
  "get /api/admin/analytics/cpm": { days: 30 },
  "get /api/admin/analytics/subscription-spaces": { days: 30 },
  "get /api/admin/analytics/costs/per-user": { days: 30, limit: 20 },
  "get /api/admin/analytics/breakdown": { dimension: "space", days: 30, limit: 100 },
  "get /api/admin/providers/capacity": { hours: 72 },
  "get /v1/turns": { limit: 20 },
  "get /v1/spaces": { limit: 20, archived: "false" },
  "get /v1/events": { limit: 20 },
  "get /v1/turns/{turn_id}": { wait: 0 },
}

const surfaces = (Object.keys(SURFACES) as SurfaceName[]).map((name) => ({
  name,
  paths: documentOf(name).paths as Record<string, Record<string, { parameters?: Parameter[] }>>,
  operations: SURFACES[name].app.operations,
}))

/** The defaults that a document shows for the query of one operation. */
function shown(method: string, path: string): Record<string, unknown> {
  const { paths } = surfaces.find(({ paths }) => paths[path]?.[method]) ?? { paths: {} as never }
  const parameters = paths[path]?.[method]?.parameters ?? []
  const given = parameters.filter(({ in: place, schema }) => place === "query" && schema.default !== undefined)
  return Object.fromEntries(given.map(({ name, schema }) => [name, schema.default]))
}

test.each(Object.entries(CONTRACT))("The document %s shows the defaults of the contract", (operation, defaults) => {
  const [method = "", path = ""] = operation.split(" ")
  expect(shown(method, path)).toMatchObject(defaults)
})

test("Every query parameter that has a default shows it, in its documented type", () => {
  for (const { operations } of surfaces) {
    for (const { method, path, query } of operations) {
      if (!(query instanceof z.ZodObject)) continue
      const defaults = Object.entries(query.shape as Record<string, z.ZodType>).flatMap(([name, schema]) => {
        const read = schema.safeParse(undefined)
        return read.success && read.data !== undefined ? [[name, read.data]] : []
      })
      expect(shown(method, path), `${method} ${path}`).toEqual(Object.fromEntries(defaults))
    }
  }
})

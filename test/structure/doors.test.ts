import { expect, test } from "vitest"
import { SURFACES } from "../../scripts/documents.ts"
import { DOORS } from "../../src/http/policies.ts"

/** They do nothing for a caller without a session or token, or cost at most a statement per second. */
const HARMLESS = ["POST /api/auth/logout", "GET /api/health", "GET /v1/health", "GET /v1/health/ready", "GET /v1/watch"]

test("Exactly the operations that need neither session nor key have a rate limit by address", () => {
  const open = Object.values(SURFACES).flatMap(({ app }) =>
    app.operations.filter((operation) => operation.open).map(({ method, path }) => `${method.toUpperCase()} ${path}`),
  )
  expect(open.length).toBeGreaterThan(8)
  expect([...Object.keys(DOORS), ...HARMLESS].sort()).toEqual(open.sort())
})

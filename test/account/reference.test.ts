import { expect, test } from "vitest"
import { staticFile } from "../harness/served.ts"

test("The dashboard's API document and reference page are public", async () => {
  const document = (await (await staticFile("/api/openapi.json")).json()) as { paths: Record<string, object> }
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  )
  expect(ids.length).toBeGreaterThan(10)
  expect(Object.keys(document.paths).filter((path) => !path.startsWith("/api/"))).toEqual([])
  // The document is for pages: it mentions neither keys nor the client.
  expect(JSON.stringify(document)).not.toMatch(/turnpike-turns|\$TURNPIKE_API_KEY/)
  expect((await staticFile("/api/docs")).status).toBe(200)
})

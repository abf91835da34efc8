import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const URL_ = "https://sandbox.corp.internal/of/canary-segment-9f3a/mcp?key=canary%2Fquery&debug=true"
const PASSWORD = "canary-password"

let world: World
let admin: Admin
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount()
  space = await client.space()
  world.serve("sandbox.corp.internal", async (request) => {
    const body = request.method === "POST" ? await request.text() : undefined
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
  const headers = { authorization: `Basic ${btoa(`robot:${PASSWORD}`)}` }
  const mapping = { container: "sandbox", space, url: URL_, headers }
  expect((await admin.call("PUT", "/api/admin/system/containers/mappings", mapping)).status).toBe(200)
})
afterAll(() => world.close())

test.each([
  ["the key of its query", "canary/query"],
  ["the key of its query, encoded", "canary%2Fquery"],
  ["its path", "/of/canary-segment-9f3a/mcp"],
  ["a secret part of its path", "canary-segment-9f3a"],
  ["its password", PASSWORD],
  ["its user and password", `robot:${PASSWORD}`],
])("A container that repeats %s reveals nothing to the customer", async (_what, said) => {
  const turn = await client.runTurn({ space, text: `[call container__echo {"message":"debug is true, ${said}!"}]` })
  expect(turn.result).toContain("Echo: debug is true, ••••••!")
})

test("The audit log has the container's address without the credentials of its URL", async () => {
  const changed = { container: "sandbox", space, url: URL_.replace("canary%2Fquery", "canary-new"), enabled: false }
  expect((await admin.call("PUT", "/api/admin/system/containers/mappings", changed)).status).toBe(200)
  const [, { items }] = await admin.json("GET", "/api/admin/audit?action=container_mapping.put")
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({
    before: { url: "https://sandbox.corp.internal/of/canary-segment-9f3a/mcp?…", enabled: true },
    after: { url: "https://sandbox.corp.internal/of/canary-segment-9f3a/mcp?…", enabled: false },
  })
  const text = JSON.stringify(items)
  for (const secret of ["query", "canary-new", PASSWORD]) expect(text).not.toContain(secret)
})

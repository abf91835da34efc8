import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount()
})
afterAll(() => world.close())

test("A parameter that is sent twice is refused with a message that says so", async () => {
  const fault = { loc: ["query", "state"], msg: "was sent twice, and can have one value" }
  expect(await admin.json("GET", "/api/admin/tasks?state=open&state=done")).toMatchObject([422, { detail: [fault] }])
  const response = await client.call("GET", "/v1/turns?limit=1&limit=2&limit=3")
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { error: { param: "limit", message: "limit: was sent 3 times, and can have one value" } },
  ])
})

test("A parameter that is a list can be repeated, and an unknown one is still unknown", async () => {
  expect((await client.call("GET", "/v1/usage?model=a&model=b")).status).toBe(200)
  const [status, answer] = await admin.json("GET", "/api/admin/tasks?colour=red&colour=blue")
  expect([status, answer.detail[0].msg]).toEqual([422, expect.stringContaining("There is no such field")])
})

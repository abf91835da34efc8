import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A call between two of our workers has its effect once, however often it is sent", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  let called = 0
  world.serve("api.customer.com", () => {
    called++
    return Response.json({ ok: true })
  })
  await client.call("PUT", `/v1/spaces/${space}/tools/ping`, {
    description: "Ping.",
    input_schema: { type: "object" },
    request: { method: "POST", url: "https://api.customer.com/ping" },
  })
  const seen: Request[] = []
  const { invoke } = world
  world.rebind({ CALLBACKS_URL: "https://callbacks.elsewhere.com" })
  world.serve("callbacks.elsewhere.com", async (request) => {
    seen.push(request.clone() as unknown as Request)
    return invoke(request)
  })
  const tried = await client.call("POST", `/v1/spaces/${space}/tools/ping/test`, { input: {} })
  expect([tried.status, called, seen.length]).toEqual([200, 1, 1])
  const [first] = seen as [Request]
  const again = await invoke(first)
  expect([again.status, await again.json()]).toMatchObject([401, { error: { code: "INVALID_SIGNATURE" } }])
  expect(called).toBe(1)
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const get = (path: string) => world.invoke(new Request(`https://api.test${path}`))

test("The health of the API is answered without a key and without a call to any service", async () => {
  await world.plan([])
  const answer = await get("/v1/health")
  expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }])
  expect(await world.calls()).toEqual([])
})

test("The readiness of the API is 503 while the database does not answer", async () => {
  const ready = await get("/v1/health/ready")
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
  await world.plan([{ service: "pg", action: "fail", when: "before", call: 1 }])
  expect((await get("/v1/health/ready")).status, "the database is queried at most once per second").toBe(200)
  await world.advance(1_000)
  const down = await get("/v1/health/ready")
  await world.clearFaults()
  expect(down.status).toBe(503)
  expect(await down.json()).toMatchObject({ error: { code: "UNAVAILABLE", retryable: true } })
})

test("Other paths of the API still need a key", async () => {
  expect((await get("/v1/healthz")).status).toBe(401)
  expect((await get("/v1/me")).status).toBe(401)
})

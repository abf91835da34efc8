import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { PORTAL_POLICY } from "../../src/portal/policies.ts"
import { readAnswer } from "../harness/answers.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("An account that opens too many sessions at once learns when it may open the next", async () => {
  const client = await world.createAccount()
  const usual = PORTAL_POLICY.opened
  onTestFinished(() => void Object.assign(PORTAL_POLICY, { opened: usual }))
  Object.assign(PORTAL_POLICY, { opened: { burst: 3, everyMs: 3_600_000 } })
  const open = () => readAnswer(client.call("POST", "/v1/end-users/ada/portal-sessions", { scopes: ["usage"] }))
  const answers = await Promise.all(Array.from({ length: 6 }, open))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused).toMatchObject({
    body: { error: { code: "QUOTA_EXCEEDED", details: { cap: "portal_sessions", limit: 3 } } },
  })
  expect(Number(refused?.retryAfter)).toBeGreaterThan(0)
  const other = await world.createAccount()
  expect((await other.call("POST", "/v1/end-users/ada/portal-sessions", { scopes: ["usage"] })).status).toBe(201)
})

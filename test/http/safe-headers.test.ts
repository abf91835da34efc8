import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
})
afterAll(() => world.close())

test.each([
  ["GET", "/v1/me"],
  ["GET", "/v1/nothing"],
  ["PUT", "/v1/me"],
  ["POST", "/v1/turns"],
  ["GET", "/v1/turns/turn_x/events"],
  ["GET", "/api/auth/me"],
  ["GET", "/api/auth/oauth-login/start"],
  ["POST", "/api/auth/login"],
  ["GET", "/api/account/me"],
  ["GET", "/api/admin/overview"],
  ["POST", "/callbacks/turns/turn_x"],
  ["GET", "/nothing"],
])("The answer to %s %s has nosniff, HSTS and CORP", async (method, path) => {
  const { headers } = await client.call(method, path)
  expect([
    headers.get("x-content-type-options"),
    headers.get("strict-transport-security"),
    headers.get("cross-origin-resource-policy"),
  ]).toEqual(["nosniff", "max-age=31536000", "same-origin"])
})

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { LOG_LEVEL: "info" } })
})
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

test.each([
  "/v1/end-users/somebody@people.test",
  "/v1//end-users/somebody@people.test/limits",
  "/v1/end-users//somebody@people.test",
  "/api/account//end-users/somebody@people.test",
])("The log of a request to %s has no end_user_ref, whether the path exists or not", async (path) => {
  const logged: unknown[] = []
  for (const method of ["log", "info", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...words) => void logged.push(...words))
  }
  await world.invoke(new Request(`https://api.test${path}`))
  await world.settled()
  expect(JSON.stringify(logged)).toContain("{end_user_ref}")
  expect(JSON.stringify(logged)).not.toContain("somebody")
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { OIDC_POLICY } from "../../src/sign-in/policies.ts"
import { createHostileWorld, type HostileWorld } from "../harness/hostile-provider.ts"
import { createBrowser } from "../harness/oidc-browser.ts"
import { refusalOf } from "../harness/openid-world.ts"

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld()
})
afterAll(() => world.close())

test("A failed discovery is not repeated at once, however many sign-ins need it", async () => {
  const path = "/.well-known/openid-configuration"
  const places = () => world.seen.filter((place) => place.includes(".well-known")).length
  for (const [status, refused] of [
    [503, [503, "LOGIN_PROVIDER_UNAVAILABLE"]],
    [404, [502, "LOGIN_PROVIDER_FAILED"]],
  ] as const) {
    await world.advance(OIDC_POLICY.metadataMs)
    await world.does({ at: { [path]: () => new Response("", { status }) } })
    const before = places()
    for (let n = 0; n < 20; n++) {
      const browser = createBrowser(world)
      const response = await browser.go("/api/auth/oauth-login/start")
      expect(await refusalOf(browser, response)).toEqual(refused)
    }
    expect(places() - before).toBe(1)
    await world.does({})
    await world.advance(OIDC_POLICY.retryAfterSeconds * 1000)
    expect((await world.signInAt()).response.status).toBe(302)
  }
})

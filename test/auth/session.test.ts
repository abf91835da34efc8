import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ORIGIN } from "../harness/dashboard.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("GET /api/auth/me", () => {
  test("The answer has the user and no other field of their row", async () => {
    const { userId } = await world.createAccount()
    const browser = await world.signIn(userId)
    expect(await browser.json("GET", "/api/auth/me")).toEqual([
      200,
      {
        user_id: userId,
        name: null,
        email: null,
        email_verified: false,
        role: "user",
        brand: "turnpike",
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await browser.call("GET", "/api/auth/me", undefined, { cookie: null })).status).toBe(401)
  })
})

describe("Signing out", () => {
  test("Signing out ends the session at once and removes the cookie", async () => {
    const browser = await world.signIn((await world.createAccount()).userId)
    const cookie = `token=${browser.cookie()}`
    const response = await browser.call("POST", "/api/auth/logout")
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    expect(response.headers.getSetCookie()).toEqual([
      "token=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
      "acting=; Max-Age=0; Path=/api/account; HttpOnly; Secure; SameSite=Lax",
    ])
    for (const path of ["/api/auth/me", "/api/account/me"]) {
      expect((await browser.call("GET", path, undefined, { cookie })).status, path).toBe(401)
    }
  })

  test("Signing out without a session or with a forged one gives the same answer", async () => {
    for (const cookie of ["", "token=x"]) {
      const headers = { cookie, "sec-fetch-site": "same-origin" }
      const response = await world.invoke(new Request(`${ORIGIN}/api/auth/logout`, { method: "POST", headers }))
      expect([response.status, response.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("Max-Age=0")])
    }
  })
})

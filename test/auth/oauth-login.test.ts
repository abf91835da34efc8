import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { createBrowser, signInAtProvider } from "../harness/oidc-browser.ts"
import { OPENID_CLIENTS } from "../harness/openid-clients.ts"
import { createOpenIdWorld, newSubject, type OpenIdWorld } from "../harness/openid-world.ts"

const { basic } = OPENID_CLIENTS

let world: OpenIdWorld
beforeAll(async () => {
  world = await createOpenIdWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

describe("Signing in with a certified provider", () => {
  test("A sign-in leads to `next` with the cookie that every login sets", async () => {
    const login = newSubject()
    const { browser, response } = await world.signInAt(login, { next: "/chat?space=1#last" })
    expect([response.status, response.headers.get("location")]).toEqual([302, "/chat?space=1#last"])
    const [token] = response.headers.getSetCookie().filter((line) => line.startsWith("token="))
    expect(token).toMatch(/^token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(await browser.me()).toMatchObject({
      name: login.split(".")[0],
      email: `${login.split(".")[0]}@people.test`,
      email_verified: true,
      role: "user",
    })
    expect([...browser.cookies.keys()], "the return path has expired").toEqual(["token"])
    const again = await world.signInAt(login)
    expect(again.response.headers.get("location"), "the brand's landing page").toBe("/chat")
    expect((await again.browser.me())?.user_id).toBe((await browser.me())?.user_id)
  })

  test("A sign-in uses a new state, nonce and PKCE S256 each time and reveals no other value to the browser", async () => {
    const browser = createBrowser(world)
    const pages = [await browser.start("/chat"), await browser.start("/chat")]
    for (const { origin, pathname, searchParams } of pages) {
      expect([origin, pathname]).toEqual([world.issuer, "/auth"])
      expect(Object.fromEntries(searchParams)).toEqual({
        response_type: "code",
        client_id: basic.client_id,
        redirect_uri: `${ORIGIN}/api/auth/oauth-login/callback`,
        scope: "openid email profile",
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
      })
    }
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(new Set(pages.map(({ searchParams }) => searchParams.get(name))).size, name).toBe(2)
    }
    expect(browser.cookies.size, "two tabs do not use each other's state").toBe(2)
    const line = (await browser.go("/api/auth/oauth-login/start")).headers.get("set-cookie")
    expect(line).toMatch(/^__Host-oauth-[\w-]{16}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  })

  test("A client authenticates in the header, in the body, or as a public client with PKCE alone", async () => {
    const { post, public: open } = OPENID_CLIENTS
    world.rebind({ OIDC_CLIENT_ID: open.client_id, OIDC_CLIENT_SECRET: undefined })
    expect((await world.signInAt(newSubject())).response.status).toBe(302)
    world.rebind({ OIDC_CLIENT_ID: post.client_id, OIDC_CLIENT_SECRET: post.client_secret })
    await world.at("/.well-known/openid-configuration", async (request) => {
      const metadata = (await (await fetch(request)).json()) as object
      return Response.json({ ...metadata, token_endpoint_auth_methods_supported: ["client_secret_post"] })
    })
    expect((await world.signInAt(newSubject())).response.status).toBe(302)
  })

  test.each([
    ["null for an expiry", { expires_in: null }],
    ["null for a scope", { scope: null }],
    ["null for everything optional", { expires_in: null, scope: null, refresh_token: null, error: null }],
    ["a list of scopes", { scope: ["openid", "email"] }],
    ["an expiry as text", { expires_in: "3600" }],
  ])("A token answer with %s signs in", async (_what, fields) => {
    await world.at("/token", async (request) => {
      const tokens = (await (await fetch(request)).json()) as object
      return Response.json({ ...tokens, ...fields })
    })
    expect((await world.signInAt(newSubject())).response.status).toBe(302)
  })

  test("An unverified email is not stored for the user, and a missing email leaves the field empty", async () => {
    for (const kind of ["unverified", "silent"]) {
      const { browser } = await world.signInAt(newSubject(kind))
      expect(await browser.me()).toMatchObject({ email: null, email_verified: false })
    }
  })

  test("A signed-in user links an identity from a page of the service, and signs in with it", async () => {
    const { userId } = await createPerson(world)
    const browser = createBrowser(world)
    browser.cookies.set("token", (await world.signIn(userId)).cookie())
    const login = newSubject()
    const back = await signInAtProvider(await browser.start("/account", "/api/account/identities/link"), login)
    const response = await browser.go(back.href)
    expect([response.status, response.headers.get("location")]).toEqual([302, "/account"])
    const { browser: elsewhere } = await world.signInAt(login)
    expect((await elsewhere.me())?.user_id).toBe(userId)
  })

  test("Further tabs and a detour during the login change nothing", async () => {
    const browser = createBrowser(world)
    const [first, second] = [await browser.start("/first"), await browser.start("/second")]
    const back = await signInAtProvider(second, newSubject())
    const other = await signInAtProvider(first, newSubject())
    expect((await browser.go(back.href)).headers.get("location")).toBe("/second")
    expect((await browser.go(other.href)).headers.get("location")).toBe("/first")
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { createBrowser, signInAtProvider } from "../harness/oidc-browser.ts"
import { OPENID_CLIENTS } from "../harness/openid-clients.ts"
import { createOpenIdWorld, newSubject, type OpenIdWorld, refusalOf } from "../harness/openid-world.ts"
import { moveToRealTime } from "../harness/time.ts"

let world: OpenIdWorld
beforeAll(async () => {
  world = await createOpenIdWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

describe("Refused sign-ins", () => {
  test("A sign-in that the person cancels or the provider refuses gives no session", async () => {
    const { browser, response, back } = await world.signInAt(null, { next: "/chat?x=1" })
    expect(back.searchParams.get("error")).toBe("access_denied")
    const { details } = (await response.clone().json()) as { details: object }
    expect(details).toEqual({ start_again: "/api/auth/oauth-login/start?next=%2Fchat%3Fx%3D1" })
    expect(await refusalOf(browser, response)).toEqual([403, "LOGIN_DENIED"])
  })

  test("A state that is wrong, missing, from another flow, used, or too old is refused", async () => {
    const begun = async () => {
      const browser = createBrowser(world)
      return { browser, back: await signInAtProvider(await browser.start(), newSubject()) }
    }
    for (const state of ["", "x", "A".repeat(43), "A".repeat(512)]) {
      const { browser, back } = await begun()
      back.searchParams.set("state", state)
      expect(await refusalOf(browser, await browser.go(back.href)), state).toEqual([400, "LOGIN_STATE_INVALID"])
    }
    // A state with one changed character, for which the browser has a cookie.
    const { browser: near, back: almost } = await begun()
    const right = almost.searchParams.get("state") ?? ""
    almost.searchParams.set("state", right.slice(0, 42) + (right.endsWith("A") ? "E" : "A"))
    expect(await refusalOf(near, await near.go(almost.href))).toEqual([400, "LOGIN_STATE_INVALID"])
    const { browser: empty } = await begun()
    expect(await refusalOf(empty, await empty.go("/api/auth/oauth-login/callback"))).toEqual([
      400,
      "LOGIN_STATE_INVALID",
    ])
    // A state of the browser's other tab. The code was issued for another challenge.
    const { browser: tabs, back: one } = await begun()
    const other = await tabs.start()
    one.searchParams.set("state", other.searchParams.get("state") ?? "")
    expect(await refusalOf(tabs, await tabs.go(one.href))).toEqual([400, "LOGIN_STATE_INVALID"])

    const { browser: used, back: twice } = await begun()
    const kept = new Map(used.cookies)
    expect((await used.go(twice.href)).status).toBe(302)
    used.cookies.clear()
    for (const [name, value] of kept) used.cookies.set(name, value)
    expect(await refusalOf(used, await used.go(twice.href))).toEqual([400, "LOGIN_STATE_INVALID"])

    const { browser: slow, back: late } = await begun()
    await world.advance(600_000)
    expect(await refusalOf(slow, await slow.go(late.href))).toEqual([400, "LOGIN_STATE_INVALID"])
  })

  test("A hundred concurrent callbacks of one browser make one session", async () => {
    const browser = createBrowser(world)
    const back = await signInAtProvider(await browser.start(), newSubject())
    const kept = new Map(browser.cookies)
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => {
        const copy = createBrowser(world)
        for (const [name, value] of kept) copy.cookies.set(name, value)
        return copy.go(back.href)
      }),
    )
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(99)
  })

  test("Another browser's callback is refused and does not use up the state", async () => {
    const browser = createBrowser(world)
    const back = await signInAtProvider(await browser.start("/mine"), newSubject())
    const thief = createBrowser(world)
    await thief.start()
    expect(await refusalOf(thief, await thief.go(back.href))).toEqual([400, "LOGIN_STATE_INVALID"])
    // The other browser's own cookie under the name of the first browser's cookie.
    const [own = ""] = thief.cookies.values()
    const [name = ""] = browser.cookies.keys()
    thief.cookies.set(name, own)
    expect(await refusalOf(thief, await thief.go(back.href))).toEqual([400, "LOGIN_STATE_INVALID"])
    expect((await browser.go(back.href)).headers.get("location")).toBe("/mine")
  })

  test("A missing or wrong `iss` (RFC 9207) is refused in either place", async () => {
    for (const iss of ["https://evil.com", `${world.issuer}/`, ""]) {
      const browser = createBrowser(world)
      const back = await signInAtProvider(await browser.start(), newSubject())
      expect(back.searchParams.get("iss")).toBe(world.issuer)
      back.searchParams.set("iss", iss)
      expect(await refusalOf(browser, await browser.go(back.href)), iss).toEqual([502, "LOGIN_PROVIDER_FAILED"])
    }
  })

  test("Another flow's code and an invented code are refused", async () => {
    const [victim, attacker] = [createBrowser(world), createBrowser(world)]
    const stolen = await signInAtProvider(await victim.start(), newSubject())
    const own = await signInAtProvider(await attacker.start(), newSubject())
    for (const [browser, code] of [[attacker, stolen.searchParams.get("code") ?? ""]] as const) {
      own.searchParams.set("code", code)
      // PKCE: this browser's verifier does not match that code.
      expect(await refusalOf(browser, await browser.go(own.href))).toEqual([400, "LOGIN_STATE_INVALID"])
    }
    const { browser } = { browser: createBrowser(world) }
    const invented = await signInAtProvider(await browser.start(), newSubject())
    invented.searchParams.set("code", "invented")
    expect(await refusalOf(browser, await browser.go(invented.href))).toEqual([400, "LOGIN_STATE_INVALID"])
  })

  test("A disabled user is refused", async () => {
    const login = newSubject()
    const { browser } = await world.signInAt(login)
    await world.sql("update users set disabled_at = now() where user_id = $1", [(await browser.me())?.user_id])
    const { browser: later, response } = await world.signInAt(login)
    expect(await refusalOf(later, response)).toEqual([403, "LOGIN_REFUSED"])
  })

  test("Without a configured provider the path does not exist", async () => {
    for (const without of ["OIDC_ISSUER", "OIDC_CLIENT_ID"]) {
      world.rebind({ ...world.bindings, [without]: "" })
      const browser = createBrowser(world)
      const answers = [
        await browser.go("/api/auth/oauth-login/start"),
        await browser.go("/api/auth/oauth-login/callback"),
      ]
      for (const response of answers) expect(await refusalOf(browser, response)).toEqual([404, "LOGIN_NOT_CONFIGURED"])
    }
  })

  test("A provider that is down at any step causes an error, and a new start works", async () => {
    const places = ["/.well-known/openid-configuration", "/token", "/jwks", "/me"]
    for (const place of places) {
      const faults = [
        () => new Response("busy", { status: 503 }),
        () => Promise.reject(new TypeError("connection refused")),
      ]
      for (const fault of faults) {
        const browser = createBrowser(world)
        await world.advance(300_000)
        const page = place === places[0] ? null : await browser.start()
        const back = page && (await signInAtProvider(page, newSubject()))
        await world.at(place, fault)
        const response = await browser.go(back?.href ?? "/api/auth/oauth-login/start")
        expect(response.headers.get("retry-after")).toBe("5")
        expect(await refusalOf(browser, response), place).toEqual([503, "LOGIN_PROVIDER_UNAVAILABLE"])
        world.up()
        await moveToRealTime(world)
        expect((await world.signInAt(newSubject(), { browser })).response.status).toBe(302)
      }
    }
  })

  test("A failure of Redis refuses both start and callback", async () => {
    const browser = createBrowser(world)
    const back = await signInAtProvider(await browser.start(), newSubject())
    for (const path of ["/api/auth/oauth-login/start", back.href]) {
      await world.plan([{ service: "redis", call: 1, times: 9, action: "fail", when: "before" }])
      const response = await browser.go(path).finally(world.clearFaults)
      expect(await refusalOf(browser, response)).toEqual([503, "UNAVAILABLE"])
    }
  })
})

test("An error in a browser is a page that loads no resources and offers a new start", async () => {
  const browser = createBrowser(world)
  const back = await signInAtProvider(await browser.start('/chat?a="><script>'), null)
  const response = await browser.go(back.href, { accept: "text/html,application/xhtml+xml" })
  const page = await response.text()
  expect([response.status, response.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"])
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
  expect([response.headers.get("cache-control"), response.headers.get("referrer-policy")]).toEqual([
    "no-store",
    "no-referrer",
  ])
  expect(page).toContain("LOGIN_DENIED")
  expect(page).toContain('<a href="/api/auth/oauth-login/start?next=')
  expect(page).not.toMatch(/<script|<img|src=/)
  expect(browser.cookies.size, "the return path has expired").toBe(0)
})

test("No token, code, state or secret is in the log, in Redis keys, or in our URLs", async () => {
  const lines: string[] = []
  const spies = (["info", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => void lines.push(line)),
  )
  world.rebind({ LOG_LEVEL: "info" })
  const secrets: string[] = [OPENID_CLIENTS.basic.client_secret]
  await world.at("/token", async (request) => {
    const response = await fetch(request)
    const { access_token, id_token } = (await response.clone().json()) as Record<string, string>
    for (const token of [access_token, id_token]) if (token) secrets.push(token)
    return response
  })
  const { browser, back, response } = await world.signInAt(newSubject())
  await world.at("/jwks", () => Response.json({ keys: [] }))
  const failed = await world.signInAt(newSubject())
  expect(await refusalOf(failed.browser, failed.response)).toEqual([502, "LOGIN_PROVIDER_FAILED"])
  for (const spy of spies) spy.mockRestore()
  world.up()
  world.rebind({ LOG_LEVEL: "silent" })
  for (const url of [back, failed.back]) {
    secrets.push(url.searchParams.get("code") ?? "", url.searchParams.get("state") ?? "")
  }
  secrets.push(...browser.cookies.values())
  expect(lines.join("\n")).toContain("LOGIN_PROVIDER_FAILED")
  for (const secret of secrets) expect(lines.join("\n").includes(secret), secret.slice(0, 8)).toBe(false)
  expect(response.headers.get("location")).toBe("/chat")
})

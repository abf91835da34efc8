import { afterAll, beforeAll, expect, test } from "vitest"
import { ownerClientOf } from "../harness/estate.ts"
import { createPortalBrowser, makePortal, portalJson, portalRefusalOf, SHOP } from "../harness/portal.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000
const ENDED = [401, "PORTAL_SESSION_INVALID"]

let world: World
let browser: ReturnType<typeof createPortalBrowser>
beforeAll(async () => {
  world = await createWorld()
  serveTools(world)
  browser = createPortalBrowser(world)
})
afterAll(() => world.close())

/** An account with a space, in which a turn of an end user has ended. */
async function createShop({ test: isTest = false, text = "[reply Your order has shipped.]" } = {}) {
  const client = await world.createAccount({ test: isTest })
  const space = await client.space({ tools: [refundTool()] })
  const turn = await client.runTurn({ space, text, end_user_ref: "ada" })
  // Turns of one millisecond have no order.
  await world.advance(1)
  return { client, space, turn }
}

test("An end user sees their own spend by day, turns and limits, and nothing of the owner's", async () => {
  const { client, space, turn } = await createShop()
  const limits = { daily_usd: 1, monthly_usd: 20 }
  expect((await (await ownerClientOf(world, client)).call("PUT", "/v1/end-users/ada/limits", limits)).status).toBe(200)
  await client.runTurn({ space, text: "[reply canary-bob]", end_user_ref: "bob" })
  await world.advance(DAY_MS)
  const today = await client.runTurn({ space, text: "[reply Good morning.]", end_user_ref: "ada" })
  const ada = await browser.open(await makePortal(client, "ada"))
  const overview = await portalJson(await ada.get("overview"))
  const { days } = overview.usage
  expect(days).toHaveLength(30)
  expect(days.at(-1)).toEqual({
    day: world.clock.now().toISOString().slice(0, 10),
    charged_usd: today.billed_cost_usd,
    turns: 1,
  })
  expect(days.at(-2)).toMatchObject({ charged_usd: turn.billed_cost_usd, turns: 1 })
  expect(overview.usage.today_usd).toBe(today.billed_cost_usd)
  expect(overview.limits.blocked).toBe(false)
  expect(overview.limits.limits).toMatchObject([
    { period: "day", limit_usd: 1, left_usd: 1 - today.billed_cost_usd },
    { period: "month", limit_usd: 20 },
  ])
  expect(overview.approvals).toEqual([])
  const { data, has_more } = await portalJson(await ada.get("turns"))
  expect(has_more).toBe(false)
  expect(data.map(({ turn_id }: { turn_id: string }) => turn_id)).toEqual([today.turn_id, turn.turn_id])
  expect(await portalJson(await ada.get(`turns/${turn.turn_id}`))).toEqual({
    ...data[1],
    text: "[reply Your order has shipped.]",
    result: "Your order has shipped.",
  })
})

test("A session shows only what its scopes allow", async () => {
  const { client, turn } = await createShop()
  const usage = await browser.open(await makePortal(client, "ada", { scopes: ["usage"] }))
  expect(usage.scopes).toEqual(["usage"])
  expect(await portalJson(await usage.get("overview"))).toMatchObject({ limits: null, approvals: null })
  for (const path of ["turns", `turns/${turn.turn_id}`])
    expect(await portalRefusalOf(await usage.get(path))).toEqual([403, "SCOPE_DENIED"])
  expect(await portalRefusalOf(await usage.decide(turn.turn_id, "allow"))).toEqual([403, "SCOPE_DENIED"])
})

test("A code is exchanged once, only with its own session, and only by the page", async () => {
  const { client } = await createShop()
  const { url } = await makePortal(client, "ada")
  const { session, code } = browser.partsOf(url)
  const other = browser.partsOf((await makePortal(client, "ada")).url)
  expect(await portalRefusalOf(await browser.exchange({ session: other.session, code }))).toEqual(ENDED)
  const foreign: Record<string, string>[] = [{ origin: SHOP }, { "sec-fetch-site": "cross-site" }]
  for (const headers of foreign)
    expect(await portalRefusalOf(await browser.exchange({ session, code }, headers))).toEqual([403, "CROSS_ORIGIN"])
  const answers = await Promise.all([1, 2, 3].map(() => browser.exchange({ session, code })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  expect(await portalRefusalOf(await browser.exchange({ session, code }))).toEqual(ENDED)
  for (const wrong of ["x", "A".repeat(43), code.slice(0, -1)])
    expect(await portalRefusalOf(await browser.exchange({ session, code: wrong }))).toEqual(ENDED)
})

test("An unused code expires with its session", async () => {
  const { client } = await createShop()
  const { url } = await makePortal(client, "ada", { expires_in: 60 })
  await world.advance(60_000)
  expect(await portalRefusalOf(await browser.exchange(browser.partsOf(url)))).toEqual(ENDED)
})

test("Only the origins of the session may frame its page, also after it has ended", async () => {
  const { client } = await createShop()
  const { url } = await makePortal(client, "ada", {
    expires_in: 60,
    allowed_origins: [SHOP, "https://pay.example.com:8443"],
    theme: { logo: "https://cdn.example.com/logo.svg?v=1;script-src *" },
  })
  const policyOf = async (address: string) => (await browser.page(address)).headers.get("content-security-policy")
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https://cdn.example.com; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors https://shop.example.com https://pay.example.com:8443"
  expect(await policyOf(url)).toBe(policy)
  await world.advance(60_000)
  expect(await policyOf(url)).toBe(policy)
  const alone = await makePortal(client, "ada", { allowed_origins: [] })
  expect(await policyOf(alone.url)).toMatch(/frame-ancestors 'none'$/)
  const unknown = await browser.ask(`/portal/view/${browser.partsOf(url).session.slice(0, -4)}AAAA`)
  expect(unknown.status).toBe(404)
  expect(unknown.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'$/)
  const page = await browser.page(url)
  expect(page.headers.get("set-cookie")).toBeNull()
  expect(page.headers.get("cache-control")).toBe("no-store")
  expect(await page.text()).not.toContain("ada")
})

test("A token is refused to another origin, after its end, and when it was altered", async () => {
  const { client } = await createShop()
  const ada = await browser.open(await makePortal(client, "ada", { expires_in: 60 }))
  const response = await ada.get("overview", { origin: SHOP, "sec-fetch-site": "cross-site" })
  expect(response.headers.get("access-control-allow-origin")).toBeNull()
  expect(await portalRefusalOf(response)).toEqual([403, "CROSS_ORIGIN"])
  const altered = `${ada.token.slice(0, -2)}${ada.token.endsWith("AA") ? "BB" : "AA"}`
  for (const wrong of [altered, client.key, "", "portal_x"])
    expect(await portalRefusalOf(await ada.get("overview", { authorization: `Bearer ${wrong}` }))).toEqual(ENDED)
  await world.advance(60_000)
  for (const path of ["overview", "turns"]) expect(await portalRefusalOf(await ada.get(path))).toEqual(ENDED)
})

test("A session ends with its key and with its account", async () => {
  for (const change of [
    "update api_keys set revoked_at = now() where user_id = $1",
    "update users set disabled_at = now() where user_id = $1",
  ]) {
    const { client, turn } = await createShop()
    const ada = await browser.open(await makePortal(client, "ada"))
    const unused = browser.partsOf((await makePortal(client, "ada")).url)
    await world.sql(change, [client.userId])
    for (const path of ["overview", "turns", `turns/${turn.turn_id}`])
      expect(await portalRefusalOf(await ada.get(path))).toEqual(ENDED)
    expect(await portalRefusalOf(await ada.decide(turn.turn_id, "allow"))).toEqual(ENDED)
    expect(await portalRefusalOf(await browser.exchange(unused))).toEqual(ENDED)
  }
})

test("An erasure ends the end user's sessions, and a later session shows nothing that was erased", async () => {
  const { client, space, turn } = await createShop({ text: "[reply canary-erased]" })
  const ada = await browser.open(await makePortal(client, "ada"))
  const bob = await browser.open(await makePortal(client, "bob"))
  await world.advance(1_000)
  const owner = await ownerClientOf(world, client)
  expect((await owner.call("DELETE", "/v1/end-users/ada")).ok).toBe(true)
  for (const path of ["overview", "turns", `turns/${turn.turn_id}`])
    expect(await portalRefusalOf(await ada.get(path))).toEqual(ENDED)
  expect(await portalRefusalOf(await ada.decide(turn.turn_id, "allow"))).toEqual(ENDED)
  expect((await bob.get("overview")).status).toBe(200)
  await world.advance(1_000)
  const again = await browser.open(await makePortal(client, "ada"))
  const next = await client.runTurn({ space, text: "[reply Welcome back.]", end_user_ref: "ada" })
  const { data } = await portalJson(await again.get("turns"))
  expect(data.map(({ turn_id }: { turn_id: string }) => turn_id)).toEqual([next.turn_id])
  expect(await portalRefusalOf(await again.get(`turns/${turn.turn_id}`))).toEqual([404, "NOT_FOUND"])
})

test("Turns of other end users, of other accounts, and of spaces that the key does not see do not exist", async () => {
  const { client, space } = await createShop()
  const stranger = await createShop()
  const bob = await client.runTurn({ space, text: "[reply canary-bob]", end_user_ref: "bob" })
  const second = await ownerClientOf(world, client)
  const hidden = await second.space({})
  const elsewhere = await second.runTurn({ space: hidden, text: "[reply canary-space]", end_user_ref: "ada" })
  const waiting = await sendUntilItWaits(world, client, {
    space,
    text: '[call refund {"order":"canary-order","amount":80}]',
    end_user_ref: "bob",
  })
  const ada = await browser.open(await makePortal(client, "ada"))
  for (const { turn_id } of [bob, stranger.turn, elsewhere, waiting, { turn_id: "turn_x" }]) {
    expect(await portalRefusalOf(await ada.get(`turns/${turn_id}`))).toEqual([404, "NOT_FOUND"])
    expect(await portalRefusalOf(await ada.decide(turn_id, "allow"))).toEqual([404, "NOT_FOUND"])
  }
  const said = JSON.stringify([await portalJson(await ada.get("overview")), await portalJson(await ada.get("turns"))])
  expect(said).not.toContain("canary")
  const whole = await browser.open(await makePortal(second, "ada"))
  expect(JSON.stringify(await portalJson(await whole.get("turns")))).toContain(elsewhere.turn_id)
})

test("An end user allows a call of their turn, the call is made once, and the log names the end user", async () => {
  const { client, space } = await createShop()
  const text = refundText(80)
  const { turn_id } = await sendUntilItWaits(world, client, { space, text, end_user_ref: "ada" })
  const ada = await browser.open(await makePortal(client, "ada"))
  const { approvals } = await portalJson(await ada.get("overview"))
  expect(approvals).toMatchObject([
    { turn_id, call: "0.0", tool: "refund", input: { order: "A-1", amount: 80 }, excerpt: text },
  ])
  expect((await portalJson(await ada.get("turns"))).data[0]).toMatchObject({
    turn_id,
    state: "waiting",
    waits_for: "approval",
  })
  const only = await browser.open(await makePortal(client, "ada", { scopes: ["approvals"] }))
  expect((await portalJson(await only.get("overview"))).approvals).toMatchObject([{ turn_id, excerpt: "" }])
  expect(await portalJson(await ada.decide(turn_id, "allow"))).toEqual({ decision: "allow" })
  expect(await portalJson(await ada.decide(turn_id, "allow"))).toEqual({ decision: "allow" })
  expect(await portalRefusalOf(await ada.decide(turn_id, "deny"))).toEqual([409, "CALL_DECIDED"])
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
  const events = await waiter(client).events(turn_id)
  const by = { kind: "end_user", end_user_ref: "ada" }
  expect(events.find(({ type }) => type === "call.decided")?.data).toMatchObject({ decision: "allow", by })
  const late = await client.call("POST", `/v1/turns/${turn_id}/calls/0.0/decision`, { decision: "deny" })
  const { error } = (await late.json()) as { error: { details: { earlier: object } } }
  expect(error.details.earlier).toMatchObject({
    decision: "allow",
    end_user_ref: "ada",
    key_id: null,
  })
  expect(await portalJson(await ada.decide(turn_id, "allow"))).toEqual({ decision: "allow" })
  expect(await portalRefusalOf(await ada.decide(turn_id, "deny"))).toEqual([409, "TURN_FINISHED"])
})

test("Bad origins, addresses, accents and lives are refused with a reason", async () => {
  const { client } = await createShop()
  const tester = (await createShop({ test: true })).client
  const refused = async (asker: TestClient, body: object) => {
    const response = await asker.call("POST", "/v1/end-users/ada/portal-sessions", { scopes: ["usage"], ...body })
    expect(response.status, JSON.stringify(body)).toBe(422)
    return ((await response.json()) as { error: { message: string } }).error.message
  }
  const origins = {
    "https://shop.example.com/": "Send https://shop.example.com",
    "https://shop.example.com/account": "Send https://shop.example.com",
    "https://SHOP.example.com": "Send https://shop.example.com",
    "https://shop.example.com:443": "Send https://shop.example.com",
    "https://*.example.com": "without path, wildcard or user",
    "*": "must be an origin",
    null: "must be an origin",
    "https://a;script-src": "must be an origin",
    "https://a,b": "must be an origin",
    "http://shop.example.com": "must be an origin",
    "http://localhost:3000": "test key",
    "data:text/html,x": "must be an origin",
  }
  for (const [origin, message] of Object.entries(origins))
    expect(await refused(client, { allowed_origins: [origin] })).toContain(message)
  expect(await refused(tester, { allowed_origins: ["http://shop.example.com"] })).toContain("must be an origin")
  await makePortal(tester, "ada", { allowed_origins: ["http://localhost:3000"], return_url: "http://127.0.0.1:3000/a" })
  expect(await refused(client, { return_url: "http://localhost:3000/a" })).toContain("test key")
  expect(await refused(client, { return_url: "javascript:alert(1)" })).toContain("return_url")
  for (const logo of ["http://shop.example.com/a.png", "data:image/png,x", "https://u:p@a.example/x", "https://a;b/x"])
    expect(await refused(client, { theme: { logo } })).toContain("theme.logo")
  expect(await refused(client, { theme: { accent: "#ffcc00" } })).toMatch(
    /1\.\d+:1 on the light .*The nearest shade is #/,
  )
  expect(await refused(client, { theme: { accent: "#202020", mode: "dark" } })).toContain("on the dark background")
  expect(await refused(client, { theme: { accent_dark: "#202020" } })).toContain("theme.accent_dark")
  expect(await refused(client, { theme: { accent: "red" } })).toContain("#3d4ed8")
  for (const body of [{ expires_in: 59 }, { expires_in: 3_601 }, { scopes: [] }, { scopes: ["balance"] }])
    await refused(client, body)
  await makePortal(client, "ada", { theme: { accent: "#ffcc00", mode: "dark" }, expires_in: 3_600 })
})

test("A signed-in owner previews the portal, which only the web app frames and which decides nothing", async () => {
  const { client, space, turn } = await createShop()
  const { turn_id } = await sendUntilItWaits(world, client, {
    space,
    text: refundText(80),
    end_user_ref: "ada",
  })
  const owner = await world.signIn(client.userId)
  const body = { scopes: ["turns", "approvals"] }
  // As the web app sends it.
  const page = { "x-turnpike-user": String(client.userId) }
  const [status, made] = await owner.json("POST", "/api/account/end-users/ada/portal-previews", body, page)
  expect(status).toBe(201)
  const policy = (await browser.page(made.url)).headers.get("content-security-policy")
  expect(policy).toMatch(/frame-ancestors https:\/\/api\.test$/)
  const preview = await browser.open(made)
  expect(preview.preview).toBe(true)
  expect(JSON.stringify(await portalJson(await preview.get("turns")))).toContain(turn.turn_id)
  expect((await portalJson(await preview.get("overview"))).approvals).toMatchObject([{ turn_id }])
  expect(await portalRefusalOf(await preview.decide(turn_id, "allow"))).toEqual([403, "SCOPE_DENIED"])
  await owner.call("POST", "/api/auth/logout")
  expect(await portalRefusalOf(await preview.get("overview"))).toEqual(ENDED)
})

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { createAccountProvider, LOGINS } from "../harness/account-provider.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { storeAccount, windowNow } from "../harness/provider-accounts.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let answer: (request: Request) => Response | Promise<Response>
let seen: Request[]
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  world.serve("models.provider.example", (request) => {
    seen.push(request.clone())
    return answer(request)
  })
})
afterAll(() => world.close())
beforeEach(() => {
  seen = []
  answer = () => Response.json({ data: [] })
})

const refresh = (id: string) => admin.json("POST", `/api/admin/providers/${id}/refresh-limits`)
const snapshots = (id: string) =>
  world.sql<{ resource: string; used_pct: number }>(
    "select resource, window_seconds, used_pct, reset_at from quota_snapshots where provider_id = $1 order by resource, window_seconds",
    [id],
  )
const entries = async () => (await world.sql("select 1 from audit_log where action = 'provider.refresh_limits'")).length
const headers = (utilization: string) => ({
  "anthropic-ratelimit-unified-5h-utilization": utilization,
  "anthropic-ratelimit-unified-5h-reset": String(Math.floor(world.clock.ms() / 1000) + 3600),
  "anthropic-ratelimit-unified-7d-utilization": "0.07",
})

test("The provider's headers become snapshots and are returned, with one audit entry", async () => {
  const id = await storeAccount(world)
  answer = () => Response.json({ data: [] }, { headers: headers("0.375") })
  const before = await entries()
  const [status, provider] = await refresh(id)
  expect(status).toBe(200)
  expect(provider.windows).toMatchObject([
    { resource: "unified", window_seconds: 18_000, used_pct: 37.5, taken_at: world.clock.now().toISOString() },
    { resource: "unified", window_seconds: 604_800, used_pct: 7, reset_at: null },
  ])
  expect(provider.version, "it is not an edit").toBe(1)
  expect(await snapshots(id)).toMatchObject([{ used_pct: 37.5 }, { used_pct: 7 }])
  expect(await entries()).toBe(before + 1)
})

test.each([
  ["anthropic", "api_key", { "x-api-key": "canary-key", "anthropic-version": "2023-06-01", authorization: null }],
  ["anthropic", "oauth", { authorization: "Bearer canary-key", "x-api-key": null, "x-beta": "oauth" }],
  ["openai", "api_key", { authorization: "Bearer canary-key", "anthropic-version": null }],
  ["openai-compatible", "oauth", { authorization: "Bearer canary-key", "x-beta": "oauth" }],
] as const)("A check of %s with %s uses the same headers as its calls", async (engine, kind, sent) => {
  const credential =
    kind === "api_key"
      ? { kind, api_key: "canary-key" }
      : { kind, access_token: "canary-key", refresh_token: null, headers: { "x-beta": "oauth" } }
  const id = await storeAccount(world, { engine, credential })
  expect((await refresh(id))[0]).toBe(200)
  const [request, ...others] = seen
  expect(others).toEqual([])
  const path = engine === "anthropic" ? "/v1/models?limit=1" : "/v1/models"
  expect([request?.method, request?.url]).toEqual(["GET", `https://models.provider.example${path}`])
  for (const [name, value] of Object.entries(sent)) expect(request?.headers.get(name), name).toBe(value)
})

test("The request follows the setting", async () => {
  const id = await storeAccount(world)
  const [, { value: usual }] = await admin.json("PUT", "/api/admin/settings", {
    key: "provider_limit_requests",
    value: {
      anthropic: { method: "POST", path: "/messages", body: { model: "small", max_tokens: 1 } },
      openai: { path: "/models" },
      "openai-compatible": { path: "/models" },
    },
  })
  expect(usual.openai).toEqual({ method: "GET", path: "/models" })
  await refresh(id)
  expect([seen[0]?.method, seen[0]?.url]).toEqual(["POST", "https://models.provider.example/v1/messages"])
  expect(await seen[0]?.json()).toEqual({ model: "small", max_tokens: 1 })
  for (const wrong of [{ path: "models" }, { path: "/a b" }, { path: "/a", body: {} }, { path: "/a", method: "PUT" }]) {
    const value = { anthropic: wrong, openai: { path: "/models" }, "openai-compatible": { path: "/models" } }
    expect((await admin.json("PUT", "/api/admin/settings", { key: "provider_limit_requests", value }))[0]).toBe(422)
  }
  const request = { method: "GET", path: "/models" }
  const value = { anthropic: { method: "GET", path: "/models?limit=1" }, openai: request, "openai-compatible": request }
  await admin.json("PUT", "/api/admin/settings", { key: "provider_limit_requests", value })
})

test("A limited account's refusal counts by its headers, and a refusal without headers changes nothing", async () => {
  const id = await storeAccount(world, { windows: { "unified:604800": windowNow(world, 5) } })
  answer = () => Response.json({ error: {} }, { status: 429, headers: headers("1") })
  expect((await refresh(id))[1].windows[0]).toMatchObject({ window_seconds: 18_000, used_pct: 100 })
  answer = () => Response.json({ data: [] })
  const [status, { windows }] = await refresh(id)
  expect([status, windows[0].used_pct]).toEqual([200, 100])
})

test.each([
  ["401", () => Response.json({ error: "canary" }, { status: 401 }), "HTTP 401"],
  ["429 without a limit", () => new Response("canary", { status: 429 }), "HTTP 429"],
  ["500", () => new Response("canary", { status: 500 }), "HTTP 500"],
  ["a redirect", () => Response.redirect("https://elsewhere.example/canary", 302), "HTTP 302"],
  ["no answer", () => Promise.reject(new TypeError("canary refused")), "cannot be reached"],
] as const)("A provider that answers %s gives a clear error, and no data is lost", async (_what, given, why) => {
  const id = await storeAccount(world, { windows: { "unified:18000": windowNow(world, 5) } })
  const [before, noted] = [await admin.json("GET", "/api/admin/providers"), await entries()]
  answer = given
  const [status, error] = await refresh(id)
  expect([status, error]).toMatchObject([502, { code: "PROVIDER_FAILED" }])
  expect(error.detail).toContain(why)
  expect(JSON.stringify(error)).not.toContain("canary")
  expect(await admin.json("GET", "/api/admin/providers")).toEqual(before)
  expect([await snapshots(id), await entries(), seen.length]).toEqual([[], noted, 1])
})

test("A refused token is refreshed once, as in a call", async () => {
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
  let refreshes = 0
  createAccountProvider(world).at("/token", () => {
    refreshes++
    return Response.json({ access_token: `canary-new-${refreshes}`, token_type: "bearer", expires_in: 86_400 })
  })
  const credential = {
    kind: "oauth",
    access_token: "canary-old",
    refresh_token: "canary-refresh",
    headers: {},
  } as const
  const id = await storeAccount(world, { credential })
  answer = (request) =>
    request.headers.get("authorization") === "Bearer canary-new-1"
      ? Response.json({ data: [] }, { headers: headers("0.5") })
      : Response.json({}, { status: 401 })
  expect(await refresh(id)).toMatchObject([200, { windows: [{ used_pct: 50 }, { used_pct: 7 }] }])
  expect([seen.length, refreshes]).toEqual([2, 1])
  answer = () => Response.json({}, { status: 401 })
  const [status, error] = await refresh(id)
  expect([status, error.code, seen.length, refreshes]).toEqual([502, "PROVIDER_FAILED", 4, 2])
})

test("A request to a provider that hangs is abandoned in time", async () => {
  const id = await storeAccount(world)
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const over = new AbortController()
    if (ms === PROVIDER_POLICY.limitsMs) queueMicrotask(() => over.abort(new DOMException("late", "TimeoutError")))
    return over.signal
  })
  answer = (request) =>
    new Promise((_resolve, reject) => {
      if (request.signal.aborted) reject(request.signal.reason)
      request.signal.addEventListener("abort", () => reject(request.signal.reason))
    })
  const [status, error] = await refresh(id)
  timeout.mockRestore()
  expect([status, error.code]).toEqual([502, "PROVIDER_FAILED"])
  expect(error.detail).toContain("did not answer in 10 s")
})

test("An account that is disabled or has no readable credential is not called", async () => {
  const disabled = await storeAccount(world, { disabled_at: world.clock.now() })
  expect(await refresh(disabled)).toMatchObject([409, { code: "PROVIDER_DISABLED" }])
  const bare = await storeAccount(world, { credential: null })
  expect(await refresh(bare)).toMatchObject([502, { code: "PROVIDER_FAILED" }])
  const broken = await storeAccount(world)
  await world.sql("update provider_credentials set sealed = 'broken' where provider_id = $1", [broken])
  expect(await refresh(broken)).toMatchObject([502, { code: "PROVIDER_FAILED" }])
  expect(seen).toEqual([])
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { LOGINS } from "../harness/account-provider.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())

async function begun() {
  const [, { authorization_url }] = await world.call("auth/start", { name: "Ada" })
  return world.provider.logIn(authorization_url, "acc")
}

test.each([
  ["a form, with the secret in the header", {}, /^application\/x-www-form-urlencoded/, /^Basic /, {}],
  [
    "a form, with the secret in it",
    { client_auth: "post" },
    /^application\/x-www-form-urlencoded/,
    /^$/,
    { client_id: 1, client_secret: 1 },
  ],
  ["JSON, with the state", { token_format: "json", token_state: true }, /^application\/json$/, /^Basic /, { state: 1 }],
  [
    "a form of a public client",
    { client_secret: undefined },
    /^application\/x-www-form-urlencoded/,
    /^$/,
    { client_id: 1 },
  ],
] as const)("The token endpoint receives %s, as configured", async (_what, changes, type, authorization, fields) => {
  world.rebind({ PROVIDER_LOGINS: JSON.stringify({ ...LOGINS, main: { ...LOGINS.main, ...changes } }) })
  const login = await begun()
  let headers = new Headers()
  world.provider.at("/token", (request, right) => {
    headers = request.headers
    return right()
  })
  expect((await world.call("auth/code", { code: login.code }))[0]).toBe(200)
  world.provider.mend()
  expect(headers.get("content-type")).toMatch(type)
  expect(headers.get("authorization") ?? "").toMatch(authorization)
  const usual = ["code", "code_verifier", "grant_type", "redirect_uri"]
  const body = world.provider.grants.at(-1)?.body ?? {}
  expect(Object.keys(body).sort()).toEqual([...usual, ...Object.keys(fields)].sort())
  if ("state" in fields) expect(body.state).toBe(login.state)
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
})

test("An unconfigured pool and a URL that leads to ourselves are refused; invalid JSON is a 503 that names the variable", async () => {
  const only = { main: { ...LOGINS.main, token_endpoint: "https://callbacks.test/token" } }
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(only) })
  const own = await world.call("auth/start", { name: "Ada" })
  expect(own).toMatchObject([404, { code: "LOGIN_NOT_CONFIGURED", detail: expect.stringContaining("token_endpoint") }])
  for (const path of ["alt-pool/auth/start", "media/auth/start"]) {
    expect(await world.call(path), path).toMatchObject([404, { code: "LOGIN_NOT_CONFIGURED" }])
  }
  world.rebind({ PROVIDER_LOGINS: "" })
  expect(await world.call("auth/start", { name: "Ada" })).toMatchObject([404, { code: "LOGIN_NOT_CONFIGURED" }])
  const wrongs = [
    '{"main": "canary',
    "[]",
    '{"other": {}}',
    JSON.stringify({ main: { ...LOGINS.main, client_secret: 7 } }),
    JSON.stringify({ main: { ...LOGINS.main, redirect_uri: undefined } }),
    JSON.stringify({ main: { ...LOGINS.main, token_endpoint: "canary://x" } }),
    JSON.stringify({ "alt-pool": { ...LOGINS["alt-pool"], device: "code" } }),
    JSON.stringify({ "alt-pool": { ...LOGINS["alt-pool"], engine: "openai-compatible" } }),
    JSON.stringify({ media: { ...LOGINS.media, engine: "openai-compatible" } }),
    JSON.stringify({ main: { ...LOGINS.main, headers: { "x-canary": "line\nbreak" } } }),
  ]
  for (const PROVIDER_LOGINS of wrongs) {
    world.rebind({ PROVIDER_LOGINS })
    const [status, answer] = await world.look("media")
    expect([status, answer], PROVIDER_LOGINS).toMatchObject([503, { code: "UNAVAILABLE" }])
    expect(JSON.stringify(answer)).toMatch(/PROVIDER_LOGINS/)
    expect(JSON.stringify(answer)).not.toMatch(/canary/)
  }
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
})

test("A login that was started for another client cannot be completed", async () => {
  const login = await begun()
  world.rebind({ PROVIDER_LOGINS: JSON.stringify({ ...LOGINS, main: { ...LOGINS.main, client_id: "another" } }) })
  expect(await world.call("auth/code", { code: login.code })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
})

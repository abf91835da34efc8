import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { MEDIA_CALLBACK, type ProviderSays } from "../harness/account-provider.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  world.provider.mend()
  world.provider.devicesSay({})
  await world.sql("update provider_logins set state = 'expired', sealed = null where state = 'polling'")
})

const FAILED = [502, { code: "LOGIN_PROVIDER_FAILED" }]
const UNAVAILABLE = [503, { code: "LOGIN_PROVIDER_UNAVAILABLE" }]
const INVALID = [422, { detail: [{ type: "login_code_invalid" }] }]
const right = { access_token: "canary-access", token_type: "Bearer", account: { uuid: "x" } }
const say = (body: unknown, init?: ResponseInit) => () => Response.json(body, init)

/** Answers of the token endpoint without tokens, and the error that the admin gets. */
const ANSWERS: [string, ProviderSays, object][] = [
  ["500", say({ error: "invalid_grant" }, { status: 500 }), UNAVAILABLE],
  ["429", say({ error: "access_denied" }, { status: 429 }), UNAVAILABLE],
  ["404", () => new Response("canary", { status: 404 }), UNAVAILABLE],
  ["a redirect", () => new Response(null, { status: 307, headers: { location: "https://evil.com/" } }), UNAVAILABLE],
  ["an error that is a number", say({ error: 7 }, { status: 400 }), UNAVAILABLE],
  ["an error with a token in it", say({ error: "canary-token" }, { status: 400 }), UNAVAILABLE],
  [
    "a challenge",
    () => new Response("", { status: 401, headers: { "www-authenticate": 'Bearer a="canary"' } }),
    UNAVAILABLE,
  ],
  ["an error of 1 MiB", () => new Response("canary".repeat(200_000), { status: 400 }), UNAVAILABLE],
  ["invalid_grant", say({ error: "invalid_grant" }, { status: 400 }), INVALID],
  ["access_denied", say({ error: "access_denied" }, { status: 400 }), [403, { code: "LOGIN_DENIED" }]],
  ["nothing", () => Promise.reject(new Error("canary")), FAILED],
  ["201", say(right, { status: 201 }), FAILED],
  ["an empty answer", () => new Response(""), FAILED],
  ["text", () => new Response("canary", { headers: { "content-type": "text/plain" } }), FAILED],
  ["null", say(null), FAILED],
  ["1 MiB", say({ ...right, more: "canary".repeat(200_000) }), FAILED],
  ["no access token", say({ ...right, access_token: undefined }), FAILED],
  ["an empty access token", say({ ...right, access_token: "" }), FAILED],
  ["a list of tokens", say({ ...right, access_token: ["canary"] }), FAILED],
  ["an access token that no header can carry", say({ ...right, access_token: "canary\r\nx: y" }), FAILED],
  ["a refresh token that is a number", say({ ...right, refresh_token: 7 }), FAILED],
  ["an expiry that is a text", say({ ...right, expires_in: "soon" }), FAILED],
  ["a negative expiry", say({ ...right, expires_in: -1 }), FAILED],
  ["no type", say({ ...right, token_type: undefined }), FAILED],
  ["another type", say({ ...right, token_type: "mac" }), FAILED],
  ["nobody's tokens", say({ ...right, account: undefined }), FAILED],
  ["an account that is a list", say({ ...right, account: { uuid: ["x"] } }), FAILED],
  ["an account with NUL", say({ ...right, account: { uuid: "a\0b" } }), FAILED],
  ["an account without a name", say({ ...right, account: { uuid: "" } }), FAILED],
  ["an account of 201", say({ ...right, account: { uuid: "x".repeat(201) } }), FAILED],
  ["an account from the prototype", say({ ...right, account: "x" }), FAILED],
]

const saved = async () => (await world.sql("select from provider_credentials")).length

describe.each(ANSWERS)("A token endpoint that answers %s", (_what, says, told) => {
  test("A wrong answer to a pasted code saves and reveals nothing, and the correct code can follow", async () => {
    const before = await saved()
    const [, { authorization_url }] = await world.call("auth/start", { name: "Ada" })
    const { code } = world.provider.logIn(authorization_url, "acc")
    world.provider.at("/token", says)
    const answer = await world.call("auth/code", { code })
    expect(answer).toMatchObject(told)
    expect(JSON.stringify(answer)).not.toMatch(/canary/)
    expect(await world.call("add", { name: "Ada" })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
    expect(await saved()).toBe(before)
    world.provider.mend()
    expect((await world.call("auth/code", { code }))[0]).toBe(200)
  })

  test("A wrong answer to the media account's code saves and reveals nothing, and the correct URL can follow", async () => {
    await world.sql("delete from provider_accounts where provider_id = 'media'")
    const before = await saved()
    const [, { authorization_url }] = await world.call("media/auth/start")
    const { code, state } = world.provider.logIn(authorization_url, "acc")
    const callback = { callback_url: `${MEDIA_CALLBACK}?code=${code}&state=${state}` }
    world.provider.at("/token", says)
    const answer = await world.call("media/auth/complete", callback)
    expect(answer).toMatchObject(told)
    expect(JSON.stringify(answer)).not.toMatch(/canary/)
    expect(await saved()).toBe(before)
    world.provider.mend()
    expect((await world.call("media/auth/complete", callback))[0]).toBe(200)
  })
})

const device = {
  device_code: "canary",
  user_code: "A",
  verification_uri: "https://login.provider.com/enter",
  expires_in: 60,
}
test.each([
  ["500", say({}, { status: 500 }), UNAVAILABLE],
  ["a refusal", say({ error: "invalid_client" }, { status: 401 }), UNAVAILABLE],
  ["nothing", () => Promise.reject(new Error("canary")), FAILED],
  ["no JSON", () => new Response("canary"), FAILED],
  ["1 MiB", say({ ...device, more: "canary".repeat(200_000) }), FAILED],
  ["no device code", say({ ...device, device_code: undefined }), FAILED],
  ["a device code that is a number", say({ ...device, device_code: 7 }), FAILED],
  ["a user code with a line break", say({ ...device, user_code: "A\nB" }), FAILED],
  ["a page that is a script", say({ ...device, verification_uri: "javascript:alert(1)" }), FAILED],
  ["a page with its code that is a script", say({ ...device, verification_uri_complete: "data:canary" }), FAILED],
  ["an expiry that is a text", say({ ...device, expires_in: "canary" }), FAILED],
  ["a negative interval", say({ ...device, interval: -5 }), FAILED],
] as [string, ProviderSays, object][])(
  "A device endpoint that answers %s starts no login",
  async (_what, says, told) => {
    const logins = async () => (await world.sql("select from provider_logins")).length
    const before = await logins()
    world.provider.at("/device", says)
    const answer = await world.call("alt-pool/auth/start")
    expect(answer).toMatchObject(told)
    expect(JSON.stringify(answer)).not.toMatch(/canary/)
    expect(await logins()).toBe(before)
  },
)

test.each(["auth/code", "media/auth/complete", "alt-pool/auth/start"])(
  "A request to a provider that is slow (%s) is abandoned after 8 s",
  async (path) => {
    const [, started] = await world.call(
      path.replace(/auth.*/, "auth/start"),
      path === "auth/code" ? { name: "Ada" } : undefined,
    )
    const login = started.authorization_url ? world.provider.logIn(started.authorization_url, "acc") : null
    const never: ProviderSays = () => new Promise<Response>(() => {})
    world.provider.at("/token", never)
    world.provider.at("/device", never)
    const body = path.startsWith("media")
      ? { callback_url: `${MEDIA_CALLBACK}?code=${login?.code}&state=${login?.state}` }
      : login && { code: login.code }
    const called = world.call(path, body ?? undefined)
    await world.clock.sleeping(1, PROVIDER_POLICY.timeoutMs)
    await world.advance(PROVIDER_POLICY.timeoutMs)
    expect(await called).toMatchObject(FAILED)
  },
)

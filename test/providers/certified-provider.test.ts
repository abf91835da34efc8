import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { freshCredential, ProviderUnusable } from "../../src/providers/refresh.ts"
import { signInAdmin } from "../harness/books.ts"
import { confirmByDevice } from "../harness/certified-accounts.ts"
import { signInAtProvider } from "../harness/oidc-browser.ts"
import { ACCOUNTS_CLIENT } from "../harness/openid-clients.ts"
import type { ProviderWorld } from "../harness/provider-world.ts"
import { accountNow, credentialOf } from "../harness/refreshing.ts"
import { moveToRealTime } from "../harness/time.ts"
import { createWorld } from "../harness/world.ts"

const issuer = inject("openIdUrl")
const { client_id, client_secret, callback } = ACCOUNTS_CLIENT
const shared = {
  engine: "openai",
  token_endpoint: `${issuer}/token`,
  client_id,
  client_secret,
  issuer,
  scope: "openid email",
  account: { in: "id_token", path: ["sub"] },
}
const byCode = { ...shared, authorization_endpoint: `${issuer}/auth`, redirect_uri: callback }
const PROVIDER_LOGINS = JSON.stringify({
  main: byCode,
  media: byCode,
  "alt-pool": { ...shared, device_authorization_endpoint: `${issuer}/device/auth` },
})

let world: Awaited<ReturnType<typeof createWorld>>
let admin: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  world = await createWorld({ env: { PROVIDER_LOGINS } })
  admin = await signInAdmin(world)
})
afterAll(() => world.close())
// The provider uses the machine's clock.
beforeEach(() => moveToRealTime(world))

let people = 0
const someone = () => `account${++people}x${crypto.randomUUID().slice(0, 8)}`
const call = (path: string, body?: object) => admin.json("POST", `/api/admin/providers/${path}`, body)

/** An account of the main pool at the certified provider. */
async function added(login: string): Promise<string> {
  const [, { authorization_url }] = await call("auth/start", { name: login })
  const back = await signInAtProvider(new URL(authorization_url), login)
  const [status, who] = await call("auth/code", { code: back.href })
  expect([status, who]).toMatchObject([200, { external_id: login }])
  const [, { provider_id }] = await call("add", { name: login })
  return provider_id
}

function worker() {
  return createContext(parseBaseEnv({ ...world.env, PROVIDER_LOGINS }), () => {}, { clock: world.clock })
}

const credential = (id: string) => credentialOf(world as unknown as ProviderWorld, id)

/** The owner of a token according to the provider. */
async function ownerOf(secret: string): Promise<string> {
  const response = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${secret}` } })
  return ((await response.json()) as { sub: string }).sub
}

test("A login by the whole URL works, and refreshes rotate its tokens", async () => {
  const login = someone()
  const id = await added(login)
  const tokens = new Set<string>()
  for (let version = 1; version <= 3; version++) {
    const sent = await freshCredential(worker(), await credential(id), { after401: version > 1 })
    expect([sent.credential_version, await ownerOf(sent.secret)]).toEqual([version, login])
    tokens.add(sent.secret)
  }
  expect(tokens.size).toBe(3)
})

test("A hundred concurrent calls with an expired token do not trigger the provider's reuse detection", async () => {
  const id = await added(someone())
  const stale = await credential(id)
  const workers = Array.from({ length: 10 }, worker)
  let done = false
  const all = Promise.all(
    Array.from({ length: 100 }, (_, at) => freshCredential(workers[at % 10] as never, stale, { after401: true })),
  ).finally(() => {
    done = true
  })
  while (!done) {
    await world.isCalm(250)
    await world.advance(50)
  }
  expect(new Set((await all).map(({ secret }) => secret)).size).toBe(1)
  await moveToRealTime(world)
  expect(await freshCredential(worker(), await credential(id), { after401: true })).toMatchObject({
    credential_version: 3,
  })
})

test("An account whose refresh token was used elsewhere needs a login, which renews it", async () => {
  const login = someone()
  const id = await added(login)
  const former = await credential(id)
  await freshCredential(worker(), former, { after401: true })
  // As if the earlier credential had been restored from a backup.
  await world.sql("update provider_credentials set sealed = $1 where provider_id = $2", [former.sealed, id])
  const refused = freshCredential(worker(), await credential(id), { after401: true })
  expect(await refused.catch((error: unknown) => error)).toMatchObject(new ProviderUnusable(id, "needs_login"))
  expect((await accountNow(world as unknown as ProviderWorld, id)).health).toBe("needs_login")
  expect(await added(login)).toBe(id)
  expect((await freshCredential(worker(), await credential(id), { after401: true })).kind).toBe("bearer")
})

test("A login by device works, also for the same account again", async () => {
  const login = someone()
  const id = `alt-${createHash("sha256").update(login).digest("hex").slice(0, 12)}`
  for (const version of [1, 2]) {
    const [status, started] = await call("alt-pool/auth/start")
    expect([status, started.interval_seconds]).toEqual([200, 5])
    await world.settled()
    await world.advance(5_000)
    await world.drain()
    const look = async () => (await admin.json("GET", "/api/admin/providers/alt-pool/auth/status"))[1]
    expect(await look()).toMatchObject({ status: "polling", user_code: started.user_code })
    await confirmByDevice(started.verification_url_complete, login)
    await world.advance(6_000)
    await world.drain()
    expect(await look()).toMatchObject({ status: "authorized", provider_id: id })
    const sent = await freshCredential(worker(), await credential(id), { after401: true })
    expect([await ownerOf(sent.secret), (await credential(id)).credential_version]).toEqual([login, 2 * version])
  }
})

test("A login to the media account works with a callback that names the issuer", async () => {
  const login = someone()
  const [, { authorization_url }] = await call("media/auth/start")
  const back = await signInAtProvider(new URL(authorization_url), login)
  const [status, completed] = await call("media/auth/complete", { callback_url: back.href })
  expect([status, completed]).toMatchObject([200, { status: "logged_in", account: login }])
  const lasts = new Date(completed.expires_at).getTime() - world.clock.ms()
  expect(lasts / 60_000).toBeGreaterThan(50)
})

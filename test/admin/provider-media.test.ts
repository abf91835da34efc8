import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { LOGINS, MEDIA_CALLBACK } from "../harness/account-provider.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"

let world: ProviderWorld
let other: Admin
beforeAll(async () => {
  world = await createProviderWorld()
  other = await signInAdmin(world)
})
afterAll(() => world.close())
beforeEach(async () => {
  world.provider.mend()
  await world.sql("update provider_logins set state = 'expired', sealed = null where state = 'polling'")
  await world.advance(1)
})

const MINUTE = 60_000
const start = (as?: Admin) => world.call("media/auth/start", undefined, as)
const complete = (callback_url: string, as?: Admin) => world.call("media/auth/complete", { callback_url }, as)
const media = async () => (await world.look("media"))[1]

async function begun(account = "media-1") {
  const [status, { authorization_url }] = await start()
  expect(status).toBe(200)
  const { code, state } = world.provider.logIn(authorization_url, account)
  return { code, state, url: `${MEDIA_CALLBACK}?code=${code}&state=${state}` }
}

test("The media account is logged out before the first login", async () => {
  expect(await media()).toEqual({
    status: "logged_out",
    account: null,
    health: null,
    disabled: false,
    expires_at: null,
    locked: false,
    login: null,
  })
})

test("Only one media login runs at a time: other admins are refused, and the same admin gets the same URL with one entry", async () => {
  const entries = async () => (await world.sql("select from audit_log where action = 'provider.login_start'")).length
  const before = await entries()
  const first = await start()
  const { authorization_url, expires_at } = first[1]
  expect(expires_at).toBe(new Date(world.clock.ms() + 15 * MINUTE).toISOString())
  await world.advance(MINUTE)
  expect(await start()).toEqual(first)
  expect(await entries()).toBe(before + 1)
  expect(await start(other)).toMatchObject([409, { code: "LOGIN_RUNNING" }])
  expect(await complete(`${MEDIA_CALLBACK}?code=x&state=y`, other)).toMatchObject([409, { code: "LOGIN_RUNNING" }])
  expect((await media()).login).toEqual({ started_by: { user_id: world.admin.userId, name: "Ada" }, expires_at })
  await world.advance(14 * MINUTE)
  expect((await media()).login).toBeNull()
  const [status, theirs] = await start(other)
  expect([status, theirs.authorization_url === authorization_url]).toEqual([200, false])
})

test("Of two admins who start concurrently, one succeeds", async () => {
  const answers = await Promise.all([start(), start(other)])
  expect(answers.map(([status]) => status).sort()).toEqual([200, 409])
})

test("The callback URL completes the login, and the answer has the stored expiry and no token", async () => {
  const { url } = await begun("media-1")
  const expires_at = new Date(world.clock.ms() + 3_600_000).toISOString()
  expect(await complete(`  ${url}\n`)).toEqual([
    200,
    { status: "logged_in", account: "media-1@people.com", expires_at },
  ])
  expect(await media()).toEqual({
    status: "logged_in",
    account: "media-1@people.com",
    health: "healthy",
    disabled: false,
    expires_at,
    locked: false,
    login: null,
  })
  expect(await complete(url)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  const rows = await world.sql(
    "select provider_id, pool, external_id, version from provider_accounts where pool = 'media'",
  )
  expect(rows).toEqual([{ provider_id: "media", pool: "media", external_id: "media-1", version: 1 }])
  await world.advance(MINUTE)
  const again = await begun("media-2")
  expect((await complete(again.url))[0]).toBe(200)
  expect((await media()).expires_at).toBe(new Date(world.clock.ms() + 3_600_000).toISOString())
  expect(await world.sql("select external_id, version from provider_accounts where pool = 'media'")).toEqual([
    { external_id: "media-2", version: 2 },
  ])
})

test("Only the registered URL with state and code is accepted, and the correct URL can follow", async () => {
  const { code, state, url } = await begun()
  const query = `code=${code}&state=${state}`
  const wrongs = [
    "nonsense",
    code,
    `${code}#${state}`,
    `http://127.0.0.1:8977/callback?${query}`,
    `http://127.0.0.2:8976/callback?${query}`,
    `http://localhost:8976/callback?${query}`,
    `https://127.0.0.1:8976/callback?${query}`,
    `http://127.0.0.1:8976/callback/?${query}`,
    `http://127.0.0.1:8976/Callback?${query}`,
    `http://ada:word@127.0.0.1:8976/callback?${query}`,
    `http://127.0.0.1:8976.evil.com/callback?${query}`,
    `${url}#more`,
    `${url}&code=another`,
    `${url}&state=${state}`,
    `?code=${code}`,
    `127.0.0.2:8976/callback?${query}`,
    encodeURIComponent(`http://127.0.0.2:8976/callback?${query}`),
    `${MEDIA_CALLBACK}?code=${code}`,
    `${MEDIA_CALLBACK}?state=${state}`,
    `${MEDIA_CALLBACK}?code=&state=${state}`,
    `${MEDIA_CALLBACK}?code=${code}&state=another`,
    `${MEDIA_CALLBACK}?Code=${code}&State=${state}`,
    MEDIA_CALLBACK,
  ]
  const before = world.provider.grants.length
  for (const wrong of wrongs) {
    expect(await complete(wrong), wrong).toMatchObject([422, { detail: [{ type: "login_code_invalid" }] }])
  }
  expect(await complete(`${MEDIA_CALLBACK}?error=access_denied&state=${state}`)).toMatchObject([
    403,
    { code: "LOGIN_DENIED" },
  ])
  expect(world.provider.grants.length, "no request was sent").toBe(before)
  expect((await complete(url))[0]).toBe(200)
})

test.each<[string, (url: string, query: string) => string]>([
  [
    "parameters of the provider",
    (url) => `${url}&scope=a%20b&authuser=0&prompt=none&session_state=x.y&iss=https://login.provider.com`,
  ],
  ["an empty fragment", (url) => `${url}#`],
  ["an encoded empty fragment", (url) => `${url}%23`],
  ["quotes", (url) => `"${url}"`],
  ["angle brackets", (url) => `<${url}>`],
  ["line breaks of a terminal", (url) => `${url.slice(0, 30)}\n${url.slice(30)}\r\n`],
  ["no scheme", (url) => url.replace("http://", "")],
  ["its query alone", (_url, query) => `?${query}`],
  ["its parameters alone", (_url, query) => query],
  ["ampersands of HTML", (url) => url.replaceAll("&", "&amp;")],
  ["everything encoded", (url) => encodeURIComponent(url)],
])("The callback URL is accepted with %s", async (_what, written) => {
  const { code, state, url } = await begun()
  expect((await complete(written(url, `code=${code}&state=${state}`)))[0]).toBe(200)
})

test("A refusal reports the provider's own reason", async () => {
  const { state } = await begun()
  const query = `error=access_denied&error_description=The+user+has+declined&state=${state}`
  const [status, { detail }] = await complete(`${MEDIA_CALLBACK}?${query}`)
  expect([status, detail]).toEqual([403, "The provider did not log you in (access_denied: The user has declined)."])
})

test("A callback URL may name the configured issuer and no other", async () => {
  const issuer = "https://login.provider.com"
  world.rebind({ PROVIDER_LOGINS: JSON.stringify({ ...LOGINS, media: { ...LOGINS.media, issuer } }) })
  const { url } = await begun()
  const iss = (value: string) => `${url}&iss=${encodeURIComponent(value)}`
  expect((await complete(iss("https://evil.com")))[0]).toBe(422)
  expect((await complete(iss(issuer)))[0]).toBe(200)
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
})

test("A completion needs a running login, and the login expires", async () => {
  await world.sql("delete from provider_logins")
  const any = `${MEDIA_CALLBACK}?code=x&state=y`
  expect(await complete(any)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  const { url } = await begun()
  await world.advance(15 * MINUTE)
  expect(await complete(url)).toMatchObject([409, { code: "LOGIN_EXPIRED" }])
  expect(await complete(url, other)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
})

test("Two concurrent completions exchange the code once", async () => {
  const { url } = await begun()
  const before = world.provider.grants.length
  const answers = await Promise.all([1, 2, 3].map(() => complete(url)))
  expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409])
  expect(world.provider.grants.length - before).toBe(1)
})

test("A credential being refreshed is shown as locked, and a credential whose worker died as contained", async () => {
  await complete((await begun()).url)
  const refreshing = (ms: number) =>
    world.sql("update provider_credentials set refreshing_until = $1 where provider_id = 'media'", [
      new Date(world.clock.ms() + ms).toISOString(),
    ])
  await refreshing(10_000)
  expect(await media()).toMatchObject({ locked: true, health: "healthy", status: "logged_in" })
  await refreshing(-1)
  expect(await media()).toMatchObject({ locked: false, health: "contained" })
  await world.sql("update provider_credentials set refreshing_until = null")
  await world.sql("update provider_accounts set health = 'needs_login' where provider_id = 'media'")
  expect(await media()).toMatchObject({ status: "logged_out", health: "needs_login" })
  await complete((await begun()).url)
  expect(await media()).toMatchObject({ status: "logged_in", health: "healthy" })
})

test.each(["before", "after"] as const)(
  "A credential that cannot be saved at once (%s its effect) is saved later",
  async (when) => {
    const { url } = await begun()
    await world.plan([{ service: "pg", match: "finish_media_login", call: 1, action: "cut", when }])
    const completing = complete(url)
    await world.clock.sleeping(1, 250)
    await world.advance(250)
    expect((await completing)[0]).toBe(200)
    await world.clearFaults()
  },
)

import { afterAll, beforeAll, expect, test } from "vitest"
import { LOGINS } from "../harness/account-provider.ts"
import { signInAdmin } from "../harness/books.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"
import { redisOf } from "../harness/redis.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())

const MINUTE = 60_000
const CODE_INVALID = [422, { detail: [{ loc: ["body", "code"], type: "login_code_invalid" }] }]
let accounts = 0
const someAccount = () => `acc-${++accounts}`

async function begun(account = someAccount()) {
  const [status, started] = await world.call("auth/start", { name: "Ada" })
  expect(status).toBe(200)
  return { account, ...started, ...world.provider.logIn(started.authorization_url, account) }
}

const opened = async (providerId: string) =>
  (await world.sql("select * from provider_credentials where provider_id = $1", [providerId]))[0] ?? {}

test("A login returns the provider's page with PKCE, state, scope and configured parameters, and ours take precedence", async () => {
  const [status, started] = await world.call("auth/start", { name: "Ada" })
  const url = new URL(started.authorization_url)
  expect(status).toBe(200)
  expect(started.expires_at).toBe(new Date(world.clock.ms() + 15 * MINUTE).toISOString())
  expect(Object.fromEntries(url.searchParams)).toEqual({
    audience: "models",
    response_type: "code",
    client_id: "turnpike",
    redirect_uri: LOGINS.main.redirect_uri,
    scope: "inference",
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  })
})

test.each([
  ["code#state", ({ code, state }) => `${code}#${state}`],
  ["a bare code", ({ code }) => code],
  ["a bare code with blanks around it", ({ code }) => `  ${code}\n`],
  ["code # state, with blanks", ({ code, state }) => ` ${code} # ${state} `],
  ["code# with an empty state", ({ code }) => `${code}#`],
  ["the URL without its scheme", ({ code, state }) => `login.provider.com/shown?code=${code}&state=${state}`],
  ["the host and the query", ({ code, state }) => `login.provider.com?state=${state}&code=${code}`],
  ["a host with a port", ({ code, state }) => `localhost:1455/callback?code=${code}&state=${state}`],
  ["a URL with blanks", ({ code, state }) => `https://login.provider.com/shown?code= ${code} &\u00a0state=${state}`],
  ["the query with blanks", ({ code, state }) => `?code=${code} & state=${state}`],
  ["the whole URL", ({ code, state }) => `https://login.provider.com/shown?code=${code}&state=${state}`],
  ["the whole URL without a state", ({ code }) => `https://login.provider.com/shown?code=${code}`],
] as [string, (login: { code: string; state: string }) => string][])(
  "The input %s is accepted",
  async (_what, paste) => {
    const login = await begun()
    const [status, who] = await world.call("auth/code", { code: paste(login) })
    expect([status, who]).toEqual([
      200,
      {
        external_id: login.account,
        label: `${login.account}@people.com`,
        token_expires_at: new Date(world.clock.ms() + 3_600_000).toISOString(),
        expires_at: new Date(world.clock.ms() + 15 * MINUTE).toISOString(),
      },
    ])
    const grant = world.provider.grants.at(-1)
    expect(grant?.body).toMatchObject({ grant_type: "authorization_code", redirect_uri: LOGINS.main.redirect_uri })
  },
)

test("Codes of other logins are refused, and the correct code can follow", async () => {
  const login = await begun()
  for (const code of [
    `${login.code}#another-state`,
    `${login.code} # another-state`,
    `login.provider.com/shown?code=${login.code}&state=another`,
    `evil.example/#${login.code}`,
    `https://login.provider.com/shown?code=${login.code}&state=another`,
    "https://login.provider.com/shown?state=x",
    "https://",
    "#",
    "   ",
    "two words",
    "an unknown code",
    "another-code",
  ]) {
    expect(await world.call("auth/code", { code }), code).toMatchObject(CODE_INVALID)
  }
  const denied = "https://login.provider.com/shown?error=access_denied"
  expect(await world.call("auth/code", { code: denied })).toMatchObject([403, { code: "LOGIN_DENIED" }])
  expect((await world.call("auth/code", { code: login.code }))[0]).toBe(200)
})

test("An account with an API key needs no login", async () => {
  const body = { name: "Ada", kind: "api_key", api_key: "canary-of-a-key", engine: "openai" }
  expect(await world.call("auth/start", body)).toMatchObject([422, { detail: [{ loc: ["body", "kind"] }] }])
})

test("Each step needs the previous step, within 15 minutes, and a login belongs to its admin", async () => {
  const other = await signInAdmin(world)
  const code = { code: "some-code" }
  expect(await world.call("auth/code", code, other)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  expect(await world.call("add", { name: "Ada" }, other)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  const login = await begun()
  expect(await world.call("auth/code", { code: login.code }, other)).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  expect(await world.call("add", { name: "Ada" })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  expect((await world.call("auth/code", { code: login.code }))[0], "an early add leaves the login unchanged").toBe(200)
  expect(await world.call("auth/code", { code: login.code })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
  expect((await world.call("add", { name: "Ada of another time" }))[0]).toBe(200)
  expect(await world.call("add", { name: "Ada" })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])

  const late = await begun()
  await world.advance(15 * MINUTE)
  expect(await world.call("auth/code", { code: late.code })).toMatchObject([409, { code: "LOGIN_EXPIRED" }])
  const logged = await begun()
  await world.advance(14 * MINUTE)
  expect((await world.call("auth/code", { code: logged.code }))[0]).toBe(200)
  await world.advance(14 * MINUTE)
  expect((await world.call("add", { name: "Ada in time" }))[0]).toBe(200)
  const slow = await begun()
  await world.call("auth/code", { code: slow.code })
  await world.advance(15 * MINUTE)
  expect(await world.call("add", { name: "Ada" })).toMatchObject([409, { code: "LOGIN_EXPIRED" }])
  await redisOf(world).flush()
  expect(await world.call("add", { name: "Ada" })).toMatchObject([409, { code: "LOGIN_NOT_STARTED" }])
})

test("A second start replaces the first, and two concurrent codes are exchanged once", async () => {
  const first = await begun()
  const second = await begun()
  expect(await world.call("auth/code", { code: `${first.code}#${first.state}` })).toMatchObject(CODE_INVALID)
  const before = world.provider.grants.length
  const answers = await Promise.all([1, 2, 3].map(() => world.call("auth/code", { code: second.code })))
  expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409])
  expect(world.provider.grants.length - before).toBe(1)
})

test("Adding saves the login's credentials once, and the same account again is renewed under its id", async () => {
  const account = someAccount()
  const saved = await world.added(account, { name: "  Équipe d'Ada 2 " })
  expect(saved).toMatchObject({
    provider_id: "equipe-d-ada-2",
    name: "Équipe d'Ada 2",
    pool: "main",
    kind: "oauth_code",
    engine: "anthropic",
    base_url: LOGINS.main.base_url,
    external_id: account,
    disabled: false,
    health: "healthy",
    expires_at: new Date(world.clock.ms() + 3_600_000).toISOString(),
    version: 1,
    updated_by: { user_id: world.admin.userId, name: "Ada" },
  })
  const first = await opened("equipe-d-ada-2")
  await world.sql(
    "update provider_accounts set health = 'contained', disabled_at = now(), disabled_reason = 'rest' where provider_id = $1",
    [saved.provider_id],
  )
  await world.sql(
    "update provider_credentials set refreshing_until = now() - interval '1 hour' where provider_id = $1",
    [saved.provider_id],
  )
  const again = await world.added(account, { name: "Ada", engine: "openai", base_url: null })
  expect(again).toMatchObject({
    provider_id: "equipe-d-ada-2",
    name: "Ada",
    engine: "openai",
    base_url: null,
    version: 2,
    health: "healthy",
    disabled: true,
  })
  const second = await opened("equipe-d-ada-2")
  expect(second).toMatchObject({ version: 2, refreshing_until: null })
  expect(second.sealed).not.toBe(first.sealed)
  expect(await world.sql("select from provider_accounts where external_id = $1", [account])).toHaveLength(1)
})

test("Another account's id is refused, and the login can still be added", async () => {
  await world.added(someAccount(), { name: "Taken" })
  const account = someAccount()
  const login = await begun(account)
  await world.call("auth/code", { code: login.code })
  expect(await world.call("add", { name: "taken!" })).toMatchObject([409, { code: "PROVIDER_EXISTS" }])
  expect(await world.call("add", { name: "Ada", provider_id: "taken" })).toMatchObject([
    409,
    { code: "PROVIDER_EXISTS" },
  ])
  expect((await world.call("add", { name: "Ada", provider_id: "not-taken" }))[0]).toBe(200)
  const renewed = await begun(account)
  await world.call("auth/code", { code: renewed.code })
  expect(await world.call("add", { name: "Ada", provider_id: "a-third" })).toMatchObject([
    409,
    { code: "PROVIDER_EXISTS", details: { provider_id: "not-taken" } },
  ])
  expect(await world.call("add", { name: "Ada", provider_id: "not-taken" })).toMatchObject([200, { version: 2 }])
})

test("An API key is saved without a login and replaced only under its id", async () => {
  const key = { kind: "api_key", api_key: "canary-of-a-key-1", engine: "openai" }
  const [status, saved] = await world.call("add", { ...key, name: "A key" })
  expect([status, saved]).toMatchObject([
    200,
    { provider_id: "a-key", kind: "api_key", engine: "openai", base_url: null, external_id: null, expires_at: null },
  ])
  expect(await world.call("add", { ...key, name: "A key" })).toMatchObject([409, { code: "PROVIDER_EXISTS" }])
  const replaced = { ...key, name: "A key", provider_id: "a-key", api_key: "canary-of-a-key-2", pool: "main" }
  await world.sql(
    `update provider_states set cool_until = now() + interval '1 year', cool_reason = 'told', windows = '{"a": {}}' where provider_id = 'a-key'`,
  )
  expect(await world.call("add", replaced)).toMatchObject([200, { provider_id: "a-key", version: 2 }])
  const states = "select cool_until, cool_reason, windows from provider_states where provider_id = 'a-key'"
  expect(await world.sql(states)).toEqual([{ cool_until: null, cool_reason: null, windows: {} }])
  expect(await world.call("add", { ...replaced, pool: "alt-pool" })).toMatchObject([409, { code: "PROVIDER_EXISTS" }])
  const other = { ...key, name: "Another", pool: "alt-pool", base_url: "http://10.0.0.7:8080/v1" }
  expect(await world.call("add", other)).toMatchObject([200, { pool: "alt-pool", base_url: "http://10.0.0.7:8080/v1" }])
  const oauth = await world.added(someAccount(), { name: "By OAuth" })
  expect(await world.call("add", { ...key, name: "x", provider_id: oauth.provider_id })).toMatchObject([
    409,
    { code: "PROVIDER_EXISTS" },
  ])
})

test.each([
  ["no name", {}, "name"],
  ["a key without its kind", { name: "x", api_key: "sk-12345678" }, "api_key"],
  ["the kind without a key", { name: "x", kind: "api_key" }, "api_key"],
  ["a key with a blank", { name: "x", kind: "api_key", api_key: "sk 12345678" }, "api_key"],
  ["a login to the other pool", { name: "x", pool: "alt-pool" }, "pool"],
  [
    "no URL for an engine without a default URL",
    { name: "x", kind: "api_key", api_key: "sk-12345678", engine: "openai-compatible", base_url: null },
    "base_url",
  ],
  ["the media pool", { name: "x", pool: "media", kind: "api_key", api_key: "sk-12345678" }, "pool"],
  ["an id of ours", { name: "x", provider_id: "media" }, "provider_id"],
  ["an id like a device login's", { name: "x", provider_id: "alt-0123456789ab" }, "provider_id"],
  ["an id of digits", { name: "x", provider_id: "123" }, "provider_id"],
  ["a URL with a query", { name: "x", base_url: "https://a.com/?key=1" }, "base_url"],
  ["something unknown", { name: "x", token: "y" }, "token"],
])("Adding an account with %s is a 422", async (_what, body, param) => {
  const [status, answer] = await world.call("add", body)
  expect([status, JSON.stringify(answer.detail)]).toEqual([422, expect.stringContaining(param)])
})

test.each(["https://callbacks.test/v1", "ftp://a.com", "nonsense", "https://user:word@a.com"])(
  "Adding refuses %s as a base URL",
  async (base_url) => {
    const key = { kind: "api_key", api_key: "sk-12345678", engine: "openai" }
    expect((await world.call("add", { ...key, name: "A URL", base_url }))[0]).toBe(422)
  },
)

test("Each step is one audit entry, and a database failure after an add adds no second account", async () => {
  const entries = () => world.sql<{ action: string }>("select action from audit_log order by audit_id desc limit 3")
  const account = someAccount()
  await world.added(account, { name: "Audited" })
  const made = ["provider.add", "provider.login_code", "provider.login_start"]
  expect((await entries()).map(({ action }) => action)).toEqual(made)
  const login = await begun(account)
  await world.call("auth/code", { code: login.code })
  await world.plan([{ service: "pg", match: "add_provider", call: 1, action: "cut", when: "after" }])
  expect(await world.call("add", { name: "Audited" })).toMatchObject([503, { code: "UNAVAILABLE" }])
  expect(await world.call("add", { name: "Audited" })).toMatchObject([200, { version: 2 }])
  await world.clearFaults()
  expect((await entries())[0]?.action).toBe("provider.renew")
  expect(await world.sql("select from audit_log where subject_id = 'audited'")).toHaveLength(2)
})

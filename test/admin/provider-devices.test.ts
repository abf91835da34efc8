import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { LOGINS, LOGINS_BY_DEVICE_CODE, type ProviderSays } from "../harness/account-provider.ts"
import { signInAdmin } from "../harness/books.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  world.provider.mend()
  world.provider.devicesSay({})
  world.provider.wrongs.length = 0
  await world.sql("update provider_logins set state = 'expired', sealed = null where state = 'polling'")
  await world.qstash.reset()
})

const SECOND = 1_000
let accounts = 0
const someAccount = () => `device-${++accounts}`
const idOf = (account: string) => `alt-${createHash("sha256").update(account).digest("hex").slice(0, 12)}`

async function started() {
  const [status, answer] = await world.call("alt-pool/auth/start")
  expect([status, answer.detail]).toEqual([200, undefined])
  await world.drain()
  return { ...answer, device: world.provider.deviceOf(answer.user_code) }
}

const status = async () => (await world.look("alt-pool/auth/status"))[1]

describe.each([
  ["RFC 8628", undefined],
  ["the variant whose pending is 403 or 404", LOGINS_BY_DEVICE_CODE],
])("%s", (_name, logins) => {
  beforeAll(() => logins && world.rebind({ PROVIDER_LOGINS: JSON.stringify(logins) }))

  test("polls by itself until it is confirmed, and makes the account; the page may be closed", async () => {
    const account = someAccount()
    const login = await started()
    expect(login).toMatchObject({
      verification_url: "https://login.provider.com/enter",
      user_code: expect.stringMatching(/^WDJB-/),
      interval_seconds: 5,
    })
    expect(await status()).toMatchObject({
      ...{ status: "polling", user_code: login.user_code, verification_url: login.verification_url, provider_id: null },
      started_by: { user_id: world.admin.userId, name: "Ada" },
      expires_at: login.expires_at,
    })
    await world.pass(12 * SECOND)
    expect(login.device.polls).toHaveLength(2)
    login.device.account = account
    await world.pass(4 * SECOND)
    expect(await status()).toMatchObject({
      ...{ status: "authorized", provider_id: idOf(account), user_code: null, verification_url: null, error: null },
    })
    expect(await world.sql("select * from provider_accounts where provider_id = $1", [idOf(account)])).toMatchObject([
      {
        ...{ pool: "alt-pool", kind: "oauth_device", engine: "openai", external_id: account, health: "healthy" },
        ...{ name: `${account}@people.com`, version: 1 },
      },
    ])
    await world.pass(60 * SECOND)
    expect([login.device.polls.length, world.provider.wrongs]).toEqual([3, []])
    expect(await world.qstash.pending()).toEqual([])
  })

  test("a known account is renewed, with its history", async () => {
    const account = someAccount()
    for (const version of [1, 2]) {
      const login = await started()
      login.device.account = account
      await world.pass(6 * SECOND)
      expect(await status()).toMatchObject({ status: "authorized", provider_id: idOf(account) })
      const rows = await world.sql("select version from provider_accounts where external_id = $1", [account])
      expect(rows).toEqual([{ version }])
      await world.sql("update provider_accounts set health = 'needs_login' where external_id = $1 and version = 1", [
        account,
      ])
    }
    expect(await world.sql("select health from provider_accounts where external_id = $1", [account])).toEqual([
      { health: "healthy" },
    ])
    const entries = await world.sql(
      "select action, actor_user_id::int as actor from audit_log where subject_id = $1 order by audit_id",
      [idOf(account)],
    )
    const actor = world.admin.userId
    expect(entries).toEqual([
      { action: "provider.add", actor },
      { action: "provider.renew", actor },
    ])
  })
  afterAll(() => world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) }))
})

/** The provider does what is right, and answers something else. */
const behind =
  (answer: () => Response): ProviderSays =>
  async (_request, right) => {
    await right()
    return answer()
  }

const say =
  (error: string, status = 400) =>
  () =>
    Response.json({ error, error_description: "canary" }, { status })

describe("what a poll is answered", () => {
  test("slow_down adds five seconds, for good", async () => {
    const login = await started()
    login.device.interval = 5
    world.provider.at("/token", behind(say("slow_down")))
    await world.pass(6 * SECOND)
    login.device.interval = 10
    world.provider.mend()
    await world.pass(30 * SECOND)
    const [first = 0, second = 0, third = 0] = login.device.polls
    expect([second - first, third - second]).toEqual([10_000, 10_000])
    expect(world.provider.wrongs).toEqual([])
  })

  test("the interval that the provider names counts, and 5 s without one", async () => {
    for (const [interval, seconds] of [
      [undefined, 5],
      [0, 5],
      [12, 12],
    ]) {
      world.provider.devicesSay({ interval })
      const login = await started()
      expect(login.interval_seconds).toBe(seconds)
      login.device.interval = seconds ?? 0
      await world.pass(26 * SECOND)
      expect(login.device.polls.length).toBe(Math.floor(25 / (seconds ?? 5)))
      expect(world.provider.wrongs).toEqual([])
    }
  })

  test.each([
    ["access_denied", "error", "denied"],
    ["invalid_grant", "error", "refused"],
    ["expired_token", "expired", "expired"],
  ])("%s ends it", async (error, state, why) => {
    const login = await started()
    world.provider.at("/token", behind(say(error)))
    await world.pass(30 * SECOND)
    expect(await status()).toMatchObject({ status: state, error: why, user_code: null, provider_id: null })
    expect(login.device.polls).toHaveLength(1)
  })

  test.each([
    ["500", () => new Response("canary", { status: 500 })],
    ["503 with tokens in it", () => Response.json({ access_token: "canary" }, { status: 503 })],
    ["429", () => new Response("canary", { status: 429 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.com/token" } })],
    ["an unknown error", say("server_is_tired")],
    ["an invalid client", say("invalid_client", 401)],
    ["nothing", () => Promise.reject(new Error("canary"))],
  ] as [string, () => Response | Promise<Response>][])("%s: the login goes on", async (_what, answer) => {
    const account = someAccount()
    const login = await started()
    login.device.account = account
    world.provider.at("/token", answer)
    await world.pass(6 * SECOND)
    expect(await status()).toMatchObject({ status: "polling" })
    world.provider.mend()
    await world.pass(20 * SECOND)
    expect(await status()).toMatchObject({ status: "authorized", provider_id: idOf(account) })
    expect(world.provider.wrongs).toEqual([])
  })

  test.each([
    ["no JSON", () => new Response("canary", { headers: { "content-type": "application/json" } })],
    ["no token", () => Response.json({ token_type: "Bearer" })],
    ["a token that is a number", () => Response.json({ access_token: 7, token_type: "Bearer" })],
    ["a token with a line break", () => Response.json({ access_token: "canary\n", token_type: "Bearer" })],
    ["another type of token", () => Response.json({ access_token: "canary", token_type: "mac" })],
    ["tokens of nobody", () => Response.json({ access_token: "canary", token_type: "Bearer" })],
    [
      "an account that is an object",
      () => Response.json({ access_token: "canary", token_type: "Bearer", account: { uuid: {} } }),
    ],
    ["a list", () => Response.json(["canary"])],
    ["too much", () => Response.json({ access_token: "canary".repeat(100_000), token_type: "Bearer" })],
  ])("%s instead of tokens ends it: nothing is guessed", async (_what, answer) => {
    await started()
    world.provider.at("/token", answer)
    await world.pass(30 * SECOND)
    expect(await status()).toMatchObject({ status: "error", error: "lost" })
  })
})

test("one that never answers is given up after 8 s, and asked less often", async () => {
  const login = await started()
  const asked: number[] = []
  world.provider.at("/token", () => {
    asked.push(world.clock.ms())
    return new Promise<Response>(() => {})
  })
  for (let second = 0; second < 60; second++) {
    await world.advance(SECOND)
    const [due] = await world.qstash.due()
    if (due) {
      const waits = world.clock.sleeping(1, PROVIDER_POLICY.timeoutMs)
      const polled = world.deliver(due)
      await waits
      await world.advance(PROVIDER_POLICY.timeoutMs)
      await world.qstash.answer({ delivery_id: due.delivery_id, status: (await polled).status })
    }
  }
  expect(await status()).toMatchObject({ status: "polling" })
  expect(asked.map((at, index) => at - (asked[index - 1] ?? at))).toEqual([0, 18_000, 28_000])
  expect(login.device.polls).toEqual([])
})

test("it expires when its code does, and polls no more", async () => {
  world.provider.devicesSay({ expires_in: 20 })
  const login = await started()
  await world.pass(19 * SECOND)
  expect(await status()).toMatchObject({ status: "polling" })
  await world.pass(1 * SECOND)
  expect(await status()).toMatchObject({ status: "expired", user_code: null })
  await world.pass(30 * SECOND)
  expect([login.device.polls.length, world.provider.wrongs]).toEqual([3, []])
})

test("messages come early, twice at once, and after the end: a poll is taken up once", async () => {
  const login = await started()
  const path = `https://callbacks.test/callbacks/provider-logins/${login.login_id}`
  await world.advance(5 * SECOND)
  const [message] = await world.qstash.due()
  if (!message) throw new Error("nothing is due")
  expect(message.url).toBe(path)
  const answers = await Promise.all([1, 2, 3, 4].map(() => world.deliver(message)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(login.device.polls).toHaveLength(1)
  expect(await (await world.deliver(message)).json()).toMatchObject({ result: "early" })
  await world.qstash.answer({ delivery_id: message.delivery_id, status: 200 })
  login.device.account = someAccount()
  await world.pass(6 * SECOND)
  expect(await status()).toMatchObject({ status: "authorized" })
  await world.pass(60 * SECOND)
  expect([login.device.polls.length, world.provider.wrongs]).toEqual([2, []])
  const unsigned = await world.invoke(new Request(path, { method: "POST", body: "{}" }))
  expect(unsigned.status).toBe(401)
})

test("a lost message is found by the sweeper", async () => {
  const login = await started()
  await world.qstash.reset()
  await world.pass(20 * SECOND)
  expect(login.device.polls).toEqual([])
  await world.sweep()
  await world.pass(1 * SECOND)
  login.device.account = someAccount()
  await world.pass(5 * SECOND)
  expect(await status()).toMatchObject({ status: "authorized" })
  expect(world.provider.wrongs).toEqual([])
})

test("a worker that dies in a poll: its time passes, and the next one goes on", async () => {
  const login = await started()
  await world.plan([{ service: "pg", match: "keep_login", call: 1, action: "cut", when: "before", times: 20 }])
  await world.pass(6 * SECOND)
  await world.clearFaults()
  await world.qstash.reset()
  login.device.account = someAccount()
  await world.pass(70 * SECOND)
  expect(await status()).toMatchObject({ status: "polling" })
  await world.pass(10 * SECOND)
  await world.sweep()
  await world.pass(1 * SECOND)
  expect(await status()).toMatchObject({ status: "authorized" })
  expect(world.provider.wrongs).toEqual([])
})

test.each(["before", "after"] as const)(
  "tokens that cannot be saved at once (%s its effect) are saved later, not asked for again",
  async (when) => {
    const account = someAccount()
    const login = await started()
    login.device.account = account
    await world.plan([{ service: "pg", match: "finish_device_login", call: 1, action: "cut", when, times: 2 }])
    await world.advance(5 * SECOND)
    const draining = world.drain()
    for (const wait of PROVIDER_POLICY.saveWaitsMs.slice(0, 2)) {
      await world.clock.sleeping(1, wait)
      await world.advance(wait)
    }
    await draining
    await world.clearFaults()
    expect(await status()).toMatchObject({ status: "authorized", provider_id: idOf(account) })
    expect([login.device.polls.length, world.provider.wrongs]).toEqual([1, []])
    expect(await world.sql("select from audit_log where subject_id = $1", [idOf(account)])).toHaveLength(1)
  },
)

test("a new start supersedes the former, also while that is polled", async () => {
  const [former, account] = [await started(), someAccount()]
  former.device.account = someAccount()
  const newer = await started()
  await world.pass(6 * SECOND)
  expect(former.device.polls).toEqual([])
  newer.device.account = account
  world.provider.at("/token", async (_request, right) => {
    world.provider.mend()
    const tokens = await right()
    await world.call("alt-pool/auth/start")
    return tokens
  })
  await world.pass(6 * SECOND)
  expect(await status()).toMatchObject({ status: "polling" })
  expect(await world.sql("select from provider_accounts where external_id = $1", [account])).toEqual([])
  const states = await world.sql("select state, error from provider_logins where login_id = $1", [newer.login_id])
  expect(states).toEqual([{ state: "expired", error: "superseded" }])
})

test("who started it must still be an admin when it is confirmed", async () => {
  const other = await signInAdmin(world)
  const [, { user_code }] = await world.call("alt-pool/auth/start", undefined, other)
  world.provider.deviceOf(user_code).account = someAccount()
  await world.sql("update users set role = 'user' where user_id = $1", [other.userId])
  await world.pass(8 * SECOND)
  expect(await status()).toMatchObject({ status: "error", error: "not_admin" })
})

test("before the first login it is idle", async () => {
  await world.sql("delete from provider_logins where pool = 'alt-pool'")
  expect(await status()).toMatchObject({ status: "idle", started_by: null, expires_at: null })
})

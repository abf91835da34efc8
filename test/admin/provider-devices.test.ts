import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { LOGINS, LOGINS_BY_DEVICE_CODE } from "../harness/account-provider.ts"
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
])("The device login of %s", (_name, logins) => {
  beforeAll(() => logins && world.rebind({ PROVIDER_LOGINS: JSON.stringify(logins) }))

  test("A device login polls by itself until it is confirmed and makes the account, even if the page is closed", async () => {
    const account = someAccount()
    const login = await started()
    expect(login).toMatchObject({
      verification_url: "https://login.provider.com/enter",
      user_code: expect.stringMatching(/^WDJB-/),
      interval_seconds: 5,
    })
    expect(await status()).toMatchObject({
      status: "polling",
      user_code: login.user_code,
      verification_url: login.verification_url,
      provider_id: null,
      started_by: { user_id: world.admin.userId, name: "Ada" },
      expires_at: login.expires_at,
    })
    await world.pass(12 * SECOND)
    expect(login.device.polls).toHaveLength(2)
    login.device.account = account
    await world.pass(4 * SECOND)
    expect(await status()).toMatchObject({
      status: "authorized",
      provider_id: idOf(account),
      user_code: null,
      verification_url: null,
      error: null,
    })
    expect(await world.sql("select * from provider_accounts where provider_id = $1", [idOf(account)])).toMatchObject([
      {
        pool: "alt-pool",
        kind: "oauth_device",
        engine: "openai",
        external_id: account,
        health: "healthy",
        name: `${account}@people.com`,
        version: 1,
      },
    ])
    await world.pass(60 * SECOND)
    expect([login.device.polls.length, world.provider.wrongs]).toEqual([3, []])
    expect(await world.qstash.pending()).toEqual([])
  })

  test("A device login of a known account renews it and keeps its history", async () => {
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

test("A device login expires with its code and then stops polling", async () => {
  world.provider.devicesSay({ expires_in: 20 })
  const login = await started()
  await world.pass(19 * SECOND)
  expect(await status()).toMatchObject({ status: "polling" })
  await world.pass(1 * SECOND)
  expect(await status()).toMatchObject({ status: "expired", user_code: null })
  await world.pass(30 * SECOND)
  expect([login.device.polls.length, world.provider.wrongs]).toEqual([3, []])
})

test("Messages that arrive early, twice at the same time, or after the end start one poll", async () => {
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

test("The sweeper finds a poll whose message was lost", async () => {
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

test("A poll whose worker died is repeated after its timeout", async () => {
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
  "Tokens that cannot be saved at once (%s its effect) are saved later and not requested again",
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

test("A new start replaces the previous login, even while that login is polled", async () => {
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

test("The admin who started a login must still be an admin when it is confirmed", async () => {
  const other = await signInAdmin(world)
  const [, { user_code }] = await world.call("alt-pool/auth/start", undefined, other)
  world.provider.deviceOf(user_code).account = someAccount()
  await world.sql("update users set role = 'user' where user_id = $1", [other.userId])
  await world.pass(8 * SECOND)
  expect(await status()).toMatchObject({ status: "error", error: "not_admin" })
})

test("A device login is idle before the first start", async () => {
  await world.sql("delete from provider_logins where pool = 'alt-pool'")
  expect(await status()).toMatchObject({ status: "idle", started_by: null, expires_at: null })
})

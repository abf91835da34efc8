import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import type { ProviderSays } from "../harness/account-provider.ts"
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

/** The provider performs the request correctly but returns another answer. */
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

describe("Answers to a device poll", () => {
  test("A long name is cut between characters, and the account is saved", async () => {
    const login = await started()
    const account = `${"n".repeat(99)}\u{1f600}\u{1f600}`
    login.device.account = account
    await world.pass(6 * SECOND)
    expect(await status()).toMatchObject({ status: "authorized" })
    const [row] = await world.sql<{ name: string }>("select name from provider_accounts where provider_id = $1", [
      idOf(account),
    ])
    expect(row?.name).toBe(`${"n".repeat(99)}\u{1f600}`)
  })

  test("A slow_down answer adds five seconds permanently", async () => {
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

  test("The provider's interval is used, and 5 s without one", async () => {
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
  ])("The answer %s ends the login", async (error, state, why) => {
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
  ] as [string, () => Response | Promise<Response>][])("After %s the login continues", async (_what, answer) => {
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
    ["tokens without an account", () => Response.json({ access_token: "canary", token_type: "Bearer" })],
    [
      "an account that is an object",
      () => Response.json({ access_token: "canary", token_type: "Bearer", account: { uuid: {} } }),
    ],
    ["a list", () => Response.json(["canary"])],
    ["too much", () => Response.json({ access_token: "canary".repeat(100_000), token_type: "Bearer" })],
  ])("An answer with %s instead of tokens ends the login, and no value is guessed", async (_what, answer) => {
    await started()
    world.provider.at("/token", answer)
    await world.pass(30 * SECOND)
    expect(await status()).toMatchObject({ status: "error", error: "lost" })
  })
})

test("A poll without an answer is abandoned after 8 s, and later polls are less frequent", async () => {
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

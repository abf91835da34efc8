import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { type CappedAccount, cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** The library counts by the machine's clock. It stands still, 10 seconds after the beginning of a minute. */
const MINUTE = Math.floor(Date.now() / 60_000) * 60_000
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: MINUTE + 10_000 }))
afterEach(() => void vi.useRealTimers())
const pass = async (ms: number) => {
  vi.setSystemTime(Date.now() + ms)
  await world.advance(ms)
}

const NONE = { requests_per_minute: null, input_tokens_per_minute: null, concurrent_turns: null, fail: "open" } as const
type Limits = Partial<Record<"requests_per_minute" | "input_tokens_per_minute" | "concurrent_turns", number>> & {
  fail?: "open" | "closed"
}
const rate = (limits: Limits) => ({ ...NONE, ...limits })

/** An account whose key has this rate. */
const ratedAccount = (limits: Limits | null, more: object = {}) =>
  cappedAccount(world, { ...(limits && { rates: { rate: rate(limits) } }), ...more })

const send = async ({ client, space }: CappedAccount, more: object = {}, key?: string) => {
  const response = await client.sendTurn({ space, text: "hello", ...more }, key)
  await world.settled()
  return {
    status: response.status,
    retryAfter: Number(response.headers.get("retry-after")),
    limits: response.headers.get("ratelimit"),
    policy: response.headers.get("ratelimit-policy"),
    body: (await response.json()) as { turn_id: string; error: { code: string; details: object } },
  }
}

/** Where the owner changes the key that sends. The account has another key, made in the same millisecond. */
async function pathOfKey({ client }: CappedAccount): Promise<string> {
  const { key } = (await client.me()) as unknown as { key: { key_id: string } }
  return `/api/account/keys/${key.key_id}`
}

/** The statements and the commands of Redis that an act sends. */
async function sentBy<T>(act: () => Promise<T>): Promise<{ answer: T; sent: string[] }> {
  await world.settled()
  await world.plan([])
  const answer = await act()
  await world.settled()
  return { answer, sent: (await world.calls()).map(({ service, label }) => `${service} ${label}`) }
}

describe("A key with a rate of requests", () => {
  test("Of 600 requests at once from four isolates, as many are accepted as the window has", async () => {
    const account = await ratedAccount({ requests_per_minute: 40 }, { usd: 1000 })
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => {
        // Other bindings are another isolate, which knows nothing of the first one.
        world.rebind({})
        return Array.from({ length: 150 }, () => send(account))
      }).flat(),
    )
    const [accepted, refused] = [202, 429].map((status) => answers.filter((one) => one.status === status))
    expect([accepted?.length, refused?.length]).toEqual([40, 560])
    for (const { policy } of answers) expect(policy).toBe('"key_requests";q=40;w=60')
    const left = (accepted ?? []).map(({ limits }) => Number(/^"key_requests";r=(\d+);t=50$/.exec(limits ?? "")?.[1]))
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
    for (const { limits, retryAfter, body } of refused ?? []) {
      // The minute ends in 50 seconds, and its counts weigh less from the millisecond after that on.
      expect(retryAfter).toBe(51)
      expect(limits).toBe(`"key_requests";r=0;t=${retryAfter}`)
      expect(body.error).toMatchObject({
        code: "RATE_LIMITED",
        details: { limit: "key_requests", most: 40, window_seconds: 60 },
      })
    }
    await pass(50_000)
    expect((await send(account)).status).toBe(429)
    await pass(1_000)
    expect((await send(account)).status).toBe(202)
    await world.drain()
  })

  test("A client that waits for Retry-After is accepted, at any moment of a minute", async () => {
    const account = await ratedAccount({ requests_per_minute: 7 }, { usd: 1000 })
    for (let nth = 0; nth < 60; nth++) {
      const answer = await send(account)
      if (answer.status === 429) {
        await pass(answer.retryAfter * 1000)
        expect((await send(account)).status, `after ${answer.retryAfter} s`).toBe(202)
      } else expect(answer.status).toBe(202)
      await pass((nth * 1709) % 5003)
    }
    await world.drain()
  })

  test("It costs one pipelined command, and another statement only when an isolate does not know it", async () => {
    const account = await ratedAccount({ requests_per_minute: 100, input_tokens_per_minute: 100_000 })
    const first = await sentBy(() => send(account))
    expect(first.sent.filter((label) => label.includes("accept_turn"))).toHaveLength(2)
    const next = await sentBy(() => send(account))
    expect(next.answer.status).toBe(202)
    expect(next.sent).toEqual(["redis pipeline evalsha eval evalsha eval", expect.stringContaining("accept_turn")])
    await world.drain()
  })
})

describe("Which rate applies", () => {
  test("A raised rate admits after a second, and a lowered or removed one applies to the next turn", async () => {
    const account = await ratedAccount(null)
    const path = await pathOfKey(account)
    const set = async (value: object | null) => {
      const [status, key] = await account.browser.json("PATCH", path, { rate: value })
      expect([status, key.rate]).toEqual([200, value && rate(value)])
    }
    expect((await send(account)).policy).toBe(null)
    await set({ requests_per_minute: 1 })
    expect((await send(account)).limits).toBe('"key_requests";r=0;t=50')
    expect((await send(account)).status).toBe(429)
    await set({ requests_per_minute: 3 })
    await world.advance(1_000)
    expect((await send(account)).limits).toBe('"key_requests";r=1;t=50')
    await set({ requests_per_minute: 2 })
    expect((await send(account)).status).toBe(429)
    await set(null)
    await world.advance(1_000)
    expect(await send(account)).toMatchObject({ status: 202, limits: null, policy: null })
    expect((await sentBy(() => send(account))).sent).toEqual([expect.stringContaining("accept_turn")])
    await world.drain()
  })

  test("An end user's own rate replaces the key's default, and that one the account's", async () => {
    const account = await ratedAccount(null)
    const limits = async (value: object) =>
      expect((await account.browser.json("PUT", "/api/account/limits", value))[0]).toBe(200)
    await limits({ end_user_rate: { requests_per_minute: 3 } })
    expect((await send(account)).policy).toBe('"end_user_requests";q=3;w=60')
    const path = await pathOfKey(account)
    await account.browser.json("PATCH", path, { end_user_rate: { requests_per_minute: 2 } })
    expect((await send(account)).limits).toBe('"end_user_requests";r=0;t=50')
    expect((await send(account)).status).toBe(429)
    expect((await send(account, { end_user_ref: "customer-2" })).status).toBe(202)
    await account.client.putLimits({ rate: { requests_per_minute: 9, fail: "closed" } })
    await world.advance(1_000)
    expect((await send(account)).limits).toBe('"end_user_requests";r=6;t=50')
    expect(await account.client.endUser()).toMatchObject({
      limits: { rate: rate({ requests_per_minute: 9, fail: "closed" }) },
      rates: [{ limit: "end_user_requests", most: 9, used: 3, window_seconds: 60 }],
    })
    const chat = await account.browser.call("POST", "/api/account/chat/turns", { space: account.space, text: "hello" })
    expect([chat.status, chat.headers.get("ratelimit")]).toEqual([202, null])
    await world.drain()
  })

  test("A rate without any limit is stored as null, and one outside its bounds is rejected", async () => {
    const { browser } = await ratedAccount(null)
    const create = (value: object) => browser.json("POST", "/api/account/keys", { name: "Server", rate: value })
    expect((await create({}))[1].rate).toBe(null)
    for (const wrong of [{ requests_per_minute: 0 }, { concurrent_turns: 1.5 }, { fail: "never" }, { tokens: 1 }])
      expect((await create(wrong))[0]).toBe(422)
  })
})

describe("What counts", () => {
  test("A repeat gets its turn and does not count, nor does a turn that is refused for another reason", async () => {
    const account = await ratedAccount({ requests_per_minute: 2 })
    const first = await send(account, {}, "first")
    expect((await send(account, {}, "first")).body.turn_id).toBe(first.body.turn_id)
    expect((await send(account, { max_cost_usd: NEEDED_USD / 2 })).status).toBe(422)
    expect((await send(account, { space: "spc_0000000000" })).status).toBe(404)
    expect((await send(account)).limits).toBe('"key_requests";r=0;t=50')
    expect((await send(account)).status).toBe(429)
    expect((await send(account, {}, "first")).body.turn_id).toBe(first.body.turn_id)
    expect((await account.client.me()) as unknown).toMatchObject({
      key: { rate: rate({ requests_per_minute: 2 }) },
      rates: [{ limit: "key_requests", most: 2, used: 2, window_seconds: 60 }],
    })
    await world.drain()
  })

  test("Tokens count by an estimate until the turn ends, and then by the tokens that it had", async () => {
    const account = await ratedAccount({ input_tokens_per_minute: 5_000 })
    const used = async () => ((await account.client.me()) as unknown as { rates: { used: number }[] }).rates[0]?.used
    await send(account, { text: "[use input=3000 output=5]" })
    expect(await used()).toBeLessThan(200)
    await world.drain()
    await world.settled()
    expect(await used()).toBe(3_000)
    const long = `[use input=10 output=5] ${"word ".repeat(1_000)}`
    const { body } = await send(account, { text: long })
    expect(await used()).toBeGreaterThan(8_000)
    const refused = await send(account)
    expect(refused.body.error).toMatchObject({ code: "RATE_LIMITED", details: { limit: "key_input_tokens" } })
    await world.drain()
    await world.settled()
    const { usage } = await account.client.getTurn(body.turn_id)
    expect(await used()).toBe(3_000 + usage.tokens_input)
    expect((await send(account)).policy).toBe('"key_input_tokens";q=5000;qu="input-tokens";w=60')
    await world.drain()
  })

  test("As many turns as allowed are open at the same time, however many are sent at once", async () => {
    const account = await ratedAccount({ concurrent_turns: 3 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(account, { end_user_ref: `customer-${n}` })),
    )
    const [accepted = [], refused = []] = [202, 429].map((status) => answers.filter((one) => one.status === status))
    expect([accepted.length, refused.length]).toEqual([3, 17])
    expect(accepted.map(({ limits }) => limits).sort()).toEqual([0, 1, 2].map((left) => `"key_turns";r=${left}`))
    for (const { policy, retryAfter, body } of refused) {
      expect(policy).toBe('"key_turns";q=3;qu="concurrent-requests"')
      expect([retryAfter, body.error.code]).toEqual([5, "RATE_LIMITED"])
    }
    await world.drain()
    expect((await send(account)).status).toBe(202)
    expect(((await account.client.me()) as unknown as { rates: object[] }).rates).toEqual([
      { limit: "key_turns", most: 3, used: 1, window_seconds: null },
    ])
    await world.drain()
  })
})

describe("Without Redis", () => {
  test.each([
    ["open", 202],
    ["closed", 503],
  ] as const)("A rate that fails %s answers %i", async (fail, status) => {
    const account = await ratedAccount({ requests_per_minute: 1, fail })
    expect((await send(account)).status).toBe(202)
    await world.plan([{ service: "redis", call: 1, times: 100, when: "before", action: "fail" }])
    const answer = await send(account)
    expect([answer.status, answer.policy, answer.limits]).toEqual([status, '"key_requests";q=1;w=60', null])
    await world.clearFaults()
    await pass(1_000)
    expect((await send(account)).status).toBe(429)
    await world.drain()
  })
})

test.each([
  ["/v1/turns?wait=1", {}],
  ["/v1/turns", { accept: "text/event-stream" }],
  ["/v1/openai/responses", {}],
  ["/v1/openai/chat/completions", {}],
  ["/v1/anthropic/v1/messages", {}],
])("A request to %s counts, and its answer has the headers", async (path, headers) => {
  const account = await ratedAccount({ requests_per_minute: 2 })
  const turn = { space: account.space, text: "hello", end_user_ref: "customer-1" }
  const openai = { model: account.space, user: "customer-1" }
  const messages = [{ role: "user", content: "hello" }]
  const bodies: Record<string, object> = {
    "/v1/openai/responses": { ...openai, input: "hello" },
    "/v1/openai/chat/completions": { ...openai, messages },
    "/v1/anthropic/v1/messages": { model: account.space, max_tokens: 100, messages },
  }
  const ask = async () => {
    const more = { ...headers, "idempotency-key": crypto.randomUUID() }
    const response = await account.client.call("POST", path, bodies[path] ?? turn, more)
    await world.untilAnswered(response.text())
    return [response.status < 300, response.headers.get("ratelimit")]
  }
  expect(await ask()).toEqual([true, '"key_requests";r=1;t=50'])
  expect(await ask()).toEqual([true, '"key_requests";r=0;t=50'])
  expect(await ask()).toEqual([false, '"key_requests";r=0;t=51'])
})

test("Answers to reads show the rest of the key's rate, and cost a key without one nothing", async () => {
  const read = ({ client }: CappedAccount) =>
    sentBy(async () => {
      const response = await client.call("GET", "/v1/turns")
      return [response.headers.get("ratelimit-policy"), response.headers.get("ratelimit")]
    })
  const account = await ratedAccount({ requests_per_minute: 2 })
  expect((await send(account)).status).toBe(202)
  const { answer, sent } = await read(account)
  expect(answer).toEqual(['"key_requests";q=2;w=60', '"key_requests";r=1;t=50'])
  expect(sent.filter((one) => one.startsWith("redis"))).toHaveLength(1)
  const plain = await ratedAccount(null)
  expect((await send(plain)).status).toBe(202)
  const without = await read(plain)
  expect(without.answer).toEqual([null, null])
  expect(without.sent.filter((one) => one.startsWith("redis"))).toEqual([])
})

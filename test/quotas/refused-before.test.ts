import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { REFUSAL_POLICY } from "../../src/platform/refusal-memory.ts"
import { signInAdmin } from "../harness/books.ts"
import { type CappedAccount, cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { BARE } from "../harness/customer.ts"
import { redisOf } from "../harness/redis.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** The statements and the commands of Redis that an act sends, in their order. */
async function sentBy<T>(act: () => Promise<T>): Promise<{ answer: T; sent: string[] }> {
  await world.settled()
  await world.plan([])
  const answer = await act()
  await world.settled()
  return { answer, sent: (await world.calls()).map(({ service, label }) => `${service} ${label}`) }
}

const isAccept = (label: string) => /accept_turn|start_turn/.test(label)

/** Sends a turn and waits for its background work. */
async function send({ client, space }: Pick<CappedAccount, "client" | "space">, more: object = {}) {
  const answer = await client.send({ space, text: "hello", ...more })
  await world.settled()
  return answer
}

/** Refuses turns until Redis has the refusal, and shows that no statement that accepts turns is sent any more. */
async function untilRemembered(account: CappedAccount, more: object = {}): Promise<number> {
  const [first, second] = [await send(account, more), await send(account, more)]
  expect([first.status, second.status], JSON.stringify(first.body)).toEqual([first.status, first.status])
  const { answer, sent } = await sentBy(() => send(account, more))
  expect(answer.status).toBe(first.status)
  expect(sent.filter(isAccept), sent.join()).toEqual([])
  return first.status
}

const ONE_TURN = { caps: { daily_usd: 1.5 * NEEDED_USD } }

/** The next turn costs something, and the turn of this text nearly as much as it holds. */
const COSTS = "[use input=80 output=16]"

describe("The third equal request of a refused caller", () => {
  test.each([
    ["a key's daily cap", { usd: 10, caps: { daily_usd: NEEDED_USD / 2 } }, 429],
    ["the balance", { usd: NEEDED_USD / 2 }, 402],
  ])(
    "It is refused by %s without a statement that accepts turns, with the same answer",
    async (_name, more, status) => {
      const account = await cappedAccount(world, more)
      const first = await send(account)
      expect(first.status).toBe(status)
      await untilRemembered(account)
      const { answer, sent } = await sentBy(() => send(account))
      expect(answer).toEqual({ ...first, body: { error: { ...first.body.error, request_id: expect.any(String) } } })
      expect(sent).toEqual([expect.stringContaining("redis"), expect.stringContaining("known_keys")])
      for (const query of ["?wait=1", ""]) {
        const headers = query ? {} : { accept: "text/event-stream" }
        const body = { space: account.space, text: "hello", end_user_ref: "customer-1" }
        const kept = await sentBy(() =>
          account.client.call("POST", `/v1/turns${query}`, body, {
            ...headers,
            "idempotency-key": crypto.randomUUID(),
          }),
        )
        expect(kept.answer.status).toBe(status)
        // The callbacks worker has seen no refusal yet, so its first ones ask PostgreSQL.
        expect(kept.sent.filter(isAccept).length, kept.sent.join()).toBeLessThanOrEqual(1)
      }
    },
  )

  test("A cap's Retry-After counts down, and the turn is accepted when the cap resets", async () => {
    const account = await cappedAccount(world, { caps: { window_usd: 1.2 * NEEDED_USD, window_seconds: 60 } })
    expect((await send(account, { text: COSTS, max_cost_usd: 1.2 * NEEDED_USD })).status).toBe(202)
    await world.drain()
    await world.advance(57_000)
    expect(await untilRemembered(account)).toBe(429)
    await world.advance(1_000)
    const { answer, sent } = await sentBy(() => send(account))
    expect(sent.filter(isAccept)).toEqual([])
    const { retryAfter } = answer
    expect(retryAfter).toBe(2)
    await world.advance((retryAfter ?? 0) * 1000)
    expect((await send(account)).status).toBe(202)
    await world.drain()
  })

  test("PostgreSQL decides again when the refusal is 5 seconds old, or Redis has lost it", async () => {
    const account = await cappedAccount(world, { usd: NEEDED_USD / 2 })
    await untilRemembered(account)
    await world.advance(REFUSAL_POLICY.keptMs)
    expect((await sentBy(() => send(account))).sent.filter(isAccept)).toHaveLength(1)
    expect((await sentBy(() => send(account))).sent.filter(isAccept)).toEqual([])
    await redisOf(world).flush()
    expect((await sentBy(() => send(account))).sent.filter(isAccept)).toHaveLength(1)
  })

  test.each(["cut", "fail", "hold"] as const)("PostgreSQL decides if Redis does not answer (%s)", async (action) => {
    const account = await cappedAccount(world, { usd: NEEDED_USD / 2 })
    await untilRemembered(account)
    await world.plan([{ service: "redis", call: 1, times: 100, when: "before", action }])
    expect((await send(account)).status).toBe(402)
    expect((await world.calls()).filter(({ label }) => isAccept(label))).toHaveLength(1)
    await world.clearFaults()
    await world.advance(REFUSAL_POLICY.restMs)
  })
})

describe("A remembered refusal", () => {
  test("It does not refuse a repeat of an accepted turn, also with many others at once", async () => {
    const account = await cappedAccount(world, ONE_TURN)
    const body = { space: account.space, text: COSTS, end_user_ref: "customer-1" }
    const made = await account.client.sendTurn(body, "first")
    expect(made.status).toBe(202)
    await world.drain()
    await untilRemembered(account, { text: COSTS })
    const keys = Array.from({ length: 30 }, (_, n) => (n === 17 ? "first" : `other-${n}`))
    const { answer, sent } = await sentBy(() => Promise.all(keys.map((key) => account.client.sendTurn(body, key))))
    expect(answer.map(({ status }) => status)).toEqual(keys.map((key) => (key === "first" ? 202 : 429)))
    const [repeated] = answer.slice(17)
    expect(repeated?.headers.get("idempotent-replayed")).toBe("true")
    expect(sent.filter(isAccept)).toHaveLength(1)
    expect(sent.filter((label) => label.includes("known_keys")).length).toBeLessThan(10)
  })

  test("It does not refuse another space, another model limit, a shorter text or another end user", async () => {
    const account = await cappedAccount(world)
    await account.client.putLimits({ daily_usd: NEEDED_USD / 2, monthly_usd: null })
    expect(await untilRemembered(account)).toBe(429)
    const asks = async (more: object) => (await sentBy(() => send(account, more))).sent.filter(isAccept).length
    expect(await asks({ text: "hell" })).toBe(1)
    expect(await asks({ max_output_tokens: 20 })).toBe(1)
    expect((await sentBy(() => send(account, { end_user_ref: "customer-2" }))).answer.status).toBe(202)
    expect(await asks({})).toBe(0)
  })

  test("Long messages that were refused do not refuse a short text", async () => {
    const account = await cappedAccount(world, { caps: { daily_usd: NEEDED_USD / 2 } })
    const messages = [{ role: "user", content: "Hello. ".repeat(300) }]
    await untilRemembered(account, { text: undefined, messages })
    expect((await sentBy(() => send(account))).sent.filter(isAccept)).toHaveLength(1)
  })

  test("It does not refuse a turn whose variables have shorter values", async () => {
    const account = await cappedAccount(world, { caps: { daily_usd: 0.0012 } })
    const manifest = { instructions: "Know {{metadata.a}} and {{metadata.b}}.", ...BARE.manifest }
    expect((await account.client.call("PUT", `/v1/spaces/${account.space}/manifest`, manifest)).status).toBe(200)
    const [a, b] = ["x".repeat(500), "y".repeat(500)]
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await send(account, { metadata: { a, b } })).status)
    expect(statuses).toEqual([429, 429, 429])
    expect((await send(account, { metadata: { a: "x", b: "y" } })).status).toBe(202)
    await world.drain()
  })

  test("A turn that was accepted sends one statement and no command, unless an equal one was refused lately", async () => {
    const account = await cappedAccount(world, { usd: 1000 })
    expect((await sentBy(() => send(account))).sent).toHaveLength(2)
    const { answer, sent } = await sentBy(() => send(account, { end_user_ref: "customer-2" }))
    expect(answer.status).toBe(202)
    expect(sent.filter((label) => label.startsWith("redis"))).toEqual([])
    expect(sent.filter(isAccept)).toHaveLength(1)
    await world.drain()
  })
})

/** A caller that is refused, and an act that lets it continue. */
interface Freeing {
  refused(): Promise<{ account: CappedAccount; more?: object; free(): Promise<unknown> }>
  /** The act does not let the turn pass, but the answer is another one. */
  answers?: number
}

const admin = () => signInAdmin(world)

async function withOpenTurn(caps = true) {
  const account = await cappedAccount(world, caps ? { caps: { daily_usd: 0.01 } } : { usd: 0.01 })
  const { body } = await send(account, { end_user_ref: "customer-2", text: COSTS })
  return { account, turnId: body.turn_id as string }
}

const FREEING: Record<string, Freeing["refused"]> = {
  "a credit of the account": async () => {
    const account = await cappedAccount(world, { usd: NEEDED_USD / 2 })
    const by = await admin()
    const credit = { reason: "admin_grant", amount_usd: 1, note: "More." }
    const free = () =>
      by.json("POST", `/api/admin/users/${account.userId}/credits`, credit, { "idempotency-key": crypto.randomUUID() })
    return { account, free }
  },
  "the end of a turn under a key's cap": async () => {
    const { account } = await withOpenTurn()
    return { account, free: () => world.drain() }
  },
  "the end of a turn of a small balance": async () => {
    const { account } = await withOpenTurn(false)
    return { account, free: () => world.drain() }
  },
  "the cancel of a queued turn": async () => {
    const { account, turnId } = await withOpenTurn()
    return { account, free: () => account.client.call("POST", `/v1/turns/${turnId}/cancel`) }
  },
  "a raised limit of an end user": async () => {
    const account = await cappedAccount(world)
    await account.client.putLimits({ daily_usd: NEEDED_USD / 2, monthly_usd: null })
    return { account, free: () => account.client.putLimits({ daily_usd: 1, monthly_usd: null }) }
  },
  "the unblocking of an end user": async () => {
    const account = await cappedAccount(world)
    await account.client.putLimits({ daily_usd: null, monthly_usd: null, blocked: true })
    return { account, free: () => account.client.putLimits({ daily_usd: null, monthly_usd: null, blocked: false }) }
  },
  "a raised default of end users": async () => {
    const account = await cappedAccount(world)
    const put = (usd: number) => account.browser.json("PUT", "/api/account/limits", { end_user_daily_usd: usd })
    await put(NEEDED_USD / 2)
    return { account, free: () => put(1) }
  },
  "a raised cap of a key": async () => {
    const account = await cappedAccount(world, { caps: { daily_usd: NEEDED_USD / 2 } })
    const [one] = await world.sql<{ key_id: string }>(
      "select key_id from api_keys where daily_credit_micros is not null and user_id = $1",
      [account.userId],
    )
    const free = () => account.browser.json("PATCH", `/api/account/keys/${one?.key_id}`, { caps: { daily_usd: 1 } })
    return { account, free }
  },
  "a credit of an end user": async () => {
    const account = await cappedAccount(world)
    const of = "/v1/end-users/customer-1"
    await account.client.call("PUT", `${of}/billing`, { prepaid: true })
    const free = () =>
      account.client.call("POST", `${of}/credits`, { amount_usd: 1 }, { "idempotency-key": crypto.randomUUID() })
    return { account, free }
  },
  "the end of prepayment of an end user": async () => {
    const account = await cappedAccount(world)
    const bill = (prepaid: boolean) => account.client.call("PUT", "/v1/end-users/customer-1/billing", { prepaid })
    await bill(true)
    return { account, free: () => bill(false) }
  },
  "a configuration that needs less": async () => {
    const account = await cappedAccount(world, { caps: { daily_usd: 3 * NEEDED_USD } })
    const put = (instructions: string) =>
      account.client.call("PUT", `/v1/spaces/${account.space}/manifest`, { instructions, ...BARE.manifest })
    await put("Be brief. ".repeat(200))
    return { account, free: () => put("Be brief.") }
  },
}

describe.each(Object.entries(FREEING))("After %s", (_name, refused) => {
  test("The caller is accepted at once", async () => {
    const { account, free } = await refused()
    expect(await untilRemembered(account)).toBeGreaterThanOrEqual(400)
    await free()
    await world.settled()
    const answer = await send(account)
    expect(answer.status, JSON.stringify(answer.body)).toBe(202)
    await world.drain()
  })
})

test("A revoked key is told so at once", async () => {
  const account = await cappedAccount(world, { caps: { daily_usd: NEEDED_USD / 2 } })
  await untilRemembered(account)
  await world.sql("update api_keys set revoked_at = created_at where user_id = $1", [account.userId])
  expect((await send(account)).status).toBe(401)
})

test("A refund lets the account continue at once", async () => {
  const account = await cappedAccount(world, { usd: 1.5 * NEEDED_USD })
  const { body } = await send(account, { text: COSTS })
  await world.drain()
  expect(await untilRemembered(account)).toBe(402)
  await (await admin()).json("POST", `/api/admin/turns/${body.turn_id}/refund`, { note: "Sorry." })
  expect((await send(account)).status).toBe(202)
  await world.drain()
})

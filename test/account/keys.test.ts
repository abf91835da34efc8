import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const [KEYS, NO_RATES] = ["/api/account/keys", { rate: null, end_user_rate: null }] as const
const NO_CAPS = {
  daily_usd: null,
  monthly_usd: null,
  end_user_daily_usd: null,
  end_user_monthly_usd: null,
  window_usd: null,
  window_seconds: null,
}

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function arrange(options: { usd?: number } = {}) {
  const client = await world.createAccount(options)
  const browser = await world.signIn(client.userId)
  const create = async (body: object = {}) => {
    const [status, key] = await browser.json("POST", KEYS, { name: "Server", ...body })
    expect(status, JSON.stringify(key)).toBe(201)
    return { ...key, client: world.createClient(client.userId, key.value) }
  }
  return { client, browser, create }
}

const refusal = async (client: TestClient) => {
  const response = await client.call("GET", "/v1/me")
  return response.status === 200 ? null : ((await response.json()) as { error: { code: string } }).error.code
}

describe("Creating a key", () => {
  test("A new key's value is shown once, and it works", async () => {
    const { browser, create } = await arrange()
    const { client, value, ...key } = await create({ name: " Production " })
    expect(value).toMatch(/^turnpike_live_[0-9A-Za-z]{38}$/)
    expect(key).toEqual({
      key_id: expect.stringMatching(/^key_/),
      name: "Production",
      scope: "created",
      space: null,
      ...{ test: false, role: "owner" },
      hint: `${value.slice(0, 18)}…${value.slice(-4)}`,
      caps: NO_CAPS,
      default_end_user_ref: null,
      ...NO_RATES,
      created_at: world.clock.now().toISOString(),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      previous_expires_at: null,
    })
    expect(await refusal(client)).toBeNull()
    for (const path of [KEYS, `${KEYS}/${key.key_id}`]) {
      const text = await (await browser.call("GET", path)).text()
      expect(text).toContain(key.key_id)
      expect(text).not.toContain(value)
      expect(text).not.toMatch(/hash/)
    }
    const [, read] = await browser.json("GET", `${KEYS}/${key.key_id}`)
    expect(read).toEqual({ ...key, last_used_at: world.clock.now().toISOString(), cap_states: [], rate_states: [] })
  })

  test("A new key has exactly the requested scope", async () => {
    const { client, browser, create } = await arrange()
    const [one, other] = [await client.space(), await client.space()]
    const reach = async (key: { client: TestClient }) =>
      Promise.all([one, other].map(async (space) => (await key.client.call("GET", `/v1/spaces/${space}`)).status))
    expect(await reach(await create({ scope: "all" }))).toEqual([200, 200])
    expect(await reach(await create({ scope: "created" }))).toEqual([404, 404])
    const bound = await create({ scope: "space", space: one })
    expect(bound.space).toBe(one)
    expect(await reach(bound)).toEqual([200, 404])
    const tester = await create({ test: true, scope: "all" })
    expect(tester.value).toMatch(/^turnpike_test_/)
    expect(await reach(tester)).toEqual([404, 404])
    const foreign = await (await world.createAccount()).space()
    for (const body of [{ space: foreign }, { space: "spc_none" }, { space: one, test: true }]) {
      const [status, error] = await browser.json("POST", KEYS, { name: "x", scope: "space", ...body })
      expect([status, error.code]).toEqual([404, "NOT_FOUND"])
    }
    for (const body of [{ scope: "space" }, { space: one }, { scope: "all", space: one }]) {
      expect((await browser.json("POST", KEYS, { name: "x", ...body }))[0]).toBe(422)
    }
    const [, { total }] = await browser.json("GET", KEYS)
    expect(total, "no key was made for a refused request").toBe(5)
  })

  test("A key expires at its exact time and not before", async () => {
    const { browser, create } = await arrange()
    const at = world.clock.ms() + 60_000
    const key = await create({ expires_at: new Date(at).toISOString().replace("Z", "+00:00") })
    await world.advance(59_999)
    expect(await refusal(key.client)).toBeNull()
    await world.advance(1)
    expect(await refusal(key.client)).toBe("API_KEY_EXPIRED")
    const later = new Date(at + 60_000).toISOString()
    const [status, changed] = await browser.json("PATCH", `${KEYS}/${key.key_id}`, { expires_at: later })
    expect([status, changed.expires_at]).toEqual([200, later])
    expect(await refusal(key.client)).toBeNull()
    const past = new Date(at).toISOString()
    expect((await browser.json("PATCH", `${KEYS}/${key.key_id}`, { expires_at: past }))[0]).toBe(422)
  })
})

describe("Changing a key", () => {
  test("A key's name and caps can be changed one at a time", async () => {
    const { browser, create } = await arrange()
    const { key_id } = await create({ caps: { daily_usd: 20, window_usd: 0.5, window_seconds: 3600 } })
    const patch = async (body: object) => (await browser.json("PATCH", `${KEYS}/${key_id}`, body))[1]
    const caps = { ...NO_CAPS, daily_usd: 20, window_usd: 0.5, window_seconds: 3600 }
    expect(await patch({})).toMatchObject({ name: "Server", caps })
    expect(await patch({ name: "Other" })).toMatchObject({ name: "Other", caps })
    expect(await patch({ caps: { daily_usd: null, end_user_daily_usd: 0.0000001 } })).toMatchObject({
      name: "Other",
      caps: { ...caps, daily_usd: null, end_user_daily_usd: 0.0000001 },
    })
    expect(await patch({ caps: { end_user_monthly_usd: 3, window_usd: null, window_seconds: null } })).toMatchObject({
      caps: { ...NO_CAPS, end_user_daily_usd: 0.0000001, end_user_monthly_usd: 3 },
    })
    const [stored] = await world.sql(
      "select end_user_daily_credit_micros::int as daily, end_user_monthly_credit_micros::int as monthly from api_keys where key_id = $1",
      [key_id],
    )
    expect(stored).toEqual({ daily: 1, monthly: 30_000_000 })
    for (const caps of [
      { daily_usd: -1 },
      { daily_usd: 1e-8 },
      { window_usd: 1 },
      { window_seconds: 60 },
      { window_usd: 1, window_seconds: null },
      { window_usd: 1, window_seconds: 59 },
    ]) {
      expect((await browser.json("PATCH", `${KEYS}/${key_id}`, { caps }))[0], JSON.stringify(caps)).toBe(422)
    }
  })

  test("Two concurrent changes are both kept, and the earlier value of two rotations becomes the former value", async () => {
    const { client, browser, create } = await arrange()
    for (let round = 0; round < 10; round++) {
      const { key_id } = await create({ caps: { daily_usd: 20 } })
      const patch = (body: object) => browser.json("PATCH", `${KEYS}/${key_id}`, body)
      await Promise.all([
        patch({ name: "Other" }),
        patch({ caps: { daily_usd: 5 } }),
        patch({ caps: { end_user_daily_usd: 1 } }),
      ])
      const [, changed] = await browser.json("GET", `${KEYS}/${key_id}`)
      expect(changed).toMatchObject({ name: "Other", caps: { ...NO_CAPS, daily_usd: 5, end_user_daily_usd: 1 } })

      const rotated = await Promise.all([0, 1].map(() => browser.json("POST", `${KEYS}/${key_id}/rotate`, {})))
      const refusals = await Promise.all(
        rotated.map(([, { value }]) => refusal(world.createClient(client.userId, value))),
      )
      expect(refusals).toEqual([null, null])
    }
  })

  test("A rotated key's former value works until its overlap ends, to the millisecond, and the key's id stays the same", async () => {
    const { client, browser, create } = await arrange()
    const space = await client.space()
    const key = await create({ scope: "space", space, caps: { daily_usd: 5 } })
    const rotate = async (body: object = {}) => {
      const [status, rotated] = await browser.json("POST", `${KEYS}/${key.key_id}/rotate`, body)
      expect(status).toBe(200)
      return { ...rotated, client: world.createClient(client.userId, rotated.value) }
    }
    const second = await rotate({ overlap_seconds: 60 })
    expect(second).toMatchObject({ key_id: key.key_id, scope: "space", space, caps: key.caps, name: key.name })
    expect(second.previous_expires_at).toBe(new Date(world.clock.ms() + 60_000).toISOString())
    expect(second.value).not.toBe(key.value)
    expect(second.hint).not.toBe(key.hint)
    await world.advance(59_999)
    expect([await refusal(key.client), await refusal(second.client)]).toEqual([null, null])
    const sent = await key.client.runTurn({ space })
    expect((await second.client.getTurn(sent.turn_id)).state).toBe("done")
    await world.advance(1)
    expect([await refusal(key.client), await refusal(second.client)]).toEqual(["API_KEY_EXPIRED", null])

    const third = await rotate()
    expect(third.previous_expires_at).toBe(new Date(world.clock.ms() + 86_400_000).toISOString())
    expect([await refusal(key.client), await refusal(second.client), await refusal(third.client)]).toEqual([
      "INVALID_API_KEY",
      null,
      null,
    ])
    const fourth = await rotate({ overlap_seconds: 0 })
    expect(fourth.previous_expires_at).toBeNull()
    expect([await refusal(second.client), await refusal(third.client), await refusal(fourth.client)]).toEqual([
      "INVALID_API_KEY",
      "INVALID_API_KEY",
      null,
    ])
    for (const overlap_seconds of [-1, 604_801, 1.5, "60"]) {
      expect((await browser.json("POST", `${KEYS}/${key.key_id}/rotate`, { overlap_seconds }))[0]).toBe(422)
    }
  })

  test("A second rotation within the overlap ends no former value early; a revocation ends them all", async () => {
    const { client, browser, create } = await arrange()
    const key = await create()
    const rotate = async (overlap_seconds: number) => {
      const [, { value, previous_expires_at }] = await browser.json("POST", `${KEYS}/${key.key_id}/rotate`, {
        overlap_seconds,
      })
      return { previous_expires_at, client: world.createClient(client.userId, value) }
    }
    const second = await rotate(120)
    const third = await rotate(60)
    expect(third.previous_expires_at, "the end of the last former value").toBe(second.previous_expires_at)
    const refusals = () => Promise.all([key, second, third].map(({ client }) => refusal(client)))
    expect(await refusals()).toEqual([null, null, null])
    await world.advance(60_000)
    expect(await refusals()).toEqual([null, "API_KEY_EXPIRED", null])
    await world.advance(60_000)
    expect(await refusals()).toEqual(["API_KEY_EXPIRED", "API_KEY_EXPIRED", null])

    const fourth = await rotate(60)
    const fifth = await rotate(60)
    expect((await browser.json("POST", `${KEYS}/${key.key_id}/revoke`))[0]).toBe(200)
    for (const { client } of [third, fourth, fifth]) expect(await refusal(client)).toBe("INVALID_API_KEY")
  })

  test("An eleventh former value is refused and ends none; a rotation without overlap ends them all", async () => {
    const { client, browser, create } = await arrange()
    const key = await create()
    const values: string[] = [key.value]
    const rotate = async (body: object) => {
      const [status, answer] = await browser.json("POST", `${KEYS}/${key.key_id}/rotate`, body)
      if (status === 200) values.push(answer.value)
      return status === 200 ? status : answer
    }
    for (let rotation = 1; rotation <= 10; rotation++) expect(await rotate({})).toBe(200)
    expect(await rotate({})).toMatchObject({ code: "LIMIT_REACHED", param: "overlap_seconds" })
    const refusals = () => Promise.all(values.map((value) => refusal(world.createClient(client.userId, value))))
    expect(await refusals()).toEqual(Array(11).fill(null))
    expect(await rotate({ overlap_seconds: 0 })).toBe(200)
    expect(await refusals()).toEqual([...Array(11).fill("INVALID_API_KEY"), null])
  })

  test("An expiry and a revocation also end the former value, and a test key stays a test key", async () => {
    const { client, browser, create } = await arrange()
    const key = await create({ test: true, expires_at: new Date(world.clock.ms() + 1_000).toISOString() })
    const [, rotated] = await browser.json("POST", `${KEYS}/${key.key_id}/rotate`, {})
    expect(rotated.value).toMatch(/^turnpike_test_/)
    const newer = world.createClient(client.userId, rotated.value)
    await world.advance(1_000)
    expect([await refusal(key.client), await refusal(newer)]).toEqual(["API_KEY_EXPIRED", "API_KEY_EXPIRED"])
    await browser.json("PATCH", `${KEYS}/${key.key_id}`, { expires_at: null })
    expect([await refusal(key.client), await refusal(newer)]).toEqual([null, null])
    expect((await browser.json("POST", `${KEYS}/${key.key_id}/revoke`))[0]).toBe(200)
    expect([await refusal(key.client), await refusal(newer)]).toEqual(["INVALID_API_KEY", "INVALID_API_KEY"])
  })
})

describe("A list of keys", () => {
  test("A list of keys has pages, newest first, with the total, and can be limited to one kind", async () => {
    const { browser, create } = await arrange()
    const made: string[] = []
    for (const test of [false, true, false, true]) {
      await world.advance(1)
      made.unshift((await create({ test })).key_id)
    }
    const list = async (query: string) => (await browser.json("GET", KEYS + query))[1]
    const ids = ({ items }: { items: { key_id: string }[] }) => items.map(({ key_id }) => key_id)
    const page = await list("?limit=2&offset=1")
    expect(page).toMatchObject({ total: 5, limit: 2, offset: 1 })
    expect(ids(page)).toEqual(made.slice(1, 3))
    expect(await list("?offset=9")).toEqual({ items: [], total: 5, limit: 50, offset: 9 })
    expect(ids(await list("?test=true"))).toEqual([made[0], made[2]])
    expect((await list("?test=false")).total).toBe(3)
  })

  test("A key's list entry and all operations on it are inaccessible to another owner", async () => {
    const { create } = await arrange()
    const key = await create()
    const before = await world.sql("select * from api_keys where key_id = $1", [key.key_id])
    const { browser: other } = await arrange()
    const path = `${KEYS}/${key.key_id}`
    for (const [method, at, body] of [
      ["GET", path],
      ["PATCH", path, { name: "mine" }],
      ["POST", `${path}/rotate`, {}],
      ["POST", `${path}/revoke`],
    ] as const) {
      const [status, theirs] = await other.json(method, at, body)
      const absent = await other.json(method, at.replace(key.key_id, "key_none"), body)
      expect([status, theirs.code]).toEqual([404, "NOT_FOUND"])
      expect(absent).toEqual([404, { ...theirs, detail: theirs.detail.replace(key.key_id, "key_none") }])
    }
    expect((await other.json("GET", KEYS))[1].items.map((item: { key_id: string }) => item.key_id)).not.toContain(
      key.key_id,
    )
    expect(await world.sql("select * from api_keys where key_id = $1", [key.key_id])).toEqual(before)
  })
})

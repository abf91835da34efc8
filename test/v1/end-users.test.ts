import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { isThorough } from "../harness/crash.ts"
import { HOSTILE_REFS } from "../harness/month.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface EndUser {
  end_user_ref: string
  first_turn_at: string | null
  last_turn_at: string | null
  turns: number
  billed_usd: number
  billed_this_month_usd: number
  billed_today_usd: number
  refunded_usd: number
  limits: { daily_usd: number | null; monthly_usd: number | null; blocked: boolean; rate: null }
  caps: object[]
  rates: object[]
}

const NO_LIMITS = { daily_usd: null, monthly_usd: null, blocked: false, rate: null }
const at = (ref: string, rest = "") => `/v1/end-users/${encodeURIComponent(ref)}${rest}`

/** An account with a key for all its spaces, and a key for the spaces that this key makes. */
async function account() {
  const created = await world.createAccount({ usd: 100 })
  const all = world.createClient(created.userId, (await world.makeKey(created.userId, { scope: "all" })).value)
  return { created, all }
}

async function errorOf(response: Promise<Response>): Promise<[number, string]> {
  const [status, body] = await readJson(response)
  return [status, (body.error as { code: string }).code]
}

async function pages(client: TestClient, query: string): Promise<EndUser[]> {
  const seen: EndUser[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const [status, page] = await readJson(client.call("GET", `/v1/end-users?${query}${cursor && `&cursor=${cursor}`}`))
    expect(status, JSON.stringify(page)).toBe(200)
    seen.push(...(page.data as EndUser[]))
    cursor = page.next_cursor as string | null
  }
  return seen
}

describe("Limits of end users", () => {
  test("Limits can be set, read and replaced for refs of every kind, with or without turns", async () => {
    const { all } = await account()
    for (const ref of HOSTILE_REFS) {
      expect(await errorOf(all.call("GET", at(ref)))).toEqual([404, "NOT_FOUND"])
      const limits = { daily_usd: 0.1234567, monthly_usd: 20, blocked: false, rate: null }
      const [status, saved] = await readJson(all.call("PUT", at(ref, "/limits"), limits))
      expect([status, saved], ref).toEqual([200, expect.objectContaining({ end_user_ref: ref, turns: 0, limits })])
      expect(await readJson(all.call("GET", at(ref)))).toEqual([200, saved])
    }
    const [ref = ""] = HOSTILE_REFS
    const [, replaced] = await readJson(all.call("PUT", at(ref, "/limits"), { monthly_usd: 0 }))
    expect(replaced.limits).toEqual({ daily_usd: null, monthly_usd: 0, blocked: false, rate: null })
    const [, cleared] = await readJson(
      all.call("PUT", at(ref, "/limits"), { daily_usd: null, monthly_usd: null, blocked: null }),
    )
    expect(cleared.limits).toEqual(NO_LIMITS)
    expect((await pages(all, "limit=5")).map(({ end_user_ref }) => end_user_ref).sort()).toEqual(
      [...HOSTILE_REFS].sort(),
    )
  })

  test("Limits belong to the account: narrower keys can read but not set them, and test data has separate limits", async () => {
    const { all, created } = await account()
    const space = await created.space()
    await created.runTurn({ space, end_user_ref: "a" })
    await all.call("PUT", at("a", "/limits"), { daily_usd: 1 })
    await all.call("PUT", at("unseen", "/limits"), { daily_usd: 1 })
    expect(await errorOf(created.call("PUT", at("a", "/limits"), { daily_usd: 2 }))).toEqual([403, "SCOPE_DENIED"])
    expect((await readJson(created.call("GET", at("a"))))[1]).toMatchObject({ limits: { daily_usd: 1 } })
    expect(await errorOf(created.call("GET", at("unseen")))).toEqual([404, "NOT_FOUND"])
    expect((await pages(created, "limit=5")).map(({ end_user_ref }) => end_user_ref)).toEqual(["a"])
    const testKey = await world.makeKey(created.userId, { scope: "all", test: true })
    const inTestMode = world.createClient(created.userId, testKey.value)
    expect(await errorOf(inTestMode.call("GET", at("a")))).toEqual([404, "NOT_FOUND"])
    expect(await pages(inTestMode, "limit=5")).toEqual([])
    const other = await account()
    expect(await errorOf(other.all.call("GET", at("a")))).toEqual([404, "NOT_FOUND"])
    expect(await pages(other.all, "limit=5")).toEqual([])
  })

  test("Wrong limits are refused", async () => {
    const { all } = await account()
    for (const body of [{ daily_usd: -1 }, { daily_usd: 0.12345678 }, { blocked: "yes" }, { weekly_usd: 1 }, []]) {
      expect(await errorOf(all.call("PUT", at("a", "/limits"), body)), JSON.stringify(body)).toEqual([
        422,
        "VALIDATION_FAILED",
      ])
    }
    expect(await errorOf(all.call("PUT", at("x".repeat(129), "/limits"), {}))).toEqual([422, "VALIDATION_FAILED"])
    expect(await errorOf(all.call("PUT", at("nul\0", "/limits"), {}))).toEqual([422, "VALIDATION_FAILED"])
    expect(await errorOf(all.call("GET", "/v1/end-users?cursor=abc"))).toEqual([422, "VALIDATION_FAILED"])
    for (const ref of [".", ".."]) {
      const space = await all.space()
      expect(await errorOf(all.sendTurn({ space, end_user_ref: ref }))).toEqual([422, "VALIDATION_FAILED"])
    }
  })
})

describe("A blocked end user", () => {
  test("A blocked end user sends no new turns, and accepted turns run and can be repeated", async () => {
    const { all, created } = await account()
    const space = await created.space()
    const sent = await turnOf(await created.sendTurn({ space, end_user_ref: "a/b" }, "key-1"))
    await all.call("PUT", at("a/b", "/limits"), { blocked: true })
    const refused = await created.sendTurn({ space, end_user_ref: "a/b" }, "key-2")
    expect(await errorOf(Promise.resolve(refused))).toEqual([403, "END_USER_BLOCKED"])
    expect((await created.sendTurn({ space, end_user_ref: "a/b" }, "key-1")).headers.get("idempotent-replayed")).toBe(
      "true",
    )
    expect((await created.sendTurn({ space, end_user_ref: "A/B" })).status).toBe(202)
    const testKey = await world.makeKey(created.userId, { scope: "all", test: true })
    const inTestMode = world.createClient(created.userId, testKey.value)
    expect((await inTestMode.sendTurn({ space: await inTestMode.space(), end_user_ref: "a/b" })).status).toBe(202)
    await world.drain()
    expect((await created.getTurn(sent.turn_id)).state).toBe("done")
    expect((await pages(all, "blocked=true")).map(({ end_user_ref }) => end_user_ref)).toEqual(["a/b"])
    expect((await pages(all, "blocked=false")).map(({ end_user_ref }) => end_user_ref)).toEqual(["A/B"])
    await all.call("PUT", at("a/b", "/limits"), { blocked: false })
    expect((await created.sendTurn({ space, end_user_ref: "a/b" }, "key-2")).status).toBe(202)
    await world.drain()
    await expectPromises(world, created.userId)
  })

  test("A block costs no further round trip, whether it refuses a turn or not", async () => {
    const { all, created } = await account()
    const space = await created.space()
    await all.call("PUT", at("a", "/limits"), { blocked: true })
    for (const end_user_ref of ["a", "b"]) {
      const response = await created.sendTurn({ space, end_user_ref })
      expect(response.headers.get("server-timing")).toMatch(/pg;dur=[\d.]+;desc="calls=1"/)
    }
  })
})

test("The list and each end user agree with the turns, newest first, for every key", async () => {
  const random = createRandom("end users")
  console.log(`end users: seed ${random.seed}`)
  const { all, created } = await account()
  const spaces = [await all.space(), await created.space()] as const
  const refs = HOSTILE_REFS.slice(0, 9)
  for (let made = 0; made < (isThorough ? 60 : 24); made++) {
    // First each end user once by each key.
    const isFirst = made < 2 * refs.length
    const own = isFirst ? made % 2 : random.int(2)
    const conversation = random.pick([undefined, "one", "two"])
    await (own ? created : all).sendTurn({
      space: spaces[own ? 1 : 0],
      end_user_ref: isFirst ? (refs[made >> 1] as string) : random.pick(refs),
      ...(conversation && { conversation }),
      text: random.pick(["hello", "[fail MODEL_REJECTED]", "[use input=100 output=20]"]),
    })
    if (random.int(3) > 0) await world.drain()
    // Some of them at the same moment, some a day or a month later.
    await world.advance(random.pick([0, 0, 1000, 86_400_000, 9 * 86_400_000]))
  }
  await world.drain()
  await world.sweep()
  await world.drain()
  await all.call("PUT", at(refs[0] as string, "/limits"), { monthly_usd: 5 })

  const now = world.clock.now().toISOString()
  // Counted by the time of acceptance, over the whole account.
  const [counted] = await world.sql<{ micros: number }>(
    `select coalesce(sum(billed_credit_micros), 0)::float8 as micros from turns where user_id = $1 and end_user_ref = $2
       and to_char(created_at at time zone 'UTC', 'YYYY-MM') = $3`,
    [created.userId, refs[0], now.slice(0, 7)],
  )
  const spent_usd = (counted?.micros ?? 0) / 10_000_000
  const state = { cap: "end_user_monthly", source: "end_user", limit_usd: 5, spent_usd, reserved_usd: 0 }
  for (const [client, visible] of [
    [all, spaces],
    [created, [spaces[1]]],
  ] as const) {
    const wanted = await world.sql<EndUser & { micros: number[] }>(
      `select t.end_user_ref, count(*)::int as turns, min(t.created_at) as first_turn_at, max(t.created_at) as last_turn_at,
         jsonb_build_array(sum(t.billed_credit_micros),
           coalesce(sum(t.billed_credit_micros) filter (where to_char(t.finished_at at time zone 'UTC', 'YYYY-MM') = $3), 0),
           coalesce(sum(t.billed_credit_micros) filter (where to_char(t.finished_at at time zone 'UTC', 'YYYY-MM-DD') = $4), 0)
         ) as micros
       from turns t join spaces s on s.space_id = t.space_id
       where t.user_id = $1 and s.slug = any($2) group by 1 order by max(t.created_at) desc, t.end_user_ref collate "C" desc`,
      [created.userId, visible, now.slice(0, 7), now.slice(0, 10)],
    )
    expect(wanted.length).toBeGreaterThan(5)
    for (const limit of [1, 2, 100]) {
      const listed = await pages(client, `limit=${limit}`)
      expect(
        listed.map(
          ({
            limits: _,
            caps: __,
            rates: ___,
            refunded_usd: ____,
            billed_usd,
            billed_this_month_usd,
            billed_today_usd,
            ...rest
          }) => ({
            ...rest,
            micros: [billed_usd, billed_this_month_usd, billed_today_usd].map((usd) => Math.round(usd * 10_000_000)),
          }),
        ),
      ).toEqual(wanted)
      const limited = listed.find(({ end_user_ref }) => end_user_ref === refs[0])
      expect(limited ?? { limits: { monthly_usd: 5 }, caps: [state] }).toMatchObject({
        limits: { monthly_usd: 5 },
        caps: [state],
      })
      expect(listed.filter(({ caps }) => caps.length > 0).length).toBe(limited ? 1 : 0)
      for (const endUser of limit === 100 ? listed : [])
        expect((await readJson(client.call("GET", at(endUser.end_user_ref))))[1]).toEqual(endUser)
    }
  }
})

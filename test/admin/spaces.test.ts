import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let [ada, bob]: TestClient[] = []
let browser: Awaited<ReturnType<World["signIn"]>>
/** The slugs by title. */
const slugs: Record<string, string> = {}
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  ;[ada, bob] = [await world.createAccount(), await world.createAccount()]
  await world.sql("update users set name = 'Ada', email = 'ada@example.com' where user_id = $1", [ada?.userId])
  await world.sql("update users set brand = 'acme' where user_id = $1", [bob?.userId])
  browser = await world.signIn(of(ada).userId)
  const make = async (by: TestClient | undefined, title: string) => {
    await world.advance(1_000)
    slugs[title] = await of(by).space({ title, model: "rehearsal/standard" })
  }
  await make(ada, "banana")
  await make(bob, "Apple 100%")
  await make(ada, "=Cherry")
  const [, own] = await browser.json("POST", "/api/account/spaces", { title: "date" })
  slugs.date = own.space_id
  await make(ada, "gone")
  await of(ada).call("DELETE", `/v1/spaces/${slugs.gone}`)
  await turn(ada, "banana", "[use input=1000 output=10]\nhi")
  await turn(ada, "banana", "[use input=1000 output=10]\nhi", "customer-2")
  await turn(bob, "Apple 100%", "[use input=9000 output=100]\nhi")
  await world.sql("update spaces set workspace_id = 'team' where slug = $1", [slugs.date])
})
afterAll(() => world.close())

const of = (client: TestClient | undefined) => client as TestClient
const LIST = "/api/admin/spaces/list"
const get = (path: string) => admin.json("GET", path)
const titles = async (query = ""): Promise<string[]> =>
  (await get(LIST + query))[1].items.map(({ title }: { title: string }) => title)
const rowOf = async (title: string) => {
  const [, { items }] = await get(`${LIST}?archived=all&q=${encodeURIComponent(title)}`)
  return items[0]
}

async function turn(by: TestClient | undefined, title: string, text: string, end_user_ref = "customer-1") {
  await world.advance(1_000)
  return of(by).runTurn({ space: slugs[title] ?? "", text, end_user_ref })
}

const roll = () => sweepAnalytics(contextOf(world))

describe("GET /api/admin/spaces/list", () => {
  test("The list shows a space with its owner, origin, brand, chat and totals", async () => {
    const apple = await rowOf("Apple")
    expect(apple).toEqual({
      ...{ space_id: expect.any(Number), slug: slugs["Apple 100%"], chat_key: `space:${slugs["Apple 100%"]}` },
      ...{ title: "Apple 100%", origin: "api", brand: "acme", archived: false, test: false, workspace_id: null },
      owner: { user_id: bob?.userId, name: null, email: null },
      ...{ model: "rehearsal/standard", created_at: expect.any(String), last_activity: expect.any(String) },
      ...{ messages: 1, cost_credit_micros: 95_000, cost_usd: 0.0095 },
    })
    expect(await rowOf("banana")).toMatchObject({
      owner: { name: "Ada", email: "ada@example.com" },
      brand: "turnpike",
      messages: 2,
    })
    expect(await rowOf("date")).toMatchObject({
      ...{ origin: "dashboard", workspace_id: "team", model: null, messages: 0, cost_usd: 0, last_activity: null },
    })
  })

  test("By default the list is sorted by title, ascending, with active spaces only, in pages of 50", async () => {
    expect(await titles()).toEqual(["=Cherry", "Apple 100%", "banana", "date"])
    expect((await get(LIST))[1]).toMatchObject({ total: 4, limit: 50, offset: 0 })
    expect((await get(`${LIST}?limit=200`))[0]).toBe(200)
    const [, second] = await get(`${LIST}?limit=2&offset=1`)
    expect(second).toMatchObject({ total: 4, limit: 2, offset: 1 })
    expect(await titles("?limit=2&offset=1")).toEqual(["Apple 100%", "banana"])
    for (const offset of [100, 1_000])
      expect((await get(`${LIST}?offset=${offset}`))[1]).toMatchObject({ total: 4, items: [] })
  })

  test("The list filters by each field", async () => {
    const found: Record<string, string[]> = {
      "q=AN": ["banana"],
      "q=%25": ["Apple 100%"],
      "q=_": [],
      "origin=api": ["=Cherry", "Apple 100%", "banana"],
      "origin=dashboard": ["date"],
      "origin=messenger": [],
      "brand=all": ["=Cherry", "Apple 100%", "banana", "date"],
      "brand=acme": ["Apple 100%"],
      "brand=turnpike": ["=Cherry", "banana", "date"],
      "archived=active": ["=Cherry", "Apple 100%", "banana", "date"],
      "archived=archived": ["gone"],
      "archived=all": ["=Cherry", "Apple 100%", "banana", "date", "gone"],
      [`owner_id=${bob?.userId}`]: ["Apple 100%"],
      "owner_id=999999": [],
      "workspace_id=team": ["date"],
      "workspace_id=other": [],
      [`owner_id=${ada?.userId}&brand=turnpike&origin=api&q=a&archived=all`]: ["banana"],
    }
    for (const [query, expected] of Object.entries(found)) {
      expect(await titles(`?${query}`), query).toEqual(expected)
      expect((await get(`${LIST}?${query}`))[1].total, query).toBe(expected.length)
    }
  })

  test("The list sorts by each column in both directions, ties by id, spaces without activity last", async () => {
    const sorted: Record<string, [asc: string[], desc: string[]]> = {
      title: [
        ["=Cherry", "Apple 100%", "banana", "date"],
        ["date", "banana", "Apple 100%", "=Cherry"],
      ],
      created_at: [
        ["banana", "Apple 100%", "=Cherry", "date"],
        ["date", "=Cherry", "Apple 100%", "banana"],
      ],
      last_activity: [
        ["banana", "Apple 100%", "=Cherry", "date"],
        ["Apple 100%", "banana", "date", "=Cherry"],
      ],
      messages: [
        ["=Cherry", "date", "Apple 100%", "banana"],
        ["banana", "Apple 100%", "date", "=Cherry"],
      ],
      cost: [
        ["=Cherry", "date", "banana", "Apple 100%"],
        ["Apple 100%", "banana", "date", "=Cherry"],
      ],
    }
    for (const [sort, [asc, desc]] of Object.entries(sorted)) {
      expect(await titles(`?sort=${sort}`), sort).toEqual(asc)
      expect(await titles(`?sort=${sort}&direction=asc`), sort).toEqual(asc)
      expect(await titles(`?sort=${sort}&direction=desc`), sort).toEqual(desc)
    }
  })

  test("The list refuses parameters out of bounds", async () => {
    for (const wrong of [
      ...["limit=0", "limit=201", "limit=x", "offset=-1", "sort=owner", "direction=up", "archived=true", "owner_id=x"],
      ...["brand=nobody", "brand=No", "more=1"],
    ]) {
      const [status, { detail }] = await get(`${LIST}?${wrong}`)
      expect([status, detail?.length], wrong).toEqual([422, 1])
    }
    expect((await get(`${LIST}?brand=nobody`))[1].detail[0]).toMatchObject({ loc: ["query", "brand"] })
    await world.sql("insert into brands (brand, created_at, updated_at) values ('fresh', now(), now())")
    expect(await titles("?brand=fresh"), "a brand without spaces").toEqual([])
  })

  test("The CSV has every row of the filters and no formula", async () => {
    const response = await admin.call("GET", `${LIST}?format=csv&limit=1&archived=all&sort=created_at`)
    expect(response.headers.get("content-type")).toContain("text/csv")
    const lines = (await response.text()).trimEnd().split("\r\n")
    expect(lines[0]).toMatch(/^space_id,slug,chat_key,title,origin,brand,archived/)
    expect(lines.slice(1).map((line) => line.split(",")[3])).toEqual([
      "banana",
      "Apple 100%",
      "'=Cherry",
      "date",
      "gone",
    ])
  })
})

test("A search finds a space by its slug or a prefix of it, and by its title", async () => {
  const slug = slugs.banana ?? ""
  expect(await titles(`?q=${slug}`)).toEqual(["banana"])
  expect(await titles(`?q=${slug.toUpperCase()}`)).toEqual(["banana"])
  expect(await titles(`?q=${slug.slice(0, -1)}`)).toContain("banana")
  expect(await titles(`?q=${slug.slice(1)}`), "the middle of a slug is not a prefix").toEqual([])
  expect(await titles(`?q=spc_&owner_id=${of(bob).userId}`)).toEqual(["Apple 100%"])
  const [, own] = await browser.json("GET", `/api/account/spaces?q=${slugs.date}`)
  expect(own.items.map(({ title }: { title: string }) => title)).toEqual(["date"])
})

describe("GET /api/admin/spaces", () => {
  test("The list has all spaces, the most recently active first", async () => {
    const [status, page] = await get("/api/admin/spaces")
    expect(status).toBe(200)
    expect(page).toMatchObject({ total: 5, limit: 10_000, offset: 0 })
    expect(page.items[0]).toMatchObject({ title: "Apple 100%" })
    expect(page.items.map(({ archived }: { archived: boolean }) => archived)).toContain(true)
  })
})

describe("GET /api/admin/spaces/by-id/{space_id}", () => {
  test("The answer has the space with its configuration", async () => {
    const row = await rowOf("gone")
    const [status, space] = await get(`/api/admin/spaces/by-id/${row.space_id}`)
    expect(status).toBe(200)
    expect(space).toMatchObject({ ...row, archived: true, archived_at: expect.any(String), config_version: 1 })
    expect(space).toMatchObject({ manifest: {}, tools: [], mcp_servers: [], created_by_key_id: expect.any(String) })
    const own = await rowOf("date")
    expect((await get(`/api/admin/spaces/by-id/${own.space_id}`))[1]).toMatchObject({ created_by_key_id: null })
  })

  test("An unknown space is 404, and a non-integer id is 422", async () => {
    expect(await get("/api/admin/spaces/by-id/999999")).toMatchObject([404, { code: "NOT_FOUND" }])
    for (const wrong of ["x", "0", "1.5", slugs.date]) {
      expect((await get(`/api/admin/spaces/by-id/${wrong}`))[0], wrong).toBe(422)
    }
  })
})

describe("GET /api/admin/spaces/by-key/{chat_key}", () => {
  const byKey = (title: string, query = "") => get(`/api/admin/spaces/by-key/space:${slugs[title]}${query}`)

  test("The answer has the owner and every person who wrote in the chat, each with their totals", async () => {
    const space = slugs.banana
    await browser.json("POST", "/api/account/chat/turns", { space, text: "[use input=500 output=5]\nme" })
    await world.drain()
    for (const when of ["not rolled", "rolled"]) {
      const [status, chat] = await byKey("banana")
      expect(status).toBe(200)
      expect(chat.space, when).toMatchObject({ slug: space, messages: 3, cost_credit_micros: 2 * 10_500 + 5_250 })
      expect(chat, when).toMatchObject({ total: 3, limit: 10_000, offset: 0 })
      const spent = { turns: 1, tokens_input: 1_000, tokens_cached: 0, tokens_output: 10, cost_credit_micros: 10_500 }
      expect(chat.items, when).toMatchObject([
        { user_id: ada?.userId, name: "Ada", end_user_ref: null, role: "owner", turns: 1, cost_usd: 0.000525 },
        { user_id: null, end_user_ref: "customer-1", role: null, ...spent },
        { user_id: null, end_user_ref: "customer-2", role: null, ...spent },
      ])
      await roll()
    }
  })

  test("The answer includes an owner who never wrote, and has pages", async () => {
    expect((await byKey("date"))[1]).toMatchObject({
      total: 1,
      items: [{ user_id: ada?.userId, role: "owner", turns: 0, cost_usd: 0, last_activity: null }],
    })
    const [, page] = await byKey("banana", "?limit=1&offset=2")
    expect(page).toMatchObject({ total: 3, limit: 1, offset: 2, items: [{ end_user_ref: "customer-2" }] })
    expect((await byKey("banana", "?limit=10001"))[0]).toBe(422)
  })

  test("A bare slug addresses the chat of its space", async () => {
    const [status, chat] = await get(`/api/admin/spaces/by-key/${slugs.date}`)
    expect([status, chat]).toMatchObject([
      200,
      { total: 1, space: { slug: slugs.date, chat_key: `space:${slugs.date}` } },
    ])
    expect((await get("/api/admin/spaces/by-key/spc_nothing"))[0]).toBe(404)
  })

  test("Keys with slashes are accepted raw and encoded, and other keys are 404", async () => {
    const key = "messenger/acme/-100 42"
    await world.sql("update spaces set chat_key = $1, origin = 'messenger' where slug = $2", [key, slugs["Apple 100%"]])
    for (const spelt of [encodeURIComponent(key), "messenger/acme/-100%2042"]) {
      expect(await get(`/api/admin/spaces/by-key/${spelt}`), spelt).toMatchObject([
        200,
        { space: { title: "Apple 100%", chat_key: key, origin: "messenger" } },
      ])
    }
    const twice = world.sql("update spaces set chat_key = $1 where slug = $2", [key, slugs.date])
    await expect(twice).rejects.toThrow("spaces_of_chat")
    expect(await get("/api/admin/spaces/by-key/space:nothing")).toMatchObject([404, { code: "NOT_FOUND" }])
  })
})

test("An open turn counts as a message, and a change of it as activity", async () => {
  const space = slugs.date ?? ""
  const at = async () => {
    const { messages, cost_credit_micros, last_activity } = await rowOf("date")
    return { messages, cost_credit_micros, last_activity }
  }
  const now = () => world.clock.now().toISOString()
  await world.advance(1_000)
  const all = await world.makeKey(of(ada).userId, { scope: "all" })
  const client = world.createClient(of(ada).userId, all.value)
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: "[use input=1000 output=0]\nx" }))
  expect(await at()).toEqual({ messages: 1, cost_credit_micros: 0, last_activity: now() })
  await world.advance(1_000)
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
  expect(await at()).toEqual({ messages: 1, cost_credit_micros: 10_000, last_activity: now() })
  const ended = now()
  await world.advance(1_000)
  await roll()
  expect(await roll()).toMatchObject({ usage: 0, ledger: 0 })
  expect(await at()).toEqual({ messages: 1, cost_credit_micros: 10_000, last_activity: ended })
})

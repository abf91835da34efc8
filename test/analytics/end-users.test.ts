import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const PATH = "/api/admin/analytics/end-users"
const DAY = 86_400_000

interface Row {
  end_user_ref: string | null
  turns: number
  tokens_input: number
  tokens_output: number
  billed_cost_usd: number
  refunded_usd: number
  net_usd: number
}

let world: World
let admin: Admin
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  const use = (end_user_ref: string, input: number, output: number) =>
    client.runTurn({ space, end_user_ref, text: `[use input=${input} output=${output}]\nhello` })
  await use("before", 10, 10)
  await world.advance(40 * DAY)
  await use("dear", 10, 3_000)
  await use("long", 5_000, 10)
  for (let turn = 0; turn < 3; turn++) await use("often", 20, 5)
  const owner = await world.signIn(client.userId)
  // A web chat as an end user is not counted for that end user.
  const chat = { space, text: "[use input=30 output=5]\nme", end_user_ref: "often" }
  expect((await owner.json("POST", "/api/account/chat/turns", chat))[0]).toBe(202)
  await world.drain()
  const other = await world.createAccount()
  await other.runTurn({ space: await other.space(), end_user_ref: "foreign", text: "hello" })
})
afterAll(() => world.close())

const report = async (query = "", user = client.userId) => {
  const [status, answer] = await admin.json("GET", `${PATH}?user_id=${user}${query}`)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer as { items: Row[]; total: number; sums: Row; from: string }
}
const names = async (query: string) => (await report(query)).items.map(({ end_user_ref }) => end_user_ref)

test("End users are sorted by spend, tokens or turns, and web chats are an entry of their own", async () => {
  expect(await names("&sort=spend")).toEqual(["dear", "long", "often", null])
  expect(await names("&sort=tokens")).toEqual(["long", "dear", "often", null])
  expect(await names("&sort=turns")).toEqual(["often", null, "dear", "long"])
  expect(await names("&sort=tokens&direction=asc")).toEqual([null, "often", "dear", "long"])
  expect(await names("&sort=tokens&limit=2&offset=1")).toEqual(["dear", "often"])
  expect((await report("&limit=1")).total).toBe(4)
})

test("The entries add up to the account's turns, and equal its own report, also after the turns are rolled up", async () => {
  const [raw] = await world.sql<{ turns: number; input: number; usd: number }>(
    `select count(*)::int as turns, sum(tokens_input)::int as input, sum(billed_credit_micros) / 1e7::float8 as usd
     from turns where user_id = $1`,
    [client.userId],
  )
  for (const isRolled of [false, true]) {
    if (isRolled) await world.sweep()
    const { items, sums } = await report("&days=60")
    expect(items, `rolled up: ${isRolled}`).toHaveLength(5)
    expect(items.reduce((sum, row) => sum + row.turns, 0)).toBe(raw?.turns)
    expect(sums).toMatchObject({ turns: raw?.turns, tokens_input: raw?.input, billed_cost_usd: raw?.usd })
    const own = await client.call("GET", `/v1/usage?group_by=end_user_ref&from=${(await report("&days=60")).from}`)
    const { data } = (await own.json()) as { data: { group: string; billed_usd: number; tokens_output: number }[] }
    const byName = new Map(items.map((row) => [row.end_user_ref ?? "", row]))
    for (const { group, billed_usd, tokens_output } of data)
      expect(byName.get(group)).toMatchObject({ billed_cost_usd: billed_usd, tokens_output })
  }
})

test("A refund counts for its end user when it was booked, next to the billed amount", async () => {
  const { items } = await report()
  const often = items.find(({ end_user_ref }) => end_user_ref === "often")
  const [turn] = await world.sql<{ turn_id: string }>(
    "select turn_id from turns where user_id = $1 and end_user_ref = 'before'",
    [client.userId],
  )
  expect((await admin.json("POST", `/api/admin/turns/${turn?.turn_id}/refund`, { note: "Sorry." }))[0]).toBe(200)
  const after = await report()
  expect(after.items.find(({ end_user_ref }) => end_user_ref === "often")).toEqual(often)
  const before = after.items.find(({ end_user_ref }) => end_user_ref === "before")
  expect(before).toMatchObject({ turns: 0, billed_cost_usd: 0 })
  expect(before?.refunded_usd).toBeGreaterThan(0)
  expect(before?.net_usd).toBe(-(before?.refunded_usd ?? 0))
  expect(after.sums.refunded_usd).toBe(before?.refunded_usd)
})

test("The report has a range and a CSV of all pages, and an unknown account has no usage", async () => {
  expect((await report("&period=last_week")).items).toEqual([])
  const csv = await admin.call("GET", `${PATH}?user_id=${client.userId}&days=60&sort=turns&format=csv&limit=1`)
  const [header, ...rows] = parseCsv(await csv.text())
  expect(header?.slice(0, 2)).toEqual(["end_user_ref", "turns"])
  expect(rows.map(([ref]) => ref)).toEqual(["often", "", "before", "dear", "long"])
  expect(await report("", 999_999_999)).toMatchObject({ items: [], total: 0, sums: { turns: 0, billed_cost_usd: 0 } })
  expect((await admin.json("GET", PATH))[0]).toBe(422)
  expect((await admin.json("GET", `${PATH}?user_id=1&limit=201`))[0]).toBe(422)
})

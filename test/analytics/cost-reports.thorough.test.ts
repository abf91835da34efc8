import { afterAll, beforeAll, expect, test } from "vitest"
import { plainNumber } from "../../src/base/plain-json.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import {
  billedInLedger,
  createUsedWorld,
  plantTurns,
  readReport,
  rollUp,
  useEverything,
} from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { countCosts } from "../harness/cost-reference.ts"
import { parseCsv } from "../harness/csv.ts"
import { declaredReport } from "../harness/report-world.ts"
import type { Shared } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000
const DIMENSIONS = ["space", "user", "model", "provider"] as const

interface Place {
  user: number
  space: number
  chatKey: string
}

let world: World
let admin: Admin
let shared: Shared
let places: [Place, Place, Place, Place]

beforeAll(async () => {
  world = await createWorld()
  shared = await createUsedWorld(world, "costs")
  await useEverything(world, shared)
  const made: Place[] = []
  for (let n = 0; n < 4; n++) {
    const client = await world.createAccount({ usd: 0, brand: n % 2 === 0 ? "turnpike" : "other" })
    const slug = await client.space({ title: `Space ${n}` })
    const [row] = await world.sql<{ space_id: number; chat_key: string }>(
      "select space_id::int, chat_key from spaces where slug = $1",
      [slug],
    )
    made.push({ user: client.userId, space: row?.space_id ?? 0, chatKey: row?.chat_key ?? "" })
  }
  places = made as typeof places
  const [a, b, c, d] = places
  await plantTurns(world, [
    { ...a, at: "2024-02-29T23:59:59.999Z", calls: [{ micros: 29 }] },
    { ...a, at: "2024-03-01T00:00:00Z", calls: [{ micros: 31 }] },
    // Sunday and Monday, the last and the first day of a month, and an hour.
    { ...b, at: "2026-11-15T23:59:59.999Z", calls: [{ micros: 1_000, ours: 800 }] },
    { ...b, at: "2026-11-16T00:00:00Z", chat: true, calls: [{ micros: 250, cached: 100, ours: 0 }] },
    { ...b, at: "2026-10-31T23:59:59.999Z", calls: [{ micros: 77, account: "17" }] },
    {
      ...c,
      at: "2026-11-01T00:00:00Z",
      calls: [
        { micros: 70, ours: 91 },
        { micros: 7, subagent: true, model: "rehearsal/other", account: "m", ours: 3 },
      ],
    },
    { ...c, at: "2026-11-18T13:00:00Z", calls: [{ micros: 1_250, account: "claude-1", input: 0, output: 0 }] },
    { ...d, at: "2026-11-18T12:59:59.999Z", lost: true, calls: [{ micros: 5_000, ours: 4_000 }] },
    { ...d, at: "2026-11-18T13:00:00Z", test: true },
    { ...d, at: "2026-11-19T11:20:00Z", calls: [] },
    { ...d, at: "2026-11-17T11:20:00Z", calls: [{ model: "gone/model", micros: 9 }] },
    { ...d, at: "2026-11-28T12:00:00Z", calls: [{ micros: 800_000, ours: 650_001 }] },
  ])
  await world.sql(
    `insert into former_prices (pin, price_version, price_input, price_cached, price_output, provider_prices, until_at)
     select pin, 100 + n, price_input * n, 0, price_output + n,
       case when n % 2 = 0 then jsonb_build_object('price_input', 7, 'price_cached', n, 'price_output', price_output) end, ('2026-11-' || 10 + n)::timestamptz + interval '9 hours'
     from model_catalog, generate_series(1, 8) n where pin = 'rehearsal/standard'`,
  )
  await world.advance(2 * DAY_MS)
  await useEverything(world, shared)
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const get = async (path: string) => declaredReport(path, await readReport(admin, path))
const micros = (usd: number) => Math.round(usd * 1e7)

/** Rounds the numbers of a report that are no sums, since the divisions happen in another order. */
const rounded = (report: unknown): unknown =>
  JSON.parse(JSON.stringify(report), (_key, value) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(11)) : value,
  )

const ranges = (): [query: string, from: string, to: string][] => [
  ["start=2024-02-29&end=2024-03-01", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"],
  [
    "start=2024-02-29T23:59:59.999Z&end=2024-03-01T00:00:00.001Z",
    "2024-02-29T23:59:59.999Z",
    "2024-03-01T00:00:00.001Z",
  ],
  ["start=2026-11-16&end=2026-11-23", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"],
  ["start=2026-11-01&end=2026-12-01", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"],
  ["start=2026-11-18T12:00:00Z&end=2026-11-18T13:00:00Z", "2026-11-18T12:00:00Z", "2026-11-18T13:00:00Z"],
  [
    "start=2026-11-15T23:59:59.999Z&end=2026-11-20T12:00:00.001Z&days=3",
    "2026-11-15T23:59:59.999Z",
    "2026-11-20T12:00:00.001Z",
  ],
  ["days=2&end=2026-11-17T12:00:00Z", "2026-11-15T12:00:00Z", "2026-11-17T12:00:00Z"],
  ["days=2&start=2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"],
  ["start=1970-01-01&end=1970-01-02", "1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z"],
]

/**
 * Every report with its expected content, and the parts that together are everything that was
 * billed in its range.
 */
async function cases(brand: string) {
  const count = await countCosts(world, brand)
  const [a, b, c] = places
  const owner = shared.client.userId
  const chat = `space:${shared.space}`
  const [from, to] = count.lastDays(30)
  const parts = ({ items, other }: Json) => [...items, other]
  const total = ({ total }: Json) => [total]
  const list: [path: string, expected: object, billed?: (report: Json) => { billed_cost_usd: number }[]][] = [
    ["costs", count.costs(30), ({ items }) => items.flatMap(({ models }: Json) => models)],
    ["costs?days=1", count.costs(1), total],
    ["costs?days=365", count.costs(365), ({ models }) => models],
    ["cpm", count.rates(30), ({ items }) => items],
    ["cpm?days=365", count.rates(365), total],
    [`cpm?user_id=${owner}`, count.rates(30, { user_id: owner })],
    [`cpm?user_id=${c.user}&days=60`, count.rates(60, { user_id: c.user })],
    [`cpm?chat_key=${chat}`, count.rates(30, { chat_key: chat })],
    [`cpm?chat_key=${chat}&user_id=${owner}`, count.rates(30, { user_id: owner, chat_key: chat })],
    [`cpm?chat_key=${chat}&user_id=${b.user}`, count.rates(30, { user_id: b.user, chat_key: chat })],
    ["cpm?chat_key=none&days=1", count.rates(1, { chat_key: "none" })],
    ["costs/per-user", count.perUser(30, 20), parts],
    ["costs/per-user?days=365&limit=1", count.perUser(365, 1), parts],
    ["costs/per-user?days=2&limit=100", count.perUser(2, 100), parts],
    ["subscription-spaces", count.providerSpaces(from, to), parts],
    ["subscription-spaces?days=365", count.providerSpaces(...count.lastDays(365)), ({ providers }) => providers],
    [
      "subscription-spaces?date_from=2026-11-16&date_to=2026-11-16&days=2",
      count.providerSpaces(Date.parse("2026-11-16"), Date.parse("2026-11-17")),
      parts,
    ],
    [
      "subscription-spaces?date_from=2024-02-29&date_to=2024-02-29",
      count.providerSpaces(Date.parse("2024-02-29"), Date.parse("2024-03-01")),
      parts,
    ],
    [
      "subscription-spaces?date_to=2026-11-01&days=2",
      count.providerSpaces(Date.parse("2026-10-31"), Date.parse("2026-11-02")),
      parts,
    ],
    ["subscription-spaces?subscription_id=claude-1", count.providerSpaces(from, to, { subscription_id: "claude-1" })],
    [
      `subscription-spaces?chat_key=${c.chatKey}&subscription_id=m`,
      count.providerSpaces(from, to, { subscription_id: "m", chat_key: c.chatKey }),
    ],
    [`subscription-spaces?chat_key=${chat}`, count.providerSpaces(from, to, { chat_key: chat })],
    [`subscription-spaces?chat_key=${a.chatKey}`, count.providerSpaces(from, to, { chat_key: a.chatKey })],
    ["breakdown", count.breakdown("space", count.lastDays(30)), parts],
  ]
  for (const dimension of DIMENSIONS) {
    for (const [query, begin, end] of ranges()) {
      const range: [number, number] = [Date.parse(begin), Date.parse(end)]
      list.push([`breakdown?dimension=${dimension}&${query}`, count.breakdown(dimension, range), parts])
    }
    list.push([`breakdown?dimension=${dimension}&limit=2`, count.breakdown(dimension, count.lastDays(30), 2), parts])
    list.push([
      `breakdown?dimension=${dimension}&days=365&limit=1000`,
      count.breakdown(dimension, count.lastDays(365), 1000),
      parts,
    ])
  }
  return list
}

// biome-ignore lint/suspicious/noExplicitAny: each report has its own shape
type Json = any

test("Each report equals raw records and ledger, with the roll-up not run, half done and complete", async () => {
  const all = (
    await Promise.all(
      ["all", "other"].map(async (brand) => (await cases(brand)).map((one) => [brand, ...one] as const)),
    )
  ).flat()
  for (const rolled of ["never", "half", "wholly"]) {
    if (rolled === "half") await rollUp(world, 17)
    if (rolled === "wholly") {
      await rollUp(world, 1_000)
      await world.sql(`select ${RELEASE}.mark_usage($1::timestamptz) from generate_series(1, 40)`, [world.clock.now()])
      await world.sql("analyze space_days, user_days, provider_space_days, space_sums, user_sums, provider_space_sums")
    }
    for (const [brand, asked, expected, billed] of all) {
      const path = brand === "all" ? asked : `${asked}${asked.includes("?") ? "&" : "?"}brand=${brand}`
      const report = await get(path)
      expect(rounded(report), `${path}, rolled ${rolled}`).toEqual(rounded(expected))
      if (!billed) continue
      const sum = billed(report).reduce((sum, row) => sum + micros(row.billed_cost_usd), 0)
      expect(sum, path).toBe(await billedInLedger(world, report.from, report.to, { brand }))
    }
  }
})

test("Accounts and spaces with equal bills are ordered by id", async () => {
  const [, b, c] = places
  for (const [dimension, first, second] of [
    ["user", b.user, c.user],
    ["space", b.space, c.space],
  ] as const) {
    const { items } = await get(`breakdown?dimension=${dimension}&start=2026-11-15&end=2026-11-20T11:00:00Z`)
    const equal = items.filter(({ billed_cost_usd }: Json) => billed_cost_usd === 0.000125)
    expect(equal.map(({ key }: Json) => key)).toEqual([String(first), String(second)])
  }
})

test("Plans are listed under their provider, and pool members under their names", async () => {
  const { providers } = await get("subscription-spaces?days=60")
  const keys = providers.map(({ provider_key }: Json) => provider_key)
  expect(keys.toSorted()).toEqual(["claude-1", "gone", "m", "member-a", "rehearsal"])
})

test("Token costs use the catalog's prices if one model was used at one price", async () => {
  const [a] = places
  // 600 tokens at 1 USD per million, 400 at 0.1 USD, 300 at 5 USD.
  const calls = [{ input: 1000, cached: 400, output: 300, micros: 21_400 }]
  await plantTurns(world, [{ ...a, at: "2026-11-22T01:00:00Z", calls }])
  await world.sql("delete from former_prices")
  const quiet = world.clock.ms()
  await world.advance(10 * DAY_MS)
  admin = await signInAdmin(world)
  await plantTurns(world, [{ ...a, at: new Date(quiet + 10 * DAY_MS).toISOString(), calls }])
  const { total } = await get("cpm?days=1")
  const prices = { per_million_input_usd: 1, per_million_cached_usd: 0.1, per_million_output_usd: 5 }
  const rates = { per_turn_usd: 0.00214, per_million_usd: expect.closeTo(0.00214 / 0.0013, 9), ...prices }
  expect(total).toMatchObject({ turns: 1, billed_cost_usd: 0.00214, cost: rates, billed: rates })
  expect((await get(`cpm?days=1&user_id=${a.user}`)).total, "this usage alone").toEqual(total)
})

test("An owner and an end user see the same costs as operators", async () => {
  const owner = await world.signIn(shared.client.userId)
  const client = shared.client
  const space = await client.space({ title: "Theirs" })
  const turns = [
    await client.runTurn({ space, text: "[use input=1234 output=56]\nhello", end_user_ref: "customer-77" }),
    await client.runTurn({ space, text: "[use input=99 output=9]\nhello", end_user_ref: "customer-78" }),
  ]
  const billed = turns.reduce((sum, turn) => sum + micros(turn.billed_cost_usd ?? 0), 0)
  const { items, from, to } = await get("breakdown?days=1")
  const shown = items.find(({ name }: Json) => name === "Theirs")
  expect(micros(shown.billed_cost_usd)).toBe(billed)
  const usage = async (query: string) =>
    (await (await client.call("GET", `/v1/usage?from=${from}&to=${to}&${query}`)).json()) as Json
  expect((await usage(`group_by=space&space=${space}`)).data).toMatchObject([
    { group: space, billed_usd: shown.billed_cost_usd },
  ])
  expect((await usage(`group_by=end_user_ref&space=${space}`)).total.billed_usd).toBe(shown.billed_cost_usd)
  const [, own] = await owner.json("GET", `/api/account/usage?from=${from}&to=${to}&space=${space}`)
  expect(own.total).toMatchObject({ billed_usd: shown.billed_cost_usd, turns: 2, tokens_input: shown.tokens_input })
  // All usage of the account, including web chats: its ledger, its user's energy, and its row.
  const [, energy] = await admin.json("GET", `/api/admin/users/${client.userId}/energy?days=365`)
  const { items: accounts } = await get("costs/per-user?days=365&limit=100")
  const account = accounts.find(({ user_id }: Json) => user_id === client.userId)
  expect(micros(account.billed_cost_usd)).toBe(Math.round(energy.totals.spent * 1e6))
  const [, ledger] = await owner.json("GET", "/api/account/ledger?limit=200&bucket=spent")
  const charged = ledger.items.reduce((sum: number, { amount_usd }: Json) => sum - micros(amount_usd), 0)
  expect(charged).toBe(micros(account.billed_cost_usd))
})

test("CSV files have the same rows as the reports", async () => {
  const text = (row: object) =>
    Object.values(row).map((value) => (typeof value === "number" ? plainNumber(value) : String(value ?? "")))
  const file = async (path: string) => {
    const response = await admin.call("GET", `/api/admin/analytics/${path}&format=csv`)
    return parseCsv(await response.text())
  }
  for (const path of [
    ...DIMENSIONS.map((dimension) => `breakdown?dimension=${dimension}&days=365`),
    "costs/per-user?days=60",
    "subscription-spaces?days=60",
  ]) {
    const { items } = await get(path)
    expect(await file(path), path).toEqual([Object.keys(items[0]), ...items.map(text)])
  }
  const { items } = await get("costs?days=60")
  const rows = items.flatMap(({ date, models }: Json) => models.map((row: object) => ({ date, ...row })))
  expect(await file("costs?days=60")).toEqual([Object.keys(rows[0]), ...rows.map(text)])
  const rates = (await get("cpm?days=20")).items.map(({ cost, billed, ...row }: Json) => ({
    ...row,
    ...Object.fromEntries(Object.entries(cost).map(([name, value]) => [`cost_${name}`, value])),
    ...Object.fromEntries(Object.entries(billed).map(([name, value]) => [`billed_${name}`, value])),
  }))
  expect(await file("cpm?days=20")).toEqual([Object.keys(rates[0]), ...rates.map(text)])
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { adminOperations } from "../harness/admin-requests.ts"
import {
  ANALYTICS,
  billedInLedger,
  createUsedWorld,
  plantTurns,
  readReport,
  rollUp,
  useEverything,
} from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { billedBy, countReports } from "../harness/report-reference.ts"
import type { Shared } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000

let world: World
let shared: Shared
let admin: Admin
/** Accounts and spaces other than the shared one. */
let others: { user: number; space: number; chatKey: string; slug: string }[]

beforeAll(async () => {
  world = await createWorld()
  shared = await createUsedWorld(world, "reports")
  await useEverything(world, shared)
  await world.advance(5_400_000)
  await useEverything(world, shared)
  others = []
  for (let n = 0; n < 4; n++) {
    const client = await world.createAccount({ usd: 0, brand: n % 2 === 0 ? "turnpike" : "other" })
    const slug = await client.space({ title: `Space ${n}` })
    const [row] = await world.sql<{ space_id: number; chat_key: string }>(
      "select space_id::int, chat_key from spaces where slug = $1",
      [slug],
    )
    others.push({ user: client.userId, space: row?.space_id ?? 0, chatKey: row?.chat_key ?? "", slug })
  }
  const at = (days: number, time: string) => new Date(Date.parse(`2026-11-20T${time}Z`) + days * DAY_MS).toISOString()
  const [a, b, c, d] = others as [Other, Other, Other, Other]
  await plantTurns(world, [
    {
      ...a,
      at: at(0, "23:59:59.999"),
      calls: [
        { micros: 777, seconds: 2.5 },
        { subagent: true, model: "rehearsal/other", account: "m" },
      ],
    },
    { ...a, at: at(1, "00:00:00"), chat: true, calls: [{ micros: 0, cached: 100 }] },
    { ...b, at: at(1, "00:00:00"), calls: [{ micros: 250, account: "17" }] },
    // As much as the previous one, so the smaller id comes first.
    { ...c, at: at(1, "05:30:00"), calls: [{ micros: 250, account: "claude-1", input: 0, cached: 0 }] },
    { ...d, at: at(9, "11:00:00"), lost: true, calls: [{ micros: 5_000 }] },
    { ...d, at: at(9, "11:00:00"), test: true },
    { ...d, at: at(9, "11:20:00"), calls: [] },
    // Before and after the range of 30 days.
    { ...b, at: at(-40, "12:00:00"), calls: [{ micros: 900_000 }] },
    { ...b, at: at(25, "12:00:00"), calls: [{ micros: 800_000 }] },
  ])
  await world.advance(2 * DAY_MS)
  await useEverything(world, shared)
  await world.advance(20 * DAY_MS)
  await useEverything(world, shared)
  // Reports count an account under its first brand.
  await world.sql(
    "update users set brand = case user_id when $1 then 'turnpike' else 'other' end where user_id = any ($2)",
    [d.user, [a.user, d.user]],
  )
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

type Other = (typeof others)[number]

/**
 * Each report with its expected content from raw records, and the part of it that is everything
 * that was billed in its range.
 */
async function cases(
  brand: string,
): Promise<[path: string, expected: object, billed?: (report: Json) => { billed_cost_usd: number }[]][]> {
  const count = await countReports(world, brand)
  const [a, , c] = others as [Other, Other, Other, Other]
  const owner = shared.client.userId
  const chat = `space:${shared.space}`
  const total = ({ total }: Json) => [total]
  const parts = ({ items, other }: Json) => [...items, other]
  const ranges = [
    ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"],
    ["2026-11-20T12:00:00.001Z", "2026-11-20T13:30:00Z"],
    ["2026-11-20T13:15:00Z", "2026-11-20T13:45:00Z"],
    ["2026-11-20T23:59:59.999Z", "2026-11-21T00:00:00.001Z"],
    ["2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"],
    ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"],
    ["2026-11-21T05:30:00Z", "2026-12-12T13:30:00.001Z"],
  ] as const
  const series = ({ series, other }: Json) => [...series, other]
  return [
    ["/api/admin/context-comparison", count.contextComparison(30)],
    ["/api/admin/context-comparison?days=120", count.contextComparison(120)],
    ["/api/admin/usage", count.usage(30), (days) => days],
    ["/api/admin/usage?days=365", count.usage(365), (days) => days],
    ["/api/admin/usage?days=1", count.usage(1), (days) => days],
    [`/api/admin/usage?user_id=${owner}`, count.usage(30, { user_id: owner })],
    [`/api/admin/usage?user_id=${a.user}`, count.usage(30, { user_id: a.user })],
    [`/api/admin/usage?chat_key=${chat}`, count.usage(30, { chat_key: chat })],
    [`/api/admin/usage?chat_key=${chat}&user_id=${owner}`, count.usage(30, { chat_key: chat, user_id: owner })],
    [`/api/admin/usage?chat_key=${chat}&user_id=${a.user}`, count.usage(30, { chat_key: chat, user_id: a.user })],
    [
      "/api/admin/usage?group_by=slug",
      count.slugUsage(30),
      ({ series }) => Object.values<{ billed_cost_usd: number }[]>(series).flat(),
    ],
    ["/api/admin/usage?group_by=slug&days=60", count.slugUsage(60)],
    [`/api/admin/usage?group_by=slug&user_id=${owner}`, count.slugUsage(30, { user_id: owner })],
    [`/api/admin/usage?group_by=slug&chat_key=${c.chatKey}`, count.slugUsage(30, { chat_key: c.chatKey })],
    [`${ANALYTICS}/top-users`, count.topUsers(30, 20), parts],
    [`${ANALYTICS}/top-users?limit=1`, count.topUsers(30, 1), parts],
    [`${ANALYTICS}/top-users?days=365&limit=2`, count.topUsers(365, 2), total],
    [`${ANALYTICS}/top-spaces`, count.topSpaces(30, 20), parts],
    [`${ANALYTICS}/top-spaces?limit=1&days=22`, count.topSpaces(22, 1), parts],
    [`${ANALYTICS}/top-spaces?limit=3`, count.topSpaces(30, 3), total],
    [`${ANALYTICS}/context-size`, count.contextSize(30)],
    [`${ANALYTICS}/context-size?days=90&space=${shared.space}`, count.contextSize(90, shared.space)],
    [`${ANALYTICS}/hourly`, count.hourly(7), ({ items }) => items],
    [`${ANALYTICS}/hourly?days=30`, count.hourly(30), ({ items }) => items],
    ...ranges.flatMap(([start, end]) =>
      [1, 8, 20].map(
        (top) =>
          [
            `${ANALYTICS}/hourly-spaces?start=${start}&end=${end}&top=${top}`,
            count.hourlySpaces(start, end, top),
            series,
          ] as [string, object, typeof series],
      ),
    ),
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: each report has its own shape
type Json = any

const schemaOf = (path: string) => {
  const operation = adminOperations.find((one) => one.path === path.split("?")[0])
  if (!operation) throw new Error(path)
  return operation.answer.schema
}

/** The range of a list of days. */
const rangeOf = (days: { date: string }[]) => ({
  from: `${days[0]?.date}T00:00:00.000Z`,
  to: new Date(Date.parse(`${days.at(-1)?.date}T00:00:00Z`) + DAY_MS).toISOString(),
})

test("Usage by day is a JSON array of days, and headers describe its range", async () => {
  const response = await admin.call("GET", "/api/admin/usage?days=2")
  const days = (await response.json()) as { date: string }[]
  expect(Array.isArray(days)).toBe(true)
  expect(days.map(({ date }) => date)).toEqual(["2026-12-11", "2026-12-12"])
  const { from, to } = rangeOf(days)
  expect(["From", "To", "As-Of"].map((name) => response.headers.get(`X-Report-${name}`))).toEqual([
    from,
    to,
    world.clock.now().toISOString(),
  ])
})

test("Each report equals raw records and ledger, with the roll-up not run, half done and complete", async () => {
  const all = (
    await Promise.all(
      ["all", "other"].map(async (brand) => (await cases(brand)).map((one) => [brand, ...one] as const)),
    )
  ).flat()
  for (const rolled of ["never", "half", "wholly"]) {
    if (rolled === "half") await rollUp(world, 20)
    if (rolled === "wholly") await rollUp(world)
    for (const [brand, asked, expected, billed] of all) {
      const path = brand === "all" ? asked : `${asked}${asked.includes("?") ? "&" : "?"}brand=${brand}`
      const report = await readReport(admin, path)
      expect(report, `${path}, rolled ${rolled}`).toEqual(expected)
      expect(schemaOf(path).parse(report), path).toEqual(report)
      const { from, to } = Array.isArray(report) ? rangeOf(report) : report
      if (billed) expect(billedBy(billed(report)), path).toBe(await billedInLedger(world, from, to, { brand }))
    }
  }
})

test("An account's usage equals its own ledger, for its owner and for an operator", async () => {
  const owner = await world.signIn(shared.client.userId)
  const days = await readReport(admin, `/api/admin/usage?user_id=${shared.client.userId}`)
  const { from, to } = rangeOf(days)
  expect(billedBy(days)).toBe(await billedInLedger(world, from, to, { userId: shared.client.userId }))
  const [, own] = await owner.json("GET", `/api/account/usage?from=${from}&to=${to}`)
  const [, ledger] = await owner.json("GET", "/api/account/ledger?limit=200")
  const charges = ledger.items.filter(({ reason }: Json) => reason === "usage" || reason === "space_usage")
  const usd = (amount: number) => Math.round(amount * 1e7)
  expect(charges.reduce((sum: number, { amount_usd }: Json) => sum - usd(amount_usd), 0)).toBe(billedBy(days))
  expect(usd(own.total.billed_usd)).toBeLessThan(billedBy(days))
})

test("Each report is available as CSV with the same rows", async () => {
  const rows = async (path: string) => {
    const response = await admin.call("GET", `${path}${path.includes("?") ? "&" : "?"}format=csv`)
    expect(response.headers.get("content-type")).toContain("text/csv")
    const [header = [], ...lines] = parseCsv(await response.text())
    return lines.map((line) => Object.fromEntries(line.map((field, at) => [header[at], field])))
  }
  const text = (row: object) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value === null ? "" : String(value)]))
  for (const path of [
    `${ANALYTICS}/errors`,
    `${ANALYTICS}/top-users`,
    `${ANALYTICS}/top-spaces`,
    `${ANALYTICS}/hourly`,
  ]) {
    const report = await readReport(admin, path)
    expect(await rows(path), path).toEqual(report.items.map(text))
  }
  expect(await rows("/api/admin/usage")).toEqual((await readReport(admin, "/api/admin/usage")).map(text))
  const slugs = await readReport(admin, "/api/admin/usage?group_by=slug")
  const named = Object.entries<object[]>(slugs.series)
  expect(await rows("/api/admin/usage?group_by=slug")).toEqual(
    named.flatMap(([slug, days]) => days.map((day) => text({ slug, ...day }))),
  )
  const comparison = await readReport(admin, "/api/admin/context-comparison?days=3")
  expect(await rows("/api/admin/context-comparison?days=3")).toEqual(
    comparison.items.flatMap(({ date, ...roles }: Json) =>
      ["orchestrator", "subagent"].map((role) => text({ date, role, ...roles[role] })),
    ),
  )
  const sizes = await readReport(admin, `${ANALYTICS}/context-size?days=3`)
  expect(await rows(`${ANALYTICS}/context-size?days=3`)).toEqual(
    sizes.items.flatMap(({ days, ...space }: Json) => days.map((day: object) => text({ ...space, ...day }))),
  )
  const path = `${ANALYTICS}/hourly-spaces?start=2026-11-20T22:30:00Z&end=2026-11-21T02:00:00Z&top=2`
  const hours = await readReport(admin, path)
  const lines = await rows(path)
  expect(lines.slice(0, 2)).toEqual(
    hours.series.slice(0, 2).map(({ points, ...space }: Json) => text({ ...space, ...points[0] })),
  )
  expect(lines.map(({ hour, slug, billed_cost_usd }) => `${hour} ${slug} ${billed_cost_usd}`).sort()).toEqual(
    [...hours.series, { ...hours.other, slug: "other" }]
      .flatMap(({ slug, points }: Json) =>
        points.map((point: Json) => `${point.hour} ${slug} ${point.billed_cost_usd}`),
      )
      .sort(),
  )
})

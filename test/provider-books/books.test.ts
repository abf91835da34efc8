import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { BOOK_POLICY } from "../../src/provider-books/policies.ts"
import { dayBefore } from "../../src/provider-books/report-day.ts"
import { getHealth } from "../../src/system/get-health.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { addModel } from "../harness/models.ts"
import { type OwnCall, storeCalls } from "../harness/own-calls.ts"
import { addAccount, removeAccounts } from "../harness/provider-accounts.ts"
import { type CountedAccount, REPORTS_URL, serveReports } from "../harness/provider-reports.ts"
import { createWorld, type World } from "../harness/world.ts"

/** The life of an account's books: the setting of its reports, the days in the sweep, failures and seen findings. */

let world: World
let admin: Admin
let reports: ReturnType<typeof serveReports>
let account: CountedAccount
const HOUR = 3_600_000
const KEY = "sk-admin-canary-0123"

beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  reports = serveReports(world)
  await addModel(world, "anthropic/alpha-1")
})
afterAll(() => world.close())
beforeEach(async () => {
  await removeAccounts(world)
  await world.sql("delete from provider_book_days")
  await world.sql("delete from model_calls")
  reports.asked.length = 0
  account = { calls: [], lines: [] }
  reports.accounts.set(KEY, account)
  await addAccount(world, "team", { engine: "anthropic", baseUrl: null })
})

const setting = (more: object = {}) => ({ format: "anthropic", api_key: KEY, base_url: REPORTS_URL, ...more })
const put = (body: object, id = "team") => admin.json("PUT", `/api/admin/providers/${id}/report`, body)
const list = async () => (await admin.json("GET", "/api/admin/provider-books?days=30"))[1]
const yesterday = (days = 1) => dayBefore(world.clock.now(), days)
const daysPast = () => world.sql<{ day: string }>("select day::text, takes from provider_book_days order by day")

function own(at: Date, more: Partial<OwnCall> = {}): OwnCall {
  const counts = { input: 100, cached: 20, written: 10, output: 5, micros: 3_000_000 }
  return { id: `call-${at.getTime()}`, model: "alpha-1", at, ...counts, seconds: 1, billed: 3_600_000, ...more }
}

/** Sweeps until nothing is due. */
async function sweepAll() {
  for (let run = 0; run < 4; run++) await world.sweep()
}

test("The key of the reports is stored sealed, and neither an answer nor the audit log has it", async () => {
  const [status, report] = await put(setting({ shared: true, scope_id: "wrkspc_1" }))
  expect(status).toBe(200)
  expect(report).toMatchObject({
    provider_id: "team",
    format: "anthropic",
    shared: true,
    scope_id: "wrkspc_1",
    first_day: yesterday(BOOK_POLICY.backDays),
    version: 1,
  })
  const [again, changed] = await put({ format: "anthropic", base_url: REPORTS_URL })
  expect([again, changed.shared, changed.version]).toEqual([200, false, 2])
  const rows = await world.sql("select r.sealed, l::text as entry from provider_reports r, audit_log l")
  expect(JSON.stringify([report, changed, rows])).not.toContain("canary")
  const [gone, removed] = await admin.json("DELETE", "/api/admin/providers/team/report")
  expect([gone, removed.provider_id]).toEqual([200, "team"])
  expect(await world.sql("select 1 from provider_reports")).toEqual([])
})

test("A setting without a key or of a missing account is refused, and so is a day that has not ended", async () => {
  expect((await put({ format: "openai" }))[1]).toMatchObject({ detail: [{ loc: ["body", "api_key"] }] })
  expect((await put(setting(), "missing"))[1].code).toBe("NOT_FOUND")
  const removed = await admin.call("PUT", "/api/admin/providers/team/report", setting(), { "if-match": '"3"' })
  expect(removed.status, "an edit of a setting that another admin has removed").toBe(404)
  expect((await admin.json("DELETE", "/api/admin/providers/team/report"))[1].code).toBe("NOT_FOUND")
  expect((await admin.json("GET", `/api/admin/provider-books/team/${yesterday()}`))[1].code).toBe("NOT_FOUND")
  const today = yesterday(0)
  await put(setting())
  expect((await admin.json("POST", `/api/admin/provider-books/team/${today}/compare`))[1].code).toBe("NOT_FOUND")
})

test("The sweep compares a day until it is settled, and its findings are told once", async () => {
  const noon = new Date(`${yesterday()}T12:00:00Z`)
  await storeCalls(world, "team", "anthropic", [own(noon), own(new Date(noon.getTime() + HOUR))])
  account.calls.push({ ...own(noon), model: "alpha-1-20250929" })
  await put(setting())
  await sweepAll()
  expect(await daysPast()).toHaveLength(BOOK_POLICY.backDays)
  const [first] = (await list()).items
  expect(first).toMatchObject({
    day: dayBefore(noon, 0),
    state: "preliminary",
    provider_usd: 0.3,
    cost_usd: 0.6,
    billed_usd: 0.72,
    margin_usd: 0.42,
    model_calls: 2,
    findings_total: 1,
  })
  const asked = reports.asked.length
  await sweepAll()
  expect(reports.asked.length, "nothing is due").toBe(asked)
  await world.advance(40 * HOUR)
  await sweepAll()
  const settled = (await list()).items.find(({ day }: { day: string }) => day === dayBefore(noon, 0))
  expect(settled).toMatchObject({ state: "settled", next_at: null, findings_total: 1, seen_at: null })
  const found = await world.sql<{ found_at: string }>("select found_at::text from provider_book_findings")
  expect(found).toHaveLength(1)
  const path = `/api/admin/provider-books/team/${dayBefore(noon, 0)}`
  const [, book] = await admin.json("GET", path)
  expect(book.findings).toMatchObject([
    {
      kind: "provider_less",
      model: "alpha-1",
      difference_usd: -0.3,
      units: [
        { unit: "tokens_input", theirs: 100, ours: 200 },
        { unit: "tokens_cached", theirs: 20, ours: 40 },
        { unit: "tokens_cache_written", theirs: 10, ours: 20 },
        { unit: "tokens_output", theirs: 5, ours: 10 },
        { unit: "usd", theirs: 0.3, ours: 0.6 },
      ],
    },
  ])
  expect(book.calls).toHaveLength(2)
  const checkOf = async () => (await getHealth(contextOf(world))).checks.find(({ name }) => name === "provider_books")
  expect(await checkOf()).toMatchObject({ ok: false, value: 1 })
  expect((await admin.json("POST", `${path}/seen`))[0]).toBe(200)
  expect(await checkOf()).toMatchObject({ ok: true, value: 0 })
  account.calls.push({ ...own(new Date(noon.getTime() + HOUR)), model: "alpha-1-20250929" })
  const [status, equal] = await admin.json("POST", `${path}/compare`)
  expect([status, equal.findings, equal.state]).toEqual([200, [], "settled"])
})

test.each([
  [() => Response.json({ error: `no ${KEY}` }, { status: 403 }), "http_403"],
  [() => new Response("<html>"), "unknown_form"],
  [() => Response.json({ data: "none" }), "unknown_form"],
  [() => Response.json({ data: [], has_more: true, next_page: "again" }), "too_many_pages"],
  [() => Response.json({ data: [{ results: [{ amount: "1", currency: "EUR" }] }], has_more: false }), "other_currency"],
])(
  "Reports that cannot be read are told with their reason, and the day is compared again: %#",
  async (fails, failure) => {
    account.fails = fails
    await put(setting())
    const path = `/api/admin/provider-books/team/${yesterday()}`
    const [status, { code }] = await admin.json("POST", `${path}/compare`)
    expect([status, code]).toEqual([502, "PROVIDER_FAILED"])
    const [, book] = await admin.json("GET", path)
    expect(book).toMatchObject({ failure, state: "waiting", provider_usd: null })
    expect(Date.parse(book.next_at) - world.clock.ms()).toBe(BOOK_POLICY.retryMs)
    expect(JSON.stringify(book)).not.toContain("canary")
    delete account.fails
    expect((await admin.json("POST", `${path}/compare`))[1]).toMatchObject({ failure: null, state: "preliminary" })
  },
)

test("A worker whose claim was taken over stores nothing", async () => {
  await put(setting())
  const path = `/api/admin/provider-books/team/${yesterday()}`
  let inner: number | undefined
  world.serve("reports.test", async () => {
    reports = serveReports(world)
    reports.accounts.set(KEY, account)
    inner = (await admin.json("POST", `${path}/compare`))[0]
    // Only the reports of the first worker have it.
    account.lines.push({ day: yesterday(), text: "late", micros: 5_000_000 })
    return Response.json({ data: [] })
  })
  expect((await admin.json("POST", `${path}/compare`))[0]).toBe(200)
  expect(inner).toBe(200)
  expect((await admin.json("GET", path))[1].provider_usd).toBe(0)
  expect((await admin.json("POST", `${path}/compare`))[1].provider_usd).toBe(0.5)
})

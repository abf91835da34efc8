import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { REPORT_FILE_POLICY } from "../../src/report-files/policies.ts"
import { rollUp } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { breakBucket } from "../harness/files.ts"
import { workerRoles } from "../harness/worker-roles.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAYS = 365
/** The most spaces whose days fit into one answer. Two more make a file of two parts. */
const FITTING = Math.floor(REPORT_FILE_POLICY.rowsAtOnce / DAYS)
const SPACES = FITTING + 2
const USED_AT = "2026-11-19T08:00:00Z"
const SLUGS = "/api/admin/usage?group_by=slug&format=csv"
const YEAR = `${SLUGS}&days=${DAYS}`
const SIZES = "/api/admin/analytics/context-size?format=csv&start=2025-11-20&end=2026-11-21"

let world: World
let admin: Admin

beforeAll(async () => {
  world = await createWorld({ failing: /^42501 (claim_report_file|keep_report_part|start_report_file)$/ })
  await world.advance(Date.parse("2026-11-20T10:00:00Z") - world.clock.ms())
  admin = await signInAdmin(world)
  const client = await world.createAccount()
  await world.sql(
    `insert into spaces (slug, user_id, title, created_at, updated_at)
     select 'spc_filed' || lpad(n::text, 4, '0'), $1, 'Space ' || n, $3, $3 from generate_series(1, $2::int) n`,
    [client.userId, SPACES, USED_AT],
  )
  await world.sql(
    `insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key, request_hash,
       text, model, state, failed_by_us, hold_credit_micros, held_credit_micros, created_at, started_at, price_version)
     select 'turn_filed' || s.space_id, s.user_id, 'key_filed', s.space_id, 'filed' || s.space_id, 1, false, 'customer-1', s.slug, '', '',
       'rehearsal/standard', 'running', false, 10000, 10000, $1, $1, 1 from spaces s`,
    [USED_AT],
  )
  await world.sql(
    `insert into usage (turn_id, step, user_id, space_id, conversation_id, key_id, end_user_ref, provider, subscription_id, model, tokens_input, tokens_cached,
       tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at, test)
     select t.turn_id, 0, t.user_id, t.space_id, t.conversation_id, t.key_id, t.end_user_ref, 'rehearsal', 'member-' || t.space_id, t.model, 100, 0, 10, 1, 1,
       t.space_id, t.space_id, $1, $1, false from turns t`,
    [USED_AT],
  )
  await world.sql(
    `update turns set state = 'done', finished_at = $1, held_credit_micros = 0, cost_credit_micros = space_id, billed_credit_micros = space_id,
       model_calls = 1, tokens_input = 100, tokens_output = 10`,
    [USED_AT],
  )
  await rollUp(world)
})
afterAll(() => world.close())
afterEach(async () => {
  world.rebind({ FILES: world.bucket })
  await world.clearFaults()
  await world.qstash.reset()
  await world.sql("delete from report_files")
})

const { callAsWorker, caller, atNow } = workerRoles(() => world)

const ask = async (path: string, as = admin) => {
  const response = await as.call("GET", path)
  expect(response.status, path).toBe(202)
  return (await response.json()) as { file_id: string; state: string; progress: number; url: string | null }
}
const stateOf = async (fileId: string) => (await admin.json("GET", `/api/admin/report-files/${fileId}`))[1]
const download = async (url: string) => (await admin.call("GET", url)).text()
/** Delivers the next message of the queue and returns the answer's status. A failure is delivered again later. */
const runOnce = async () => {
  const [message] = await world.qstash.due()
  if (!message) throw new Error("nothing is due")
  const { status } = await world.deliver(message)
  await world.qstash.answer({ delivery_id: message.delivery_id, status })
  return status
}
/** Lets the queue deliver again what failed. */
const runAgain = async () => {
  await world.advance(REPORT_FILE_POLICY.lostMs)
  await world.drain()
}

/** The days of all spaces as pages of JSON have them, as rows of the file. */
async function rowsOfPages(): Promise<string[]> {
  const rows: string[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const [, page] = await admin.json("GET", `/api/admin/usage?group_by=slug&days=${DAYS}&offset=${offset}`)
    for (const [slug, days] of Object.entries<{ date: string; turns: number }[]>(page.series))
      for (const { date, turns } of days) rows.push(`${slug} ${date} ${turns}`)
    offset = page.next_offset
  }
  return rows
}
const rowsOf = (text: string) =>
  parseCsv(text)
    .slice(1)
    .map(([slug, date, turns]) => `${slug} ${date} ${turns}`)

test("A report below the bound is answered at once, and one above it by a file with the same rows", async () => {
  const days = Math.floor(REPORT_FILE_POLICY.rowsAtOnce / SPACES)
  const small = await admin.call("GET", `${SLUGS}&days=${days}`)
  expect([small.status, small.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/csv")])
  expect(parseCsv(await small.text())).toHaveLength(SPACES * days + 1)
  const above = await ask(`${SLUGS}&days=${days + 1}`)
  expect(above).toMatchObject({ state: "making", progress: 0, url: null, expires_at: null })

  const { file_id } = await ask(YEAR)
  expect((await ask(YEAR)).file_id, "while it is made").toBe(file_id)
  await world.drain()
  const ready = await stateOf(file_id)
  expect(ready).toMatchObject({ state: "ready", report: "usage-by-slug", progress: 1, rows: SPACES * DAYS })
  expect(Date.parse(ready.expires_at) - world.clock.ms()).toBe(REPORT_FILE_POLICY.keptMs)
  const text = await download(ready.url)
  expect(new TextEncoder().encode(text)).toHaveLength(ready.bytes)
  expect(rowsOf(text)).toEqual(await rowsOfPages())
  const parts = await world.sql("select cardinality(parts) as parts from report_files where file_id = $1", [file_id])
  expect(parts).toEqual([{ parts: 2 }])
})

test("Context sizes, files without empty days and with a byte order mark are files too", async () => {
  const sizes = await ask(`${SIZES}&empty_days=false&bom=true`)
  await world.drain()
  const ready = await stateOf(sizes.file_id)
  expect(ready).toMatchObject({ state: "ready", report: "context-size", rows: SPACES })
  const bytes = new Uint8Array(await (await admin.call("GET", ready.url)).arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const [header, ...rows] = parseCsv(new TextDecoder().decode(bytes))
  expect(header?.slice(0, 2)).toEqual(["space_id", "slug"])
  expect(new Set(rows.map(([id]) => id)).size).toBe(SPACES)
})

test.each([
  ["before", "making", FITTING],
  ["after", "ready", SPACES],
] as const)(
  "A crash %s the commit of a part leaves a file that the next run completes exactly",
  async (when, state, written) => {
    const { file_id } = await ask(YEAR)
    await world.plan([{ service: "pg", match: "keep_report_part", call: 2, action: "cut", when, times: 2 }])
    expect(await runOnce()).toBeGreaterThanOrEqual(500)
    await world.clearFaults()
    const progress = Math.floor((written / SPACES) * 1000) / 1000
    expect(await stateOf(file_id)).toMatchObject({ state, progress, rows: written * DAYS })
    await runAgain()
    const ready = await stateOf(file_id)
    expect(ready).toMatchObject({ state: "ready", rows: SPACES * DAYS })
    expect(rowsOf(await download(ready.url))).toEqual(await rowsOfPages())
  },
)

test("A worker that comes back after its claim has expired adds nothing to the file", async () => {
  const { file_id } = await ask(YEAR)
  const claim = () =>
    callAsWorker("callbacks", "claim_report_file", {
      ...{ file_id, until: new Date(world.clock.ms() + 1_000).toISOString(), tries: 5 },
      ...{ expires_at: world.clock.now().toISOString(), ...atNow() },
    }) as Promise<{ epoch: number | null }>
  const lost = await claim()
  expect((await claim()).epoch, "while it is claimed").toBeNull()
  await world.advance(2_000)
  await world.drain()
  const ready = await stateOf(file_id)
  expect(ready).toMatchObject({ state: "ready", rows: SPACES * DAYS })
  const part = `(report-files/${file_id}/0-${lost.epoch},${FITTING},1,1)`
  const until = { until: world.clock.now().toISOString(), expires_at: world.clock.now().toISOString() }
  expect(
    await callAsWorker("callbacks", "keep_report_part", { file_id, epoch: lost.epoch, part, ...until, ...atNow() }),
  ).toBeNull()
  expect(await stateOf(file_id)).toEqual(ready)
})

test("The sweep calls a lost callback again, and five runs without a part end the file", async () => {
  const { file_id } = await ask(YEAR)
  await world.qstash.reset()
  await world.advance(REPORT_FILE_POLICY.lostMs)
  await world.sweep()
  await world.drain()
  expect(await stateOf(file_id)).toMatchObject({ state: "ready" })

  const { file_id: failing } = await ask(YEAR)
  breakBucket(world, "put")
  const runs: number[] = []
  while (runs.length <= REPORT_FILE_POLICY.tries && (await stateOf(failing)).state === "making") {
    runs.push(await runOnce())
    await world.advance(REPORT_FILE_POLICY.lostMs)
    await world.sweep()
  }
  expect(runs).toEqual([...Array.from({ length: REPORT_FILE_POLICY.tries }, () => 503), 200])
  expect(await stateOf(failing)).toMatchObject({ state: "failed", url: null, expires_at: expect.any(String) })
  expect((await admin.call("GET", `/api/admin/report-files/${failing}/content`)).status).toBe(404)
})

test("A file expires: its link is gone at once, and the sweep removes all its objects", async () => {
  const { file_id } = await ask(YEAR)
  await world.plan([{ service: "pg", match: "keep_report_part", call: 2, action: "cut", when: "before", times: 2 }])
  await runOnce()
  await world.clearFaults()
  await runAgain()
  const { url } = await stateOf(file_id)
  const objects = async () => (await world.bucket.list({ prefix: `report-files/${file_id}/` })).objects.length
  expect(await objects(), "two parts, and one of the claim that was lost").toBe(3)
  await world.advance(REPORT_FILE_POLICY.keptMs - 1)
  expect(rowsOf(await download(url))).toHaveLength(SPACES * DAYS)
  await world.advance(1)
  for (const path of [url, `/api/admin/report-files/${file_id}`])
    expect((await admin.call("GET", path)).status).toBe(404)
  await world.sweep()
  expect(await objects()).toBe(0)
  expect(await world.sql("select from report_files where file_id = $1", [file_id])).toEqual([])
})

test("Only the operator who asked reads a file, and only while they are an operator", async () => {
  const { file_id } = await ask(YEAR)
  await world.drain()
  const { url } = await stateOf(file_id)
  const paths = [url, `/api/admin/report-files/${file_id}`]
  const other = await signInAdmin(world)
  for (const path of paths) expect((await other.call("GET", path)).status, path).toBe(404)
  const client = await world.createAccount()
  const owner = await world.signIn(client.userId)
  for (const path of [...paths, YEAR]) expect((await owner.call("GET", path)).status, path).toBe(403)

  const unfinished = await ask(YEAR, other)
  await world.sql("update users set role = 'user' where user_id = $1", [other.userId])
  for (const path of paths) expect((await other.call("GET", path)).status, path).toBe(403)
  await world.drain()
  const [row] = await world.sql("select state, written from report_files where file_id = $1", [unfinished.file_id])
  expect(row, "the callback reads nothing for a former admin").toEqual({ state: "failed", written: 0 })
})

test("An operator has a limited number of files, and each is in the audit log once", async () => {
  await world.sql(
    `insert into report_files (file_id, user_id, report, asked, entries, total, created_at, updated_at)
     select 'rpt_' || n, $1, 'usage-by-slug', '{}', '{}', 0, $2, $2 from generate_series(1, $3::int) n`,
    [admin.userId, world.clock.now(), REPORT_FILE_POLICY.perOperator - 1],
  )
  const logged = () =>
    world.sql(
      "select from audit_log where action = 'export' and subject_id = 'context-size' and account_user_id is null",
    )
  const before = (await logged()).length
  await Promise.all([ask(SIZES), ask(SIZES)])
  expect(await logged()).toHaveLength(before + 1)
  const [status, { code }] = await admin.json("GET", YEAR)
  expect([status, code]).toEqual([409, "LIMIT_REACHED"])
})

test("Only the callbacks worker writes files, and no role starts one for another operator", async () => {
  const { file_id } = await ask(YEAR)
  const until = { until: world.clock.now().toISOString(), expires_at: world.clock.now().toISOString() }
  for (const worker of ["v1", "auth", "account", "admin"]) {
    const claim = callAsWorker(worker, "claim_report_file", { file_id, tries: 5, ...until, ...atNow() })
    await expect(claim, worker).rejects.toMatchObject({ code: "42501" })
  }
  const start = { ...caller("ses_unknown"), file_id: "rpt_forged", report: "usage-by-slug", asked: "{}", query: "{}" }
  const forged = { ...start, entries: "{1}", most: 20 }
  expect(await callAsWorker("admin", "start_report_file", forged)).toMatchObject({ refused: "admin", entity: null })
  await expect(callAsWorker("account", "start_report_file", forged)).rejects.toMatchObject({ code: "42501" })
})

test("A report with more rows than a file may have is refused with both numbers", async () => {
  const many = Math.floor(REPORT_FILE_POLICY.rows / DAYS) + 1
  await world.sql(
    `with huge as (insert into spaces (slug, user_id, title, created_at, updated_at)
       select 'spc_huge' || n, $1, '', $2, $2 from generate_series(1, $3::int) n returning space_id, user_id)
     insert into space_days select d.* from huge, jsonb_populate_record(
         (select d from space_days d limit 1), jsonb_build_object('space_id', space_id, 'day', '2026-11-19')) d`,
    [admin.userId, USED_AT, many],
  )
  const [status, { detail }] = await admin.json("GET", YEAR)
  expect([status, detail[0].loc]).toEqual([422, ["query", "days"]])
  expect(detail[0].msg).toContain(((many + SPACES) * DAYS).toLocaleString("en-US"))
  expect(detail[0].msg).toContain(REPORT_FILE_POLICY.rows.toLocaleString("en-US"))
})

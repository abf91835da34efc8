import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { dayBefore } from "../../src/provider-books/report-day.ts"
import { runAdmin, startAdminDatabase } from "../harness/admin-command.ts"
import { type OwnCall, storeCalls } from "../harness/own-calls.ts"
import { type CountedAccount, serveReports } from "../harness/provider-reports.ts"

/** `npm run admin -- books`, with the reports of a provider on this machine. */

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`
const REPORT_KEY = "sk-admin-canary-0123"
const DAY = dayBefore(new Date(), 1)
const OF_DAY = ["--provider-id", "team", "--day", DAY]

let database: Awaited<ReturnType<typeof startAdminDatabase>>
let client: pg.Client
let provider: Server
let account: CountedAccount
beforeAll(async () => {
  database = await startAdminDatabase()
  client = database.client
  expect((await books())[1], "before the migrations").toContain("does not exist")
  expect((await runAdmin({ DATABASE_URL: database.url }, "migrate"))[0]).toBe(0)
  expect(await books()).toEqual([0, 'No account has a key for its reports. Store one on the page "Provider\'s books".'])
  await serveAccount()
  const { port } = provider.address() as AddressInfo
  await client.query(`
    insert into provider_accounts (provider_id, pool, name, kind, engine, created_at, updated_at)
      values ('team', 'main', 'Team', 'api_key', 'anthropic', now(), now());
    insert into model_catalog (pin, engine, model, label, price_input, price_cached, price_output)
      values ('anthropic/alpha-1', 'anthropic', 'alpha-1', 'Alpha', 1, 1, 1);`)
  const target = { table: "provider_reports", column: "sealed", row: "team", owner: "operator" } as const
  await client.query(
    `insert into provider_reports (provider_id, format, base_url, sealed, shared, first_day, created_at, updated_at)
     values ('team', 'anthropic', $1, $2, false, $3, now(), now())`,
    [`http://127.0.0.1:${port}/v1`, await createKeyRing(parseKeyRing(KEYS)).seal(REPORT_KEY, target), DAY],
  )
})
afterAll(async () => {
  provider.close()
  await database.close()
})

const books = (...args: string[]) => runAdmin({ DATABASE_URL: database.url, SECRETS_KEYS: KEYS }, "books", ...args)

/** Serves the reports of an account whose provider charges twice the amount of our two calls. */
async function serveAccount() {
  let answer: (request: Request) => Response | Promise<Response> = () => new Response()
  const reports = serveReports({ serve: (_host, handler) => (answer = handler) })
  provider = createServer(async (request, response) => {
    const headers = { "x-api-key": String(request.headers["x-api-key"]) }
    const answered = await answer(new Request(`http://127.0.0.1${request.url}`, { headers }))
    response.writeHead(answered.status, { "content-type": "application/json" }).end(await answered.text())
  }).listen(0, "127.0.0.1")
  await once(provider, "listening")
  const call = { model: "alpha-1", input: 100, cached: 20, written: 10, output: 5, seconds: 1, billed: 3_600_000 }
  const own = [10, 11].map((hour): OwnCall => {
    return { ...call, id: `call-${hour}`, at: new Date(`${DAY}T${hour}:00:00Z`), micros: 3_000_000 }
  })
  const sql = async (text: string, values?: unknown[]) => (await client.query(text, values)).rows
  await storeCalls({ sql } as Parameters<typeof storeCalls>[0], "team", "anthropic", own)
  account = { calls: own.map((one) => ({ ...one, micros: 6_000_000 })), lines: [] }
  reports.accounts.set(REPORT_KEY, account)
}

test("The command line compares a day, lists its finding, and marks it as seen", async () => {
  const [code, compared] = await books("compare", ...OF_DAY)
  expect([code, compared]).toEqual([1, expect.stringMatching(/^provider_more +alpha-1 +0\.6 +usd 1\.2 \(ours 0\.6\)/m)])
  expect(compared).toMatch(/^day +provider_id +state +provider_usd +cost_usd +billed_usd +margin_usd +findings_total$/m)
  expect(compared).toMatch(/^alpha-1 +tokens_input +200 +200 +200 +200$/m)

  const [listed, list] = await books()
  const day = new RegExp(`^${DAY} +team +preliminary +1\\.2 +0\\.6 +0\\.72 +-0\\.48 +1$`, "m")
  expect([listed, list]).toEqual([1, expect.stringMatching(day)])
  expect(list).toMatch(new RegExp(`^${DAY} +team +provider_more +alpha-1 +0\\.6`, "m"))
  const [, json] = await books("--json", "--days", "7", "--provider-id", "team")
  expect(JSON.parse(json)).toMatchObject({
    reports: [{ provider_id: "team", format: "anthropic" }],
    items: [{ day: DAY, findings_total: 1, findings: [{ kind: "provider_more", difference_usd: 0.6 }] }],
  })
  expect(await books("--provider-id", "other")).toEqual([0, "No day of the last 30 was compared."])

  expect(await books("seen", ...OF_DAY)).toEqual([0, `The findings of team on ${DAY} are marked as seen.`])
  const [seen, shown] = await books("day", ...OF_DAY)
  expect([seen, shown]).toEqual([0, expect.stringContaining("1 (seen)")])
  expect(JSON.parse((await books("day", ...OF_DAY, "--json"))[1]).calls).toHaveLength(2)
  const { rows } = await client.query("select action, subject_id, after from audit_log where action like 'provider.%'")
  expect(rows).toEqual([
    { action: "provider.compare", subject_id: "team", after: { day: DAY } },
    { action: "provider.findings_seen", subject_id: "team", after: { day: DAY } },
  ])
  expect(JSON.stringify([compared, list, json, shown, rows])).not.toContain("canary")
})

test("Without a day, all days that are due are compared, and a day without a difference has no finding", async () => {
  account.calls = account.calls.map((call) => ({ ...call, micros: 3_000_000 }))
  await client.query("update provider_book_days set next_at = now() - interval '1 hour'")
  const [code, words] = await books("compare")
  expect([code, words]).toEqual([0, expect.stringMatching(/^[12] days compared, 0 new findings, 0 days whose/)])
  const [clean, day] = await books("day", ...OF_DAY)
  expect([clean, day]).toEqual([0, expect.stringContaining("No findings.")])
})

test("A provider that refuses the key fails the command, and the day has the reason", async () => {
  account.fails = () => Response.json({ error: { message: "no canary" } }, { status: 401 })
  const [code, words] = await books("compare", ...OF_DAY)
  expect([code, words]).toEqual([1, "The provider's reports could not be read. The day shows the reason."])
  expect((await books())[1]).toMatch(new RegExp(`^${DAY} +team +http_401 `, "m"))
})

test.each<[what: string, args: string[], words: string]>([
  ["a day without its account", ["day", "--day", DAY], "Give --provider-id and --day together."],
  [
    "a day that does not exist",
    ["day", "--provider-id", "team", "--day", "2026-13-01"],
    '--day: "2026-13-01" is not a day',
  ],
  ["a day that has not ended", ["compare", "--provider-id", "team", "--day", "2999-01-01"], "this day has not ended"],
  ["a day that is not compared", ["seen", "--provider-id", "team", "--day", "2020-01-01"], "is not compared"],
  ["a wrong number of days", ["--days", "0"], "--days must be a number from 1 to "],
])("The command line refuses %s", async (_what, args, words) => {
  expect(await books(...args)).toEqual([1, expect.stringContaining(words)])
})

test("A comparison needs the keys of the reports", async () => {
  const env = { DATABASE_URL: database.url, SECRETS_KEYS: "" }
  expect((await runAdmin(env, "books", "compare"))[1]).toMatch(/^Set SECRETS_KEYS/)
})

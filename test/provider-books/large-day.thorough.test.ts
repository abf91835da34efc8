import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel } from "../harness/models.ts"
import { addAccount } from "../harness/provider-accounts.ts"
import { type CountedAccount, REPORTS_URL, serveReports } from "../harness/provider-reports.ts"
import { createWorld, type World } from "../harness/world.ts"

/** A day with a million calls is summed by one statement, whatever the number of calls. */

let world: World
let admin: Admin
const account: CountedAccount = { calls: [], lines: [] }
beforeAll(async () => {
  world = await createWorld({ isNew: true, isBounded: false })
  admin = await signInAdmin(world)
  serveReports(world).accounts.set("sk-admin-large", account)
  await addAccount(world, "large", { engine: "openai", baseUrl: null })
  for (const model of MODELS) await addModel(world, `openai/${model}`)
  const body = { format: "openai", api_key: "sk-admin-large", base_url: REPORTS_URL }
  expect((await admin.json("PUT", "/api/admin/providers/large/report", body))[0]).toBe(200)
})
afterAll(() => world.close())

const MODELS = ["m-0", "m-1", "m-2", "m-3"]
const CALLS = 1_000_000

/** Stores calls evenly over a day, of all models in turn. */
const fill = (day: string, from: number, count: number) =>
  world.sql(
    `insert into model_calls (user_id, space_id, key_id, end_user_ref, conversation_id, turn_id, step, test, provider,
       subscription_id, model, tokens_input, tokens_cached, tokens_output, duration_sec, price_version,
       cost_credit_micros, billed_credit_micros, created_at, settled_at, response_id)
     select 1, 1, 'key', 'customer', 'conv', 'turn_' || $1 || n, 0, false, 'openai', 'large', 'openai/m-' || n % 4, 1000,
       100, 50, 1, 1, 1000, 1000, t.at, t.at, 'resp_' || n
     from generate_series($2::integer, $2::integer + $3::integer - 1) n,
       lateral (select $1::timestamptz + interval '1 hour' + n * interval '72 milliseconds' as at) t`,
    [`${day}T00:00:00Z`, from, count],
  )

/** The report of a provider that has counted the same calls, and one more. */
function report(day: string, calls: number) {
  account.calls = MODELS.map((model) => ({
    id: model,
    times: calls / 4,
    model,
    at: new Date(`${day}T12:00:00Z`),
    input: (calls / 4) * 1000,
    cached: (calls / 4) * 100,
    written: 0,
    output: (calls / 4) * 50 + (model === "m-0" ? 7 : 0),
    micros: (calls / 4) * 1000,
  }))
}

async function compare(day: string) {
  await world.plan([])
  const startedAt = performance.now()
  const [status, book] = await admin.json("POST", `/api/admin/provider-books/large/${day}/compare`)
  const seconds = (performance.now() - startedAt) / 1000
  expect(status, JSON.stringify(book)).toBe(200)
  const statements = (await world.calls()).filter(({ service }) => service === "pg").length
  return { book, statements, seconds }
}

test("A day with a million calls takes as many statements as a day with forty", async () => {
  await fill("2026-11-15", 0, 40)
  report("2026-11-15", 40)
  const small = await compare("2026-11-15")
  for (let from = 0; from < CALLS; from += 100_000) await fill("2026-11-17", from, 100_000)
  report("2026-11-17", CALLS)
  const large = await compare("2026-11-17")
  const figures = ({ statements, seconds }: typeof small) => ({ statements, seconds: Math.round(seconds * 10) / 10 })
  console.log("a day with 40 calls", figures(small), `a day with ${CALLS} calls`, figures(large))
  expect(large.book.model_calls).toBe(CALLS)
  expect(large.statements).toBe(small.statements)
  const more = large.book.findings.filter(({ model }: { model: string }) => model === "m-0")
  expect(more).toMatchObject([{ units: expect.arrayContaining([expect.objectContaining({ unit: "tokens_output" })]) }])
})

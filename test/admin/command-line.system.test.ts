import { createServer } from "node:net"
import type pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runAdmin, startAdminDatabase } from "../harness/admin-command.ts"

let database: Awaited<ReturnType<typeof startAdminDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await startAdminDatabase()
  client = database.client
})
afterAll(() => database.close())

const admin = (...args: string[]) => runAdmin({ DATABASE_URL: database.url }, ...args)

test("The command line credits, corrects, refunds and reconciles", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const user = /\d+/.exec((await admin("user", "--email", "a@example.com"))[1])?.[0] as string
  expect(await admin("top-up", "--user", user, "--usd", "5")).toEqual([0, "ledger_id 1\nbalance 5 USD"])
  const paid = ["top-up", "--user", user, "--usd", "2.5", "--reason", "credit_purchase", "--reference", "invoice-7"]
  expect(await admin(...paid)).toEqual([0, "ledger_id 2\nbalance 7.5 USD"])
  expect(await admin(...paid)).toEqual([0, "ledger_id 2 (it was booked before)\nbalance 7.5 USD"])
  expect((await admin("top-up", "--user", user, "--usd=-1", "--reason", "admin_action"))[1]).toContain(
    "balance 6.5 USD",
  )
  for (const wrong of [
    ["top-up", "--user", user, "--usd=-1"],
    ["top-up", "--user", user, "--usd", "0"],
    ["top-up", "--user", user, "--usd", "1000000.0000001"],
    ["top-up", "--user", user, "--usd=-7", "--reason", "admin_action"],
    ["top-up", "--user", user, "--usd", "1", "--reason", "usage"],
    ["top-up", "--user", "999", "--usd", "1"],
    ["refund", "--turn", "turn_none", "--note", "x"],
    ["refund", "--turn", "turn_none"],
  ]) {
    const [code, output] = await admin(...wrong)
    expect([code, output.includes("    at ")], wrong.join(" ")).toEqual([1, false])
  }

  const [sound, report] = await admin("reconcile")
  expect([sound, JSON.parse(report)]).toMatchObject([0, { findings_total: 0, ledger_rows: 3, started_by: "operator" }])
  await client.query("update wallets set balance_credit_micros = balance_credit_micros + 1")
  const [spoilt, found] = await admin("reconcile")
  expect([spoilt, JSON.parse(found)]).toMatchObject([
    1,
    { findings: [{ kind: "balance", user_id: Number(user), expected_usd: 6.5, found_usd: 6.5000001 }] },
  ])
})

test("A database that accepts the connection but never answers ends the command", async () => {
  const silent = createServer(() => {})
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
  const { port } = silent.address() as { port: number }
  const [code, output] = await runAdmin({ DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c` }, "losses")
  expect([code, output]).toEqual([1, "timeout expired"])
  silent.close()
})

test("Each act of the command line is in the audit log, without a secret", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const [, made] = await admin("user", "--email", "acts@example.com", "--admin")
  const [user, password] = [/user_id (\d+)/.exec(made)?.[1] ?? "", /password (\S+)/.exec(made)?.[1] ?? ""]
  const value = /key +(\S+)/.exec((await admin("key", "--user", user, "--name", "n"))[1])?.[1] ?? ""
  await admin("top-up", "--user", user, "--usd", "1")
  expect((await admin("top-up", "--user", user, "--usd=-9", "--reason", "admin_action"))[0]).toBe(1)
  await admin("model", "--pin", "openai/m", "--input", "1", "--output", "2")
  await admin("disable", "--user", user)
  await admin("reset-factor", "--user", user)
  const { rows } = await client.query(
    "select action, subject_id, actor_user_id, after from audit_log where created_at > now() - interval '1 hour' order by audit_id",
  )
  const actions = rows.map(({ action }) => action as string)
  for (const action of ["cli.migrate", "user.create", "key.create", "user.credit", "model.enable"]) {
    expect(actions).toContain(action)
  }
  const own = rows.filter(({ subject_id }) => subject_id === user).map(({ action }) => action)
  expect(own, "refused acts are not in the log").toEqual(["user.create", "user.credit"])
  const text = JSON.stringify(rows)
  expect([password.length, value.length].every((length) => length > 10)).toBe(true)
  for (const secret of [password, value]) expect(text).not.toContain(secret)
})

test("The command line sets tiers and factors of a model, and refuses wrong ones with their place", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const model = ["model", "--pin", "openai/tiered", "--input", "1", "--output", "2"]
  const tiers = JSON.stringify([{ above_input_tokens: 272_000, input: 2, cached: 0.2, output: 3 }])
  const modifiers = JSON.stringify({ flex: 0.5, priority: 2 })
  expect((await admin(...model, "--tiers", tiers, "--modifiers", modifiers))[0]).toBe(0)
  const terms = () => client.query("select price_tiers, price_modifiers from model_catalog where pin = 'openai/tiered'")
  expect((await terms()).rows).toMatchObject([
    {
      price_tiers: [{ above_input_tokens: 272_000, price_input: 20_000_000, price_output: 30_000_000 }],
      price_modifiers: { flex: 5_000, priority: 20_000 },
    },
  ])
  expect((await admin(...model, "--modifiers", '{"standard":2}'))[0]).toBe(1)
  expect((await admin(...model, "--tiers", "["))[0]).toBe(1)
  expect((await terms()).rows).toMatchObject([{ price_modifiers: { flex: 5_000 } }])
})

test("The command line changes of a model only what its options name", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const model = ["model", "--pin", "openai/kept"]
  const row = async () => {
    const { rows } = await client.query("select to_jsonb(c) as row from model_catalog c where pin = 'openai/kept'")
    return rows[0]?.row as Record<string, unknown>
  }
  const tiers = JSON.stringify([{ above_input_tokens: 100, input: 2, cached: 0.2, output: 3 }])
  const terms = ["--tiers", tiers, "--modifiers", '{"flex":0.5}', "--web-search", "0.01", "--idle-seconds", "90"]
  expect((await admin(...model, "--label", "Kept", "--input", "1", "--output", "2", ...terms))[0]).toBe(0)
  await client.query("update model_catalog set sort_order = 7 where pin = 'openai/kept'")
  const first = await row()
  expect(first).toMatchObject({ label: "Kept", price_cached: 10_000_000, price_web_search: 100_000, price_version: 1 })

  expect((await admin(...model))[0]).toBe(0)
  expect(await row(), "without options nothing changes").toEqual(first)
  const named = { price_output: 40_000_000, price_web_search: null, price_version: 2 }
  expect((await admin(...model, "--output", "4", "--web-search", "none"))[0]).toBe(0)
  expect(await row()).toEqual({ ...first, ...named })
  expect((await admin(...model, "--tiers", "none", "--idle-seconds", "none"))[0]).toBe(0)
  const cut = { ...first, ...named, price_tiers: null, idle_seconds: null, price_version: 3 }
  expect(await row()).toEqual(cut)

  // The prices until now become the provider's, and the markup makes ours.
  expect((await admin(...model, "--markup", '{"percent":50}'))[0]).toBe(0)
  const marked = await row()
  const ours = { price_input: 15_000_000, price_cached: 15_000_000, price_output: 60_000_000 }
  const provider_prices = { price_input: 10_000_000, price_output: 40_000_000, price_modifiers: { flex: 5_000 } }
  expect(marked).toMatchObject({ ...ours, provider_prices, price_markup: { ten_thousandths: 5_000 } })
  expect((await admin(...model, "--label", "Kept"))[0]).toBe(0)
  expect(await row(), "the markup and the provider's prices stay").toEqual(marked)
  expect((await admin(...model, "--provider", '{"input":2,"cached":1,"output":4}'))[0]).toBe(0)
  expect(await row()).toMatchObject({ price_input: 30_000_000, price_cached: 15_000_000, price_modifiers: null })
  expect((await admin(...model, "--markup", "none"))[0]).toBe(0)
  expect(await row()).toMatchObject({ price_input: 30_000_000, price_markup: null, provider_prices: {} })
  expect((await admin(...model, "--provider", "none", "--input", "5"))[0]).toBe(0)
  expect(await row()).toMatchObject({ price_input: 50_000_000, price_cached: 15_000_000, provider_prices: null })
})

test("Planned prices of a model stay when the command line changes something else, and refuse other prices", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const model = ["model", "--pin", "openai/planned"]
  expect((await admin(...model, "--input", "1", "--output", "2"))[0]).toBe(0)
  await client.query(`
    insert into former_prices
      select f.* from model_catalog c, jsonb_populate_record(null::former_prices,
        to_jsonb(c) || jsonb_build_object('until_at', now() + interval '1 day')) f where c.pin = 'openai/planned'`)
  await client.query(`
    update model_catalog set price_output = 90000000, price_version = 2, prices_from = now() + interval '1 day'
      where pin = 'openai/planned'`)
  expect((await admin(...model, "--label", "Later"))[0]).toBe(0)
  const { rows } = await client.query("select label, price_output from model_catalog where pin = 'openai/planned'")
  expect(rows).toEqual([{ label: "Later", price_output: "90000000" }])
  expect(await admin(...model, "--output", "3")).toEqual([
    1,
    "Other prices of openai/planned are planned. Cancel them first.",
  ])
})

test.each<[what: string, options: string[], error: string]>([
  ["a new model without a price", ["--output", "2"], "--input: is missing"],
  ["a price that is no number", ["--input", "x", "--output", "2"], '--input: "x" is not an amount in USD.'],
  ["a price of nothing", ["--input", "none", "--output", "2"], '--input: "none" is not an amount in USD.'],
  [
    "a part of the provider's prices",
    ["--provider", '{"input":1}', "--markup", '{"percent":5}'],
    "--provider.cached: ",
  ],
  ["an empty markup", ["--input", "1", "--output", "2", "--markup", "{}"], "--markup: must add"],
  ["a markup of no list", ["--markup", '{"percent":5}', "--provider", "none"], "A markup needs the provider's prices."],
  [
    "prices of our own with a markup",
    ["--input", "1", "--provider", '{"input":1,"cached":1,"output":1}', "--markup", '{"percent":5}'],
    "The markup makes our prices of the provider's.",
  ],
])("The command line refuses %s and adds no model", async (_what, options, error) => {
  expect((await admin("migrate"))[0]).toBe(0)
  const [code, output] = await admin("model", "--pin", "openai/wrong", ...options)
  expect([code, output]).toEqual([1, expect.stringContaining(error)])
  expect((await client.query("select from model_catalog where pin = 'openai/wrong'")).rowCount).toBe(0)
})

test("The command line compares the catalog with the price feed, changes nothing, and exits with 1 if it has findings", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  await client.query("delete from former_prices")
  await client.query("delete from model_catalog where engine <> 'rehearsal'")
  const [sound, nothing] = await admin("models", "check")
  expect([sound, nothing]).toEqual([0, expect.stringContaining("0 models compared, 0 findings.")])
  await admin("model", "--pin", "openai/gpt-5-mini", "--input", "0.2", "--cached", "0.025", "--output", "2")
  const before = await client.query("select to_jsonb(c) as row from model_catalog c order by pin")
  const [code, report] = await admin("models", "check")
  expect(code).toBe(1)
  expect(report).toMatch(/^Prices of @pydantic\/genai-prices \S+, published on \d{4}-\d\d-\d\d, \d+ days ago\.\n/)
  expect(report).toContain("openai/gpt-5-mini  Input: 0.2 → 0.25 USD (+25 %).\n")
  const [, json] = await admin("models", "check", "--json")
  expect(JSON.parse(json).items).toMatchObject([
    { pin: "openai/gpt-5-mini", findings: [{ kind: "price", component: "input", ours: 0.2, feed: 0.25 }, {}] },
  ])
  expect((await client.query("select to_jsonb(c) as row from model_catalog c order by pin")).rows).toEqual(before.rows)
  expect((await admin("models"))[0]).toBe(1)
})

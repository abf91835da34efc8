import { afterAll, beforeAll, expect, test } from "vitest"
import { ROLLUPS, SUMS_BEFORE } from "../../src/analytics/rollups.ts"
import type { TurnReceipt } from "../../src/receipts/get-receipt.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { serveCustomer } from "../harness/customer.ts"
import { everyRow } from "../harness/dump.ts"
import { callOfOperation, ESTATE_HOST } from "../harness/estate.ts"
import { v1Operations } from "../harness/operations.ts"
import { exportTraces } from "../harness/otlp.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import { createPortalBrowser, makePortal } from "../harness/portal.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

/** The provider's prices are unlike any other number, and so is each cost that they give. */
const PROVIDER = { input: 7_777.1234567, cached: 6_543.7654321, output: 5_321.9876543, cache_write: 8_765.4321987 }

let world: World
let admin: Admin
let estate: OwnerEstate
let customer: ReturnType<typeof serveCustomer>
/** The prices and costs as texts: in USD, and in credit micros. */
let canaries: string[]
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const path = `/api/admin/model-catalog/${encodeURIComponent("rehearsal/standard")}/prices`
  const [status] = await admin.json("PUT", path, { input: 1, cached: 0.1, output: 5, provider: PROVIDER })
  expect(status).toBe(200)
  customer = serveCustomer(world, { host: ESTATE_HOST })
  estate = await createOwnerEstate(world)
  const space = await estate.client.space()
  const { turn_id } = await estate.client.runTurn({
    space,
    end_user_ref: estate.canary,
    text: "[use input=97 output=13]",
  })
  Object.assign(estate.ids, { "turns/{turn_id}": turn_id, "ended/{turn_id}": turn_id })
  await world.drain()
  await exportTraces(world)
  const costs = await world.sql<{ micros: number }>(
    "select distinct provider_credit_micros::float8 as micros from model_calls where provider_credit_micros is not null",
  )
  expect(Math.min(...costs.map(({ micros }) => micros))).toBeGreaterThan(1_000_000)
  const amounts = [...Object.values(PROVIDER).map((usd) => Math.round(usd * 1e7)), ...costs.map(({ micros }) => micros)]
  canaries = amounts.flatMap((micros) => [String(micros), String(micros / 1e7)])
})
afterAll(() => world.close())

const foundIn = (text: string) => canaries.filter((canary) => text.includes(canary))

test("No answer to an owner, a key or an end user has what a call costs us", async () => {
  const answered = new Set<string>()
  const expectNone = async (place: string, response: Response) => {
    const text = await response.text()
    if (response.ok) answered.add(place)
    expect(foundIn(text), place).toEqual([])
  }
  for (const operation of v1Operations().operations.filter(({ method }) => method === "get")) {
    const { method, path, body, headers } = callOfOperation(operation, estate)
    await expectNone(operation.id, await estate.client.call(method, path, body, headers))
  }
  for (const operation of ownerOperations.filter(({ method }) => method === "get")) {
    const { method, path, body, headers } = ownerCallOf(operation, estate)
    await expectNone(`owner's ${operation.id}`, await estate.owner.call(method, path, body, headers))
  }
  const browser = createPortalBrowser(world)
  const portal = await browser.open(await makePortal(estate.client, estate.canary))
  for (const place of ["overview", "turns", `turns/${estate.ids["ended/{turn_id}"]}`]) {
    await expectNone(`portal's ${place}`, await portal.get(place))
  }
  for (const place of ["getTurnReceipt", "getUsage", "owner's getTurnBill", "portal's turns", "listModels"]) {
    expect([...answered]).toContain(place)
  }
})

test("Webhooks, tools and exported traces have none of it", () => {
  const sent = JSON.stringify(customer.requests)
  expect(["turn.done", "gen_ai.usage.input_tokens"].filter((part) => !sent.includes(part))).toEqual([])
  expect(foundIn(sent)).toEqual([])
})

test("Only the catalog, the calls, their sums for operators and the audit log store it", async () => {
  const rows = await everyRow(world)
  const tables = new Set(rows.flatMap(({ name, text }) => (foundIn(text).length > 0 ? [name] : [])))
  const sums = new Set(["service_days", ...[...ROLLUPS, ...SUMS_BEFORE].map(({ name }) => name)])
  expect([...tables].filter((name) => !sums.has(name)).sort()).toEqual(["audit_log", "model_calls", "model_catalog"])
})

test("An operator's answers have it", async () => {
  const shown = [
    await admin.call("GET", "/api/admin/model-catalog"),
    await admin.call("GET", `/api/admin/turns/${estate.ids["ended/{turn_id}"]}`),
    await admin.call("GET", `/api/admin/turns/${estate.ids["ended/{turn_id}"]}/receipt`),
  ]
  for (const response of shown) expect(foundIn(await response.text())).not.toEqual([])
})

test("The receipt has the same documents for its owner and for an operator, who also sees the cost and margin of each call", async () => {
  const turnId = estate.ids["ended/{turn_id}"]
  const own = (await (await estate.client.call("GET", `/v1/turns/${turnId}/receipt`)).json()) as TurnReceipt
  const [, { costs, ...documents }] = await admin.json("GET", `/api/admin/turns/${turnId}/receipt`)
  expect(documents).toEqual(own)
  const { calls } = own.receipt.document
  expect(costs.calls.map(({ step }: { step: number }) => step)).toEqual(calls.map(({ step }) => step))
  for (const [at, call] of calls.entries()) {
    const cost = costs.calls[at]
    expect(canaries).toContain(String(cost.cost_usd))
    expect(cost.billed_cost_usd).toBe(Number(call.amount_usd))
    expect(cost.margin_usd).toBeCloseTo(cost.billed_cost_usd - cost.cost_usd, 7)
  }
})

test("A turn that is open or unknown has no receipt for operators, and only operators may ask", async () => {
  const { turn_id } = await turnOf(await estate.client.sendTurn({ space: await estate.client.space() }))
  expect((await admin.json("GET", `/api/admin/turns/${turn_id}/receipt`))[0]).toBe(409)
  expect((await admin.json("GET", "/api/admin/turns/turn_unknown/receipt"))[0]).toBe(404)
  expect((await estate.owner.call("GET", `/api/admin/turns/${turn_id}/receipt`)).status).toBe(403)
})

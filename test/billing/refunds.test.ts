import { afterAll, beforeAll, expect, test } from "vitest"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import type { Customer, CustomerTotals } from "../../src/end-users/list-customers.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { parseCsv } from "../harness/csv.ts"
import { expectBooks } from "../harness/promises.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const refund = async (turnId: string) => {
  admin = await signInAdmin(world)
  const [status, entry] = await admin.json("POST", `/api/admin/turns/${turnId}/refund`, { note: "Sorry." })
  expect(status, JSON.stringify(entry)).toBe(200)
}

const DAY_MS = 86_400_000

test("A refund is on the turn in every API, in lists, in the bill and in exports", async () => {
  const client = await world.createAccount({ usd: 10 })
  const { turn_id, billed_cost_usd, refunded_usd } = await client.runTurn({ space: await client.space() })
  expect(billed_cost_usd).toBeGreaterThan(0)
  expect(refunded_usd).toBe(0)
  await refund(turn_id)
  const amounts = { billed_cost_usd, refunded_usd: billed_cost_usd }
  const owner = await world.signIn(client.userId)
  for (const [reader, path] of [
    [owner, `/api/account/turns/${turn_id}`],
    [owner, `/api/account/turns/${turn_id}/bill`],
    [admin, `/api/admin/turns/${turn_id}`],
  ] as const) {
    const [status, answer] = await reader.json("GET", path)
    expect(status, path).toBe(200)
    expect({ ...answer, ...answer.turn }, path).toMatchObject(amounts)
  }
  expect(await client.getTurn(turn_id)).toMatchObject(amounts)
  const { data } = (await (await client.call("GET", "/v1/turns")).json()) as { data: object[] }
  expect(data).toMatchObject([amounts])
  for (const [reader, path] of [
    [owner, "/api/account/turn-summaries"],
    [admin, `/api/admin/turns?user_id=${client.userId}`],
  ] as const) {
    const [, { items }] = await reader.json("GET", path)
    expect(items, path).toMatchObject([amounts])
    const csv = await reader.call("GET", `${path}${path.includes("?") ? "&" : "?"}format=csv`)
    const [head = [], row = []] = parseCsv(await csv.text())
    expect(row[head.indexOf("refunded_usd")], path).toBe(String(billed_cost_usd))
  }
  const exported = await client.call("GET", "/v1/end-users/customer-1/export")
  expect(((await exported.json()) as { turns: object[] }).turns).toMatchObject([amounts])
})

test("Reports count a refund on the day of its booking, as gross, refunded and net, rolled up or not", async () => {
  const client = await world.createAccount({ usd: 10 })
  const space = await client.space()
  const turn = await client.runTurn({ space, end_user_ref: "ada" })
  await world.advance(DAY_MS)
  const second = await client.runTurn({ space, end_user_ref: "bob" })
  await refund(turn.turn_id)
  const gross = { billed_cost_usd: second.billed_cost_usd, refunded_usd: turn.billed_cost_usd }
  const sum = (turn.billed_cost_usd * 1e7 + second.billed_cost_usd * 1e7) / 1e7
  for (const isRolled of [false, true]) {
    if (isRolled) await world.sweep()
    const message = `rolled up: ${isRolled}`
    const usage = async (query: string) =>
      (await (await client.call("GET", `/v1/usage?${query}`)).json()) as {
        data: { group: string }[]
        total: { turns: number }
      }
    const byDay = await usage("group_by=day")
    expect(byDay.data, message).toMatchObject([
      { billed_usd: turn.billed_cost_usd, refunded_usd: 0, net_usd: turn.billed_cost_usd },
      { billed_usd: second.billed_cost_usd, refunded_usd: turn.billed_cost_usd },
    ])
    for (const grouping of ["day", "space", "key", "model", "end_user_ref", "config_version"]) {
      const { total } = await usage(`group_by=${grouping}`)
      expect(total, grouping).toMatchObject({ turns: 2, billed_usd: sum, refunded_usd: turn.billed_cost_usd })
    }
    const today = world.clock.now().toISOString().slice(0, 10)
    const refs = await usage(`group_by=end_user_ref&from=${today}`)
    expect(refs.data, message).toMatchObject([
      { group: "ada", turns: 0, billed_usd: 0, refunded_usd: turn.billed_cost_usd, net_usd: -turn.billed_cost_usd },
      { group: "bob", turns: 1, refunded_usd: 0 },
    ])
    const [, breakdown] = await admin.json("GET", "/api/admin/analytics/breakdown?dimension=user&days=1&limit=1000")
    expect(
      breakdown.items.find(({ key }: { key: string }) => key === String(client.userId)),
      message,
    ).toMatchObject({ ...gross, turns: 1 })
    const owner = await world.signIn(client.userId)
    const [, { items, totals }] = (await owner.json("GET", "/api/account/customers?sort=name&direction=asc")) as [
      number,
      { items: Customer[]; totals: CustomerTotals },
    ]
    expect(totals, message).toMatchObject({ turns: 2, billed_usd: sum, refunded_usd: turn.billed_cost_usd })
    expect(items, message).toMatchObject([
      { end_user_ref: "ada", refunded_usd: turn.billed_cost_usd, net_usd: 0, refunded_today_usd: turn.billed_cost_usd },
      { end_user_ref: "bob", refunded_usd: 0, net_usd: second.billed_cost_usd, refunded_this_month_usd: 0 },
    ])
    expect(items[0]?.last_turn_at, "a refund is no turn").toBe(turn.finished_at)
    const endUser = await client.call("GET", "/v1/end-users/ada")
    expect(await endUser.json()).toMatchObject({ refunded_usd: turn.billed_cost_usd, last_turn_at: turn.created_at })
    const [, user] = await admin.json("GET", `/api/admin/users/${client.userId}`)
    expect(user, message).toMatchObject({
      spend_30_days_usd: sum,
      refunded_30_days_usd: turn.billed_cost_usd,
      net_30_days_usd: second.billed_cost_usd,
    })
    const [, overview] = await admin.json("GET", "/api/admin/overview")
    expect(overview.refunded.today_usd, message).toBeGreaterThanOrEqual(turn.billed_cost_usd)
  }
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})

test("A refund of a prepaid turn returns its charge to the same wallet, once, and lets a waiting turn continue", async () => {
  const { putPrice, bill, credit, spend, balance, ledger, userId, call } = await createSeller(world)
  await putPrice("double", { multiplier: 2 })
  await bill("ada", { price: "double", prepaid: true })
  await credit("ada", 5)
  const turn = await spend("ada", 0.5)
  expect(turn).toMatchObject({ end_user_charge_usd: 1 })
  expect(await balance("ada")).toMatchObject({ balance_usd: 4 })
  const asked = Array.from({ length: 8 }, () =>
    refundTurn(contextOf(world), { turnId: turn.turn_id, actor: "operator", note: "Sorry." }),
  )
  expect((await Promise.all(asked)).filter(({ replayed }) => !replayed)).toHaveLength(1)
  expect(await balance("ada")).toMatchObject({ balance_usd: 5, held_usd: 0 })
  expect((await ledger("ada")).data).toMatchObject([
    { reason: "refund", amount_usd: 1, balance_after_usd: 5, turn_id: turn.turn_id, note: null },
    { reason: "usage", amount_usd: -1, turn_id: turn.turn_id },
    { reason: "credit", amount_usd: 5 },
  ])
  expect((await ledger("ada", "?reason=refund")).data).toHaveLength(1)
  expect((await call("GET", "/v1/usage?group_by=end_user_ref")).body.total).toMatchObject({
    billed_usd: 0.5,
    refunded_usd: 0.5,
    net_usd: 0,
    end_user_charge_usd: 1,
  })
  await expectBooks(world, userId)
  admin = await signInAdmin(world)
  const [, looked] = await admin.json("GET", `/api/admin/turns/${turn.turn_id}`)
  expect(looked).toMatchObject({
    wallet_charge_usd: 1,
    ledger: [
      { bucket: "refunded", amount_usd: 0.5, note: "Sorry." },
      { bucket: "spent", amount_usd: -0.5 },
    ],
  })
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})

test("A refund of a turn with a price and without a wallet leaves the end user alone", async () => {
  const { putPrice, bill, spend, ledger } = await createSeller(world)
  await putPrice("double", { multiplier: 2 })
  await bill("bob", { price: "double" })
  const turn = await spend("bob", 0.5)
  await refund(turn.turn_id)
  expect((await ledger("bob")).data).toEqual([])
})

test("A refund is no granted credit: reports of the ledger have it in a bucket of its own", async () => {
  const client = await world.createAccount({ usd: 10 })
  const turn = await client.runTurn({ space: await client.space() })
  const owner = await world.signIn(client.userId)
  const read = async () => (await owner.json("GET", "/api/account/energy?days=1"))[1]
  const fileOf = async () => parseCsv(await (await owner.call("GET", "/api/account/energy?days=1&format=csv")).text())
  const before = await read()
  await refund(turn.turn_id)
  const energy = turn.billed_cost_usd * 10
  for (const isRolled of [false, true]) {
    if (isRolled) await world.sweep()
    const after = await read()
    expect(after.totals).toMatchObject({ free: before.totals.free, spent: before.totals.spent })
    expect(after.totals.refunded).toBeCloseTo(energy, 7)
    expect(after.days[0].refunded).toBeCloseTo(energy, 7)
    const [head = [], row = []] = await fileOf()
    expect(Number(row[head.indexOf("refunded")])).toBeCloseTo(energy, 7)
    const [, timeline] = await admin.json("GET", "/api/admin/analytics/energy-timeline?days=1")
    expect(timeline.totals.refunded, `rolled up: ${isRolled}`).toBeGreaterThanOrEqual(energy - 1e-7)
    const { free, bonus, paid, refunded, spent, unbucketed, change } = timeline.totals
    expect(free + bonus + paid + refunded - spent + unbucketed).toBeCloseTo(change, 6)
  }
  const [, listed] = await owner.json("GET", "/api/account/ledger?bucket=refunded")
  expect(listed.items).toMatchObject([{ reason: "admin_action", bucket: "refunded", turn_id: turn.turn_id }])
  for (const [filter, found] of [
    ["bucket=refunded", [turn.turn_id]],
    ["reason=usage", [turn.turn_id]],
    ["reason=usage&bucket=refunded", []],
  ] as const) {
    const path = `/api/admin/users/${client.userId}/energy?${filter}`
    const [, { ledger }] = await admin.json("GET", path)
    expect(
      ledger.items.map(({ turn_id }: { turn_id: string }) => turn_id),
      filter,
    ).toEqual(found)
    expect(ledger.total, filter).toBe(found.length)
    const [, ...rows] = parseCsv(await (await admin.call("GET", `${path}&format=csv`)).text())
    expect(rows, filter).toHaveLength(found.length)
  }
  const [, granted] = await owner.json("GET", "/api/account/ledger?bucket=free")
  expect(granted.items.map(({ turn_id }: { turn_id: string | null }) => turn_id)).not.toContain(turn.turn_id)
})

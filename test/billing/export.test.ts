import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EXPORT_POLICY } from "../../src/billing/policies.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { contextOf } from "../harness/context.ts"
import { ownerWithAll } from "../harness/estate.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import {
  type ClosedHour,
  digestOfHour,
  intoNextHour,
  type PostedUsage,
  sweepAndDrain,
} from "../harness/usage-export.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const putExport = async (client: TestClient, enabled: boolean) => {
  const response = await client.call("PUT", "/v1/usage/export", { enabled })
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}

interface Fed {
  type: string
  data: object
}

async function fedOf<Data>(client: TestClient, type: string): Promise<Data[]> {
  const response = await client.call("GET", `/v1/events?limit=100&type=${type}`)
  return ((await response.json()) as { data: Fed[] }).data.map(({ data }) => data as Data).reverse()
}

describe("The export of the ledger", () => {
  test("Each charge and refund is one event with a stable id, and a closed hour equals the ledger", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await client.runTurn({ space })
    await putExport(client, true)
    await client.call("PUT", "/v1/prices/standard", { multiplier: 2 })
    await client.call("PUT", "/v1/end-users/customer-7/billing", { price: "standard" })
    const turn = await client.runTurn({ space, end_user_ref: "customer-7" })
    await refundTurn(contextOf(world), { turnId: turn.turn_id, actor: "operator", note: "late" })
    await client.runTurn({ space, text: "[use input=0 output=0]" })
    await sweepAndDrain(world)
    const rows = await fedOf<PostedUsage>(client, "usage.posted")
    expect(rows).toMatchObject([
      {
        kind: "usage",
        turn_id: turn.turn_id,
        end_user_ref: "customer-7",
        amount_usd: turn.billed_cost_usd.toFixed(7),
        end_user_charge_usd: (turn.billed_cost_usd * 2).toFixed(7),
        price: { name: "standard", version: 1 },
      },
      {
        kind: "refund",
        turn_id: turn.turn_id,
        end_user_charge_usd: null,
        amount_usd: `-${turn.billed_cost_usd.toFixed(7)}`,
      },
    ])
    const ledger = await world.sql<{ id: number }>(
      "select ledger_id::float8 as id from ledger where turn_id = $1 order by ledger_id",
      [turn.turn_id],
    )
    expect(rows.map(({ ledger_id }) => ledger_id)).toEqual(ledger.map(({ id }) => id))
    await intoNextHour(world, EXPORT_POLICY.closeAfterMs - 1)
    await sweepAndDrain(world)
    expect(await fedOf(client, "hour.closed")).toEqual([])
    await world.advance(1)
    await sweepAndDrain(world)
    await sweepAndDrain(world)
    expect(await fedOf<ClosedHour>(client, "hour.closed")).toMatchObject([
      { from: rows[0]?.hour, rows: 2, sum: "0.0000000", digest: digestOfHour(rows) },
    ])
    expect(await fedOf<PostedUsage>(client, "usage.posted")).toEqual(rows)
  })

  test("An account that has not asked for it has no events of it and no rows, and a webhook for all types does not ask", async () => {
    const client = await ownerWithAll(world, 10)
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url })
    await client.runTurn({ space: await client.space() })
    await sweepAndDrain(world)
    expect(receiver.received.map(({ event }) => event.type)).not.toContain("usage.posted")
    const [found] = await world.sql<{ count: number }>(
      "select count(*)::integer as count from ledger_exports where user_id = $1",
      [client.userId],
    )
    expect(found?.count).toBe(0)
    expect(await (await client.call("GET", "/v1/usage/export")).json()).toMatchObject({
      enabled: false,
      started_at: null,
    })
  })

  test("A webhook that names its events starts it, for live data and keys to all spaces only", async () => {
    const client = await ownerWithAll(world, 10)
    await makeWebhook(client, { url: serveReceiver(world).url, events: ["usage.posted", "hour.closed"] })
    expect(await (await client.call("GET", "/v1/usage/export")).json()).toMatchObject({ enabled: true })
    for (const options of [{ scope: "created" }, { scope: "all", test: true }] as const) {
      const { userId } = await world.createAccount()
      const narrow = world.createClient(userId, (await world.makeKey(userId, options)).value)
      await makeWebhook(narrow, { url: serveReceiver(world).url, events: ["usage.posted"] })
      expect((await narrow.call("PUT", "/v1/usage/export", { enabled: true })).status).toBe(403)
      const found = await world.sql("select from ledger_exports where user_id = $1", [userId])
      expect(found).toEqual([])
    }
  })

  test("A row of a closed hour comes into the next open hour, so a closed hour never changes", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    await intoNextHour(world, EXPORT_POLICY.closeAfterMs)
    await sweepAndDrain(world)
    const [first] = await fedOf<ClosedHour>(client, "hour.closed")
    const late = await client.runTurn({ space })
    await world.sql("alter table ledger disable trigger ledger_append_only")
    await world.sql("update ledger set created_at = $2 where turn_id = $1", [late.turn_id, first?.from])
    await world.sql("alter table ledger enable trigger ledger_append_only")
    await sweepAndDrain(world)
    expect((await fedOf<PostedUsage>(client, "usage.posted")).at(-1)).toMatchObject({
      turn_id: late.turn_id,
      hour: first?.to,
    })
    await intoNextHour(world, EXPORT_POLICY.closeAfterMs)
    await sweepAndDrain(world)
    const hours = await fedOf<ClosedHour>(client, "hour.closed")
    expect(hours.map(({ rows }) => rows)).toEqual([1, 1])
    expect(hours[1]?.empty_since).toBe(first?.to)
  })

  test("An hour stays open while a charge of it waits to be posted", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    const at = new Date(world.clock.ms())
    await intoNextHour(world, EXPORT_POLICY.closeAfterMs)
    const ctx = contextOf(world)
    const { callOne } = await import("../../src/platform/db.ts")
    await world.sql(
      "insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at) values ($1, 'usage', -5, 'turn_waiting', $2)",
      [client.userId, at],
    )
    const args = {
      user_id: client.userId,
      limit: 100,
      ended_before: new Date(world.clock.ms()),
      moment: new Date(world.clock.ms()),
    }
    expect(await callOne(ctx.db, "export_ledger", args)).toMatchObject({ exported: 1, closed: 0 })
    await world.sql("delete from postings where user_id = $1", [client.userId])
    expect(await callOne(ctx.db, "export_ledger", args)).toMatchObject({ exported: 0, closed: 1 })
  })

  test("Stopping exports the rows so far and closes the hour; a new start has only later rows", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    expect(await putExport(client, false)).toMatchObject({ enabled: false })
    await client.runTurn({ space })
    world.clock.advance(1_000)
    await putExport(client, true)
    const last = await client.runTurn({ space })
    await sweepAndDrain(world)
    const rows = await fedOf<PostedUsage>(client, "usage.posted")
    expect(rows).toHaveLength(2)
    const [hour] = await fedOf<ClosedHour>(client, "hour.closed")
    expect(hour).toMatchObject({ rows: 1, digest: digestOfHour(rows.slice(0, 1)) })
    expect(rows[1]).toMatchObject({ turn_id: last.turn_id, hour: hour?.to })
    // No row is said to be of a later time than it was booked.
    expect(rows.map(({ hour, booked_at }) => hour <= booked_at)).toEqual([true, true])
    expect(await putExport(client, false)).toMatchObject({ enabled: false })
    const [first, rest] = await fedOf<ClosedHour>(client, "hour.closed")
    expect([first, rest]).toEqual([hour, expect.objectContaining({ from: hour?.to, rows: 1 })])
    expect(rest?.digest).toBe(digestOfHour(rows.slice(1)))
  })
})

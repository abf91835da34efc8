import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EXPORT_POLICY } from "../../src/billing/policies.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { contextOf } from "../harness/context.ts"
import { makeWebhook, type ReceivedEvent, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ failing: /export_ledger/ })
})
afterAll(() => world.close())

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Posted {
  ledger_id: number
  hour: string
  kind: string
  amount_usd: string
  turn_id: string | null
  end_user_ref: string | null
}

interface Closed {
  from: string
  to: string
  rows: number
  sum: string
  digest: string
  empty_since: string
}

const micros = (usd: string) => BigInt(usd.replace(".", ""))

/** The digest of an hour, as the guide says. */
function digestOf(rows: Posted[]): string {
  let digest = Buffer.alloc(32)
  for (const { ledger_id, amount_usd } of rows.toSorted((a, b) => a.ledger_id - b.ledger_id)) {
    digest = createHash("sha256").update(digest).update(`${ledger_id} ${amount_usd}\n`).digest()
  }
  return digest.toString("hex")
}

/** A meter that refuses the same id for 24 hours, like Stripe's. It compares each closed hour with what it has. */
function createMeter() {
  const seen = new Map<number, number>()
  const rows: Posted[] = []
  const closed = new Map<string, Closed>()
  return {
    rows,
    closed,
    take({ at, event: { type, data } }: Pick<ReceivedEvent, "at" | "event">) {
      if (type === "hour.closed") {
        const hour = data as unknown as Closed
        closed.set(hour.from, hour)
      } else if (type === "usage.posted") {
        const row = data as unknown as Posted
        const before = seen.get(row.ledger_id)
        if (before !== undefined && at - before < DAY) return
        seen.set(row.ledger_id, at)
        rows.push(row)
      }
    },
    hours() {
      return [...closed.values()].map((hour) => {
        const own = rows.filter((row) => row.hour === hour.from)
        const sum = own.reduce((all, { amount_usd }) => all + micros(amount_usd), 0n)
        return {
          from: hour.from,
          isEqual: sum === micros(hour.sum) && own.length === hour.rows && digestOf(own) === hour.digest,
        }
      })
    },
  }
}

async function createOwner() {
  const { userId } = await world.createAccount()
  return world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
}

const putExport = async (client: TestClient, enabled: boolean) => {
  const response = await client.call("PUT", "/v1/usage/export", { enabled })
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}

async function intoNextHour(ms: number): Promise<void> {
  await world.advance(HOUR - (world.clock.ms() % HOUR) + ms)
}

async function sweepAll(): Promise<void> {
  await world.sweep()
  await world.drain()
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
    const client = await createOwner()
    const space = await client.space()
    await client.runTurn({ space })
    await putExport(client, true)
    const turn = await client.runTurn({ space, end_user_ref: "customer-7" })
    await refundTurn(contextOf(world), { turnId: turn.turn_id, actor: "operator", note: "late" })
    await client.runTurn({ space, text: "[use input=0 output=0]" })
    await sweepAll()
    const rows = await fedOf<Posted>(client, "usage.posted")
    expect(rows).toMatchObject([
      { kind: "usage", turn_id: turn.turn_id, end_user_ref: "customer-7", amount_usd: turn.billed_cost_usd.toFixed(7) },
      { kind: "refund", turn_id: turn.turn_id, amount_usd: `-${turn.billed_cost_usd.toFixed(7)}` },
    ])
    const ledger = await world.sql<{ id: number }>(
      "select ledger_id::float8 as id from ledger where turn_id = $1 order by ledger_id",
      [turn.turn_id],
    )
    expect(rows.map(({ ledger_id }) => ledger_id)).toEqual(ledger.map(({ id }) => id))
    await intoNextHour(EXPORT_POLICY.closeAfterMs - 1)
    await sweepAll()
    expect(await fedOf(client, "hour.closed")).toEqual([])
    await world.advance(1)
    await sweepAll()
    await sweepAll()
    expect(await fedOf<Closed>(client, "hour.closed")).toMatchObject([
      { from: rows[0]?.hour, rows: 2, sum: "0.0000000", digest: digestOf(rows) },
    ])
    expect(await fedOf<Posted>(client, "usage.posted")).toEqual(rows)
  })

  test("An account that has not asked for it has no events of it and no rows, and a webhook for all types does not ask", async () => {
    const client = await createOwner()
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url })
    await client.runTurn({ space: await client.space() })
    await sweepAll()
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
    const client = await createOwner()
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
    const client = await createOwner()
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    await intoNextHour(EXPORT_POLICY.closeAfterMs)
    await sweepAll()
    const [first] = await fedOf<Closed>(client, "hour.closed")
    const late = await client.runTurn({ space })
    await world.sql("alter table ledger disable trigger ledger_append_only")
    await world.sql("update ledger set created_at = $2 where turn_id = $1", [late.turn_id, first?.from])
    await world.sql("alter table ledger enable trigger ledger_append_only")
    await sweepAll()
    expect((await fedOf<Posted>(client, "usage.posted")).at(-1)).toMatchObject({
      turn_id: late.turn_id,
      hour: first?.to,
    })
    await intoNextHour(EXPORT_POLICY.closeAfterMs)
    await sweepAll()
    const hours = await fedOf<Closed>(client, "hour.closed")
    expect(hours.map(({ rows }) => rows)).toEqual([1, 1])
    expect(hours[1]?.empty_since).toBe(first?.to)
  })

  test("An hour stays open while a charge of it waits to be posted", async () => {
    const client = await createOwner()
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    const at = new Date(world.clock.ms())
    await intoNextHour(EXPORT_POLICY.closeAfterMs)
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
    const client = await createOwner()
    const space = await client.space()
    await putExport(client, true)
    await client.runTurn({ space })
    expect(await putExport(client, false)).toMatchObject({ enabled: false })
    await client.runTurn({ space })
    await putExport(client, true)
    const last = await client.runTurn({ space })
    await sweepAll()
    const rows = await fedOf<Posted>(client, "usage.posted")
    expect(rows).toHaveLength(2)
    const [hour] = await fedOf<Closed>(client, "hour.closed")
    expect(hour).toMatchObject({ rows: 1, digest: digestOf(rows.slice(0, 1)) })
    expect(rows[1]).toMatchObject({ turn_id: last.turn_id, hour: hour?.to })
  })
})

describe("A meter that deduplicates for 24 hours", () => {
  test("It equals each closed hour and the ledger under lost answers, crashes of the sweep and replays, and finds a planted loss", async () => {
    const client = await createOwner()
    const meter = createMeter()
    let count = 0
    const receiver = serveReceiver(world, (seen) => {
      meter.take(seen)
      // Every third answer is lost after the meter has taken the event, and every seventh is an error.
      count++
      if (count % 3 === 0) throw new TypeError("connection reset")
      return new Response(null, { status: count % 7 === 0 ? 503 : 200 })
    })
    const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["usage.posted", "hour.closed"] })
    const began = new Date(world.clock.ms()).toISOString()
    const space = await client.space()
    for (let hour = 0; hour < 5; hour++) {
      for (let turn = 0; turn < 3; turn++) {
        await client.runTurn({ space, end_user_ref: `customer-${turn}` })
        // The sweep's statement fails before or after its effect, or its answer is lost.
        const [action, when] = (
          [
            ["fail", "before"],
            ["cut", "after"],
            ["fail", "after"],
          ] as const
        )[turn] ?? ["cut", "before"]
        await world.plan([{ call: 1, service: "pg", match: "export_ledger", action, when }])
        await sweepAll()
        await world.plan([])
        await Promise.all([world.sweep(), world.sweep()])
        await world.drain()
      }
      if (hour === 2) {
        const replayed = await client.call("POST", `/v1/webhooks/${webhook_id}/replay`, {
          from: began,
          include_delivered: true,
        })
        expect(replayed.status, await replayed.clone().text()).toBe(202)
      }
      await intoNextHour(EXPORT_POLICY.closeAfterMs)
      await sweepAll()
    }
    for (let round = 0; round < 6; round++) {
      await world.advance(HOUR)
      await sweepAll()
    }
    const hours = meter.hours()
    expect(hours).toHaveLength(5)
    expect(hours.every(({ isEqual }) => isEqual)).toBe(true)
    const [books] = await world.sql<{ charged: number }>(
      "select -sum(amount_credit_micros)::float8 as charged from ledger where user_id = $1 and reason = 'usage'",
      [client.userId],
    )
    expect(meter.rows.reduce((sum, { amount_usd }) => sum + micros(amount_usd), 0n)).toBe(BigInt(books?.charged ?? -1))
    expect(new Set(meter.rows.map(({ ledger_id }) => ledger_id)).size).toBe(15)
    expect(receiver.received.length).toBeGreaterThan(20)

    // The planted loss: one row is swapped for a second copy of another, so that neither number nor sum changes.
    const [lost, other] = [meter.rows[4], meter.rows[5]]
    expect(lost?.amount_usd).toBe(other?.amount_usd)
    meter.rows[4] = other as Posted
    expect(meter.hours().filter(({ isEqual }) => !isEqual)).toEqual([{ from: lost?.hour, isEqual: false }])
  }, 120_000)
})

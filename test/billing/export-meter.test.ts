import { afterAll, beforeAll, expect, test } from "vitest"
import { EXPORT_POLICY } from "../../src/billing/policies.ts"
import { isThorough } from "../harness/crash.ts"
import { ownerWithAll } from "../harness/estate.ts"
import { makeWebhook, type ReceivedEvent, serveReceiver } from "../harness/receiver.ts"
import {
  type ClosedHour,
  digestOfHour,
  intoNextHour,
  type PostedUsage,
  sweepAndDrain,
} from "../harness/usage-export.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ failing: /export_ledger/ })
})
afterAll(() => world.close())

const HOUR = 3_600_000
const DAY = 24 * HOUR
const HOURS = isThorough ? 5 : 2

const micros = (usd: string) => BigInt(usd.replace(".", ""))

/** A meter that refuses the same id for 24 hours, like Stripe's. It compares each closed hour with what it has. */
function createMeter() {
  const seen = new Map<number, number>()
  const rows: PostedUsage[] = []
  const closed = new Map<string, ClosedHour>()
  return {
    rows,
    closed,
    take({ at, event: { type, data } }: Pick<ReceivedEvent, "at" | "event">) {
      if (type === "hour.closed") {
        const hour = data as unknown as ClosedHour
        closed.set(hour.from, hour)
      } else if (type === "usage.posted") {
        const row = data as unknown as PostedUsage
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
          isEqual: sum === micros(hour.sum) && own.length === hour.rows && digestOfHour(own) === hour.digest,
        }
      })
    },
  }
}

test("A meter that deduplicates for 24 hours equals each closed hour and the ledger under lost answers, crashes of the sweep and replays, and finds a planted loss", async () => {
  const client = await ownerWithAll(world, 10)
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
  for (let hour = 0; hour < HOURS; hour++) {
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
      await sweepAndDrain(world)
      await world.plan([])
      await Promise.all([world.sweep(), world.sweep()])
      await world.drain()
    }
    if (hour === HOURS - 2) {
      const replayed = await client.call("POST", `/v1/webhooks/${webhook_id}/replay`, {
        from: began,
        include_delivered: true,
      })
      expect(replayed.status, await replayed.clone().text()).toBe(202)
    }
    await intoNextHour(world, EXPORT_POLICY.closeAfterMs)
    await sweepAndDrain(world)
  }
  for (let round = 0; round < 6; round++) {
    await world.advance(HOUR)
    await sweepAndDrain(world)
  }
  const hours = meter.hours()
  expect(hours).toHaveLength(HOURS)
  expect(hours.every(({ isEqual }) => isEqual)).toBe(true)
  const [books] = await world.sql<{ charged: number }>(
    "select -sum(amount_credit_micros)::float8 as charged from ledger where user_id = $1 and reason = 'usage'",
    [client.userId],
  )
  expect(meter.rows.reduce((sum, { amount_usd }) => sum + micros(amount_usd), 0n)).toBe(BigInt(books?.charged ?? -1))
  expect(new Set(meter.rows.map(({ ledger_id }) => ledger_id)).size).toBe(3 * HOURS)
  expect(receiver.received.length, "some were sent again").toBeGreaterThan(4 * HOURS)

  // The planted loss: one row is swapped for a second copy of another, so that neither number nor sum changes.
  const [lost, other] = [meter.rows[4], meter.rows[5]]
  expect(lost?.amount_usd).toBe(other?.amount_usd)
  meter.rows[4] = other as PostedUsage
  expect(meter.hours().filter(({ isEqual }) => !isEqual)).toEqual([{ from: lost?.hour, isEqual: false }])
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { COSTS_ALL } from "../harness/account-events.ts"
import { type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { makeWebhook, type Receiver, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const receivers = new Map<number, Receiver>()

/** Gives the key a cap of 0.1 USD per day, and the account a webhook of its owner. */
async function watch({ userId }: TestClient): Promise<void> {
  await world.sql("update api_keys set daily_credit_micros = 1000000 where user_id = $1", [userId])
  const receiver = serveReceiver(world)
  receivers.set(userId, receiver)
  const owner = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  await makeWebhook(owner, { url: receiver.url, events: ["cap.reached", "balance.low", "balance.depleted"] })
}

async function toldOf({ userId }: TestClient): Promise<string[]> {
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  const rows = await world.sql<{ told: string; event_id: string }>(
    `select type || coalesce(' ' || (data ->> 'percent'), '') as told, event_id from events
     where user_id = $1 and turn_id is null order by event_id collate "C"`,
    [userId],
  )
  const heard = new Set(receivers.get(userId)?.received.map(({ event }) => event.id))
  expect([...heard].sort(), "every event that was written is received").toEqual(
    rows.map(({ event_id }) => event_id).sort(),
  )
  return rows.map(({ told }) => told)
}

async function untilRefused(client: TestClient, space: string, status: number): Promise<void> {
  const key = crypto.randomUUID()
  for (let tries = 0; tries < 3; tries++) {
    const response = await client.sendTurn({ space }, key)
    if (response.status === status) return
    expect(response.status, await response.text()).toBe(503)
  }
  throw new Error("the turn was never refused")
}

const scenarios: Scenario[] = [
  {
    name: "a charge that reaches 50 and 80 % of a cap",
    arrange: watch,
    async act(client, space) {
      await sendUntilAccepted(client, { space, text: COSTS_ALL, max_cost_usd: 0.09 })
      await world.drain()
    },
    async check(_turns, client) {
      expect(await toldOf(client)).toEqual(["cap.reached 50", "cap.reached 80"])
    },
  },
  {
    name: "a refusal at the end of a cap",
    arrange: watch,
    async act(client, space) {
      await sendUntilAccepted(client, { space, text: COSTS_ALL, max_cost_usd: 0.0999 })
      for (let round = 0; round < 10 && (await isOpen(client)); round++) {
        await world.drain()
        await world.advance(60_000)
        await world.sweep()
      }
      await untilRefused(client, space, 429)
      await world.drain()
    },
    async check(_turns, client) {
      expect((await toldOf(client)).sort()).toEqual(["cap.reached 100", "cap.reached 50", "cap.reached 80"])
    },
  },
  {
    name: "a charge of all that is left of the balance",
    arrange: watch,
    async act(client, space) {
      await world.sql("update api_keys set daily_credit_micros = null where user_id = $1", [client.userId])
      await sendUntilAccepted(client, { space, text: COSTS_ALL, max_cost_usd: 10 })
      await world.drain()
    },
    async check(_turns, client) {
      expect(await toldOf(client)).toEqual(["balance.low", "balance.depleted"])
    },
  },
]

async function isOpen({ userId }: TestClient): Promise<boolean> {
  const open = await world.sql("select 1 from turns where user_id = $1 and finished_at is null", [userId])
  return open.length > 0
}

test.each(scenarios)("The event of $name is sent once, whichever call fails", (scenario) =>
  survivesEveryFailure(world, scenario),
)

import { afterAll, beforeAll, expect, test } from "vitest"
import { claimDeliveries } from "../../src/webhooks/claim-deliveries.ts"
import { sendUntilAnswered } from "../harness/crash.ts"
import { effortOf } from "../harness/plans.ts"
import { createRandom } from "../harness/random.ts"
import { makeWebhook, type Receiver, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const TRANSITIONS = ["turn.queued", "turn.running", "turn.done"]

/** Events by turn, in the order of their first arrival. */
function byTurn(receiver: Receiver): Map<string, string[]> {
  const turns = new Map<string, string[]>()
  for (const { event } of receiver.received) {
    const id = event.data.turn?.turn_id as string
    turns.set(id, [...(turns.get(id) ?? []), event.type])
  }
  return turns
}

const statesOf = (webhookId: string) =>
  world.sql<{ state: string; count: number; tried: number }>(
    `select state, count(*)::int as count, count(*) filter (where attempts > 0)::int as tried
     from webhook_deliveries where webhook_id = $1 group by state order by state`,
    [webhookId],
  )

async function sendTurns(client: TestClient, space: string, turns: number) {
  const answers = await Promise.all(
    Array.from({ length: turns }, (_, index) => {
      const key = crypto.randomUUID()
      const send = () => client.sendTurn({ space, end_user_ref: `customer-${index}` }, key)
      // On a slow machine the database may be too busy for some of them.
      return sendUntilAnswered(send)
    }),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
}

// 10,000 in CI, fewer locally.
const [ROUNDS, TURNS_EACH] = [17, 197]

test(`The ${ROUNDS * TURNS_EACH * 3} transitions reach three endpoints: a healthy one, one that is always down, and one that flaps`, async () => {
  const random = createRandom("webhook volume")
  const client = await world.createAccount({ usd: 1000 })
  const healthy = serveReceiver(world)
  const down = serveReceiver(world, () => {
    throw new TypeError("connection refused")
  })
  let flapped = false
  let isShaky = true
  const flapping = serveReceiver(
    world,
    () => new Response(null, { status: flapped || (isShaky && random.int(10) === 0) ? 503 : 200 }),
  )
  const space = await client.space()
  const ids: string[] = []
  for (const { url } of [healthy, down, flapping]) ids.push((await makeWebhook(client, { url })).webhook_id)

  const turns = ROUNDS * TURNS_EACH
  for (let round = 1; round <= ROUNDS; round++) {
    flapped = round % 3 === 0
    await sendTurns(client, space, TURNS_EACH)
    await world.drain()
    // No time has passed, and the healthy endpoint has every event although the others fail.
    expect(healthy.received).toHaveLength(round * TURNS_EACH * TRANSITIONS.length)
    await world.advance(1000)
  }
  const sent = byTurn(healthy)
  expect(sent.size).toBe(turns)
  for (const types of sent.values()) expect(types).toEqual(TRANSITIONS)
  expect(await statesOf(ids[0] as string)).toEqual([{ state: "delivered", count: turns * 3, tried: turns * 3 }])

  flapped = false
  isShaky = false
  for (let round = 0; (await statesOf(ids[2] as string)).some(({ state }) => state === "pending"); round++) {
    expect(round, "the flapping endpoint is stuck").toBeLessThan(12)
    await world.advance(400_000)
    await world.sweep()
    await world.drain()
  }
  expect(await statesOf(ids[2] as string)).toEqual([{ state: "delivered", count: turns * 3, tried: turns * 3 }])
  for (const types of byTurn(flapping).values()) expect(new Set(types)).toEqual(new Set(TRANSITIONS))
  expect(new Set(flapping.received.map(({ headers }) => headers["webhook-id"])).size).toBe(turns * 3)
  expect(healthy.received, "no event was repeated").toHaveLength(turns * 3)

  const pending = await statesOf(ids[1] as string)
  expect(pending).toEqual([{ state: "pending", count: turns * 3, tried: expect.any(Number) }])
  expect(pending[0]?.tried, "at least each turn's first event").toBeGreaterThanOrEqual(turns)
  await client.call("PATCH", `/v1/webhooks/${ids[1]}`, { enabled: false })
  expect(await statesOf(ids[1] as string)).toEqual([{ ...pending[0], state: "failed" }])
  console.log(
    `${turns * 3} transitions (seed ${random.seed}): ${flapping.received.length} attempts at the flapping endpoint`,
  )
})

test("An endpoint that never answers delays no other endpoint and no turn", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const silent = serveReceiver(world, () => new Promise<Response>(() => {}))
  const healthy = serveReceiver(world)
  await makeWebhook(client, { url: silent.url })
  await makeWebhook(client, { url: healthy.url })
  const space = await client.space()
  const { promise: all, resolve } = Promise.withResolvers<void>()
  healthy.answer = () => {
    if (healthy.received.length === 150) resolve()
    return new Response()
  }
  await sendTurns(client, space, 50)
  const drained = world.drain()
  await all
  expect(silent.received.length, "no attempt has ended there").toBeGreaterThan(0)
  expect(
    await world.sql(
      "select 1 from webhook_attempts a join webhook_deliveries d using (delivery_id) join webhook_endpoints w using (webhook_id) where w.url = $1",
      [silent.url],
    ),
  ).toEqual([])
  const [turns] = await world.sql("select count(*)::int as done from turns where user_id = $1 and state = 'done'", [
    client.userId,
  ])
  expect(turns).toEqual({ done: 50 })
  silent.answer = () => new Response()
  await world.advance(15_000)
  await drained
})

const statistics = {
  "no statistics about it yet": false,
  "statistics from a time without pending deliveries": true,
}

test.each(Object.entries(statistics))(
  "A backlog of 12,000 events after others, and %s, delays no delivery that is due",
  async (_, known) => {
    const own = await createWorld()
    for (const table of ["events", "webhook_deliveries"]) {
      await own.sql(`alter table ${table} set (autovacuum_enabled = false)`)
    }
    const client = await own.createAccount()
    const now = own.clock.now().toISOString()
    /**
     * Makes turns with two events each for an endpoint. The later event is due and waits for the
     * second attempt of the earlier one.
     */
    const makeBacklog = async (webhookId: string, name: string, turns: number) => {
      await own.sql("alter table events disable trigger user")
      await own.sql(
        `insert into events (event_id, user_id, test, type, data, created_at)
       select $3 || n || '_' || seq, $1, false, 'ping', jsonb_build_object('webhook_id', $3), $2 from generate_series(1, $4::int) n, generate_series(1, 2) seq`,
        [client.userId, now, name, turns],
      )
      await own.sql("alter table events enable trigger user")
      await own.sql(
        `insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at, attempts, round)
       select 'dlv_' || event_id, $1, event_id, split_part(event_id, '_', 2), seq,
         $2::timestamptz + case seq when 1 then interval '1 hour' else '0' end, $2, 2 - seq, 2 - seq
       from (select event_id, right(event_id, 1)::int as seq from events where event_id like $3 || '%') e`,
        [webhookId, now, name],
      )
    }
    if (known) {
      const { webhook_id } = await makeWebhook(client, { url: serveReceiver(own).url })
      await makeBacklog(webhook_id, "evt_past", 1000)
      await own.sql("update webhook_deliveries set state = 'delivered', next_attempt_at = null, finished_at = $1", [
        now,
      ])
      await own.sql("vacuum analyze webhook_deliveries")
    }
    const receiver = serveReceiver(own)
    const { webhook_id } = await makeWebhook(client, { url: receiver.url })
    await makeBacklog(webhook_id, "evt_backlog", 12_000)
    expect((await client.call("POST", `/v1/webhooks/${webhook_id}/test`)).status).toBe(202)
    await own.drain()
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["ping"])
    const states = await own.sql(
      "select state, count(*)::int as count, sum(attempts)::int as tries from webhook_deliveries where webhook_id = $1 group by 1",
      [webhook_id],
    )
    expect(states).toContainEqual({ state: "delivered", count: 1, tries: 1 })

    // Each waiting delivery is read once, and so is the delivery that it waits for, by its turn,
    // with any statistics about the backlog.
    const claim = await effortOf(own, client, (ctx) => claimDeliveries(ctx, webhook_id))
    console.log(
      `a claim behind ${12_000}: ${claim.rowsOf("webhook_deliveries")} rows, ${claim.ms} ms, ${claim.indexes.join(" ")}`,
    )
    expect(claim.rowsOf("webhook_deliveries")).toBeLessThan(12_000 * 4)
    for (const table of ["events", "webhook_deliveries"]) expect(claim.scans).not.toContain(table)
    await own.close()
  },
)

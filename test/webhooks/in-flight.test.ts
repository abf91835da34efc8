import { afterAll, beforeAll, expect, test } from "vitest"
import { claimDeliveries } from "../../src/webhooks/claim-deliveries.ts"
import { WEBHOOK_POLICY } from "../../src/webhooks/policies.ts"
import { contextOf } from "../harness/context.ts"
import { effortOf } from "../harness/plans.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/**
 * An endpoint with three due events for each turn. The rows of one claim are on different pages of
 * the table.
 */
async function createBacklog(turns: number) {
  const client = await world.createAccount({ usd: 100 })
  const { webhook_id: id } = await makeWebhook(client, { url: serveReceiver(world).url })
  const now = world.clock.now().toISOString()
  await world.sql("alter table events disable trigger user")
  await world.sql(
    `insert into events (event_id, user_id, test, type, data, created_at)
     select 'evt_' || $3 || n || '_' || seq, $1, false, 'ping', jsonb_build_object('webhook_id', $3), $2 from generate_series(1, $4::int) n, generate_series(1, 3) seq`,
    [client.userId, now, id, turns],
  )
  await world.sql("alter table events enable trigger user")
  await world.sql(
    `insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at)
     select 'dlv_' || event_id, $1, event_id, left(event_id, -2), right(event_id, 1)::int, $2, $2
     from events where event_id like 'evt_' || $1 || '%' order by md5(event_id)`,
    [id, now],
  )
  return { client, id }
}

/** The number of deliveries that runs claim until none is left. */
async function takeAll(webhookId: string): Promise<number> {
  const ctx = contextOf(world)
  for (let taken = 0; ; ) {
    const { deliveries } = await claimDeliveries(ctx, webhookId)
    if (deliveries.length === 0) return taken
    taken += deliveries.length
  }
}

test("All runs of an endpoint together have a limited number of attempts in progress, fewer while it fails, until leases end", async () => {
  const { id } = await createBacklog(500)
  expect(await takeAll(id)).toBe(WEBHOOK_POLICY.inFlight)
  await world.advance(WEBHOOK_POLICY.leaseMs + 1)
  await world.sql("update webhook_endpoints set failing_since = created_at where webhook_id = $1", [id])
  expect(await takeAll(id)).toBe(WEBHOOK_POLICY.inFlightFailing)
})

test("A claim updates no index entries while the pages of its rows have room", async () => {
  const { client, id } = await createBacklog(500)
  const claim = await effortOf(world, client, (ctx) => claimDeliveries(ctx, id))
  const { updated, hot } = claim.written("webhook_deliveries")
  expect({ updated, hot }).toEqual({ updated: WEBHOOK_POLICY.batch, hot: WEBHOOK_POLICY.batch })
})

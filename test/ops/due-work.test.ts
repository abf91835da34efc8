import { beforeEach, describe, expect, test } from "vitest"
import { cronOf, isAsleep, MINUTE_MS } from "../harness/cron.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeEach(async () => {
  world = await createWorld({ env: { SLEEP_WHEN_IDLE: "1" } })
  client = await world.createAccount()
  space = await client.space()
  return () => world.close()
})

const minute = () => cronOf(world).minute()
const untilAsleep = () => cronOf(world).untilAsleep()
const untilAwake = () => cronOf(world).untilAwake()

describe("Work that falls due later wakes the service in time", () => {
  test("The retry of a webhook is sent within a minute", async () => {
    const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
    await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
    await client.runTurn({ space })
    for (let passed = 0; passed < 20 && !isAsleep(await minute()); passed++) await world.drain()
    const [next] = await world.sql<{ at: Date }>("select min(next_attempt_at) as at from webhook_deliveries")
    const before = receiver.received.length
    expect(await untilAwake()).toBeGreaterThan(10)
    await world.drain()
    expect(receiver.received).toHaveLength(before + 1)
    expect(world.clock.ms() - new Date(next?.at ?? 0).getTime()).toBeLessThan(MINUTE_MS)
  })

  const IN_45_MINUTES: [what: string, plant: (moment: Date) => Promise<unknown>, done: string][] = [
    [
      "The next period of a subscription",
      (moment) =>
        world.sql(
          `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at, credited_periods)
            values ($1, 'trial', $2::timestamptz - interval '1 month', $2, $2, 1)`,
          [client.userId, moment],
        ),
      "select from subscriptions where credited_periods = 2",
    ],
    [
      "An upload that was never finished",
      (moment) =>
        world.sql(
          `insert into files (file_id, user_id, space_id, test, name, media_type, object_key, state, created_at, updated_at)
            select 'file_planted', user_id, space_id, false, 'a', 'text/plain', 'planted', 'uploading', $1::timestamptz - interval '1 hour', $1
              from spaces`,
          [moment],
        ),
      "select from files where state = 'deleted'",
    ],
    [
      "The second search of an erasure",
      (moment) =>
        world.sql(
          `insert into erasures (erasure_id, user_id, test, end_user_ref, until_at, requested_at, erased_at, tried_at)
            values ('era_planted', $1, false, 'jane', $2, $2, $2::timestamptz - interval '10 minutes', $2)`,
          [client.userId, moment],
        ),
      "select from erasures where checked_at is not null",
    ],
    [
      "The end of a login at a provider",
      (moment) =>
        world.sql(
          `insert into provider_logins (login_id, pool, started_by, state, sealed, due_at, expires_at, created_at, updated_at)
            values ('plg_planted', 'media', $1, 'polling', 'sealed', $2, $2, $2, $2)`,
          [client.userId, moment],
        ),
      "select from provider_logins where state = 'expired'",
    ],
  ]

  test.each(IN_45_MINUTES)("%s is handled within a minute", async (_what, plant, done) => {
    const moment = new Date(world.clock.ms() + 45 * MINUTE_MS)
    await plant(moment)
    await untilAsleep()
    expect(await world.sql(done)).toEqual([])
    expect(await untilAwake()).toBeGreaterThan(35)
    expect(world.clock.ms() - moment.getTime()).toBeLessThan(MINUTE_MS)
    expect(await world.sql(done)).toHaveLength(1)
  })
})

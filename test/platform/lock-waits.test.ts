import { afterAll, beforeAll, expect, test } from "vitest"
import { TIME_LIMITS } from "../../src/platform/time-limits.ts"
import { BARE } from "../harness/customer.ts"
import { holdRows } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Every database that we make limits the wait for a lock and compiles no plan", async () => {
  expect(await world.sql("show lock_timeout")).toEqual([{ lock_timeout: `${TIME_LIMITS.lockMs / 1000}s` }])
  expect(await world.sql("show jit")).toEqual([{ jit: "off" }])
})

test("A request that waits too long for an account gets a clear 503, keeps no connection, and loses no data", async () => {
  // A session keeps the settings that it started with, so new sessions have the shorter limit.
  const quick = await createWorld({ failing: /^55P03 accept_turn$/ })
  try {
    const [{ name } = { name: "" }] = await quick.sql<{ name: string }>("select current_database() as name")
    await quick.sql(`alter database "${name}" set lock_timeout = '200ms'`)
    await quick.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    const [client, other] = [await quick.createAccount(), await quick.createAccount()]
    const [space, theirs] = [await client.space(BARE), await other.space(BARE)]
    const key = crypto.randomUUID()
    const letGo = await holdRows(quick, `select from wallets where user_id = ${client.userId} for update`)
    const refused = await client.sendTurn({ space }, key)
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toMatchObject([
      503,
      "1",
      { error: { code: "UNAVAILABLE", retryable: true } },
    ])
    expect((await other.sendTurn({ space: theirs })).status, "no other request waits").toBe(202)
    const waiting = await quick.sql(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    expect(waiting).toEqual([])
    await letGo()
    const { turn_id } = await turnOf(await client.sendTurn({ space }, key))
    await quick.drain()
    expect((await client.getTurn(turn_id)).state).toBe("done")
    await expectPromises(quick, client.userId)
  } finally {
    await quick.close()
  }
})

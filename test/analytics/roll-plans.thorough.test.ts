import { afterAll, beforeAll, expect, test } from "vitest"
import type { Context } from "../../src/actor/context.ts"
import { callOne } from "../../src/platform/db.ts"
import { effortOf } from "../harness/plans.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const LIMIT = 100
/** A queue, and the sweep that moves its rows. */
const QUEUES = [
  ["turn_ends", (ctx: Context) => callOne(ctx.db, "roll_turns", { limit: LIMIT })],
  ["ledger_queue", (ctx: Context) => callOne(ctx.db, "roll_ledger", { limit: LIMIT })],
] as const

test.each(QUEUES)(
  "A batch of %s reads only its own rows, also in a session that planned while the table was empty",
  async (queue, roll) => {
    const client = await world.createAccount()
    await client.runTurn({ space: await client.space() })
    // The queued rows of one turn, kept aside.
    await world.sql(`create table kept_${queue} as select * from ${queue}`)
    await world.sql(`delete from ${queue}`)
    await world.sql(`vacuum analyze ${queue}`)
    // A session caches a generic plan at the sixth call.
    for (let call = 0; call < 8; call++) await effortOf(world, client, roll)
    await world.sql(`insert into ${queue} select k.* from kept_${queue} k, generate_series(1, 3000)`)
    const batch = await effortOf(world, client, roll)
    expect(batch.written(queue)).toMatchObject({ deleted: LIMIT })
    expect(batch.rowsOf(queue), "once to find the row, once to delete it").toBeLessThanOrEqual(2 * LIMIT)
  },
)

import { afterAll, beforeAll, expect, test } from "vitest"
import { newId } from "../../src/base/ids.ts"
import { callOne } from "../../src/platform/db.ts"
import type { Procedures } from "../../src/platform/procedures.ts"
import { quietContextOf } from "../harness/context.ts"
import { holdRows } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createSeller } from "../harness/resale.ts"
import { sendUntilItWaits } from "../harness/waiting.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A credit that comes between two calls of a wake still lets its turn continue", async () => {
  const { credit, client, space, userId } = await createSeller(world)
  const { db, clock } = quietContextOf(world)
  const text = "[steps 4]\n[use input=2000 cached=0 output=100]"
  const turns: string[] = []
  for (const end_user_ref of ["ada", "bob"]) {
    await credit(end_user_ref, 0.003)
    const { turn_id } = await sendUntilItWaits(world, client, { space, end_user_ref, on_limit: "wait", text })
    turns.push(turn_id)
  }
  const now = clock.now()
  /** One call of a wake that tries the turns of one end user. */
  const wakeOne = (after: string, seen: number | null): Promise<Procedures["wake_account"]["row"]> =>
    callOne(db, "wake_account", {
      ...{
        user_id: userId,
        test: false,
        after,
        seen,

        due: new Date(now.getTime() + 3_600_000),
        again: now,
      },
      ...{ event_ids: [newId("event", now)], moment: now },
    })
  const first = await wakeOne("", null)
  expect(first).toMatchObject({ went_on: 0, last: expect.stringContaining("ada") })
  // The request that credits Ada finds another sweep at its account.
  const letGo = await holdRows(world, `select from pg_advisory_xact_lock(hashtext('waits'), hashtext('${userId}'))`)
  await credit("ada", 5)
  await world.settled()
  await letGo()
  expect(await wakeOne(first.last ?? "", first.seen)).toMatchObject({ went_on: 0, last: "" })
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(turns[0] ?? "")).state).toBe("done")
  await credit("bob", 5)
  await world.drain()
  await expectPromises(world, userId)
})

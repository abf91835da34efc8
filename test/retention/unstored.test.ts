import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepRetention } from "../../src/retention/sweep-retention.ts"
import { contextOf } from "../harness/context.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ isNew: true })
})
afterAll(() => world.close())

/** The rows that the database keeps of a turn, besides its own. */
async function rowsOf(turnId: string) {
  const [rows] = await world.sql<Record<"steps" | "log" | "events", number>>(
    `select (select count(*)::int from turn_steps p where p.turn_id = $1) as steps,
      (select count(*)::int from turn_log l where l.turn_id = $1) as log,
      (select count(*)::int from events e where e.turn_id = $1) as events`,
    [turnId],
  )
  return rows
}

test("A turn with store: false loses its texts, steps and events ten minutes after its end, and keeps its bill", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url })
  const space = await client.space()
  const body = { space, end_user_ref: "e", text: "[write a.txt hello]\n[reply a secret of ours]" }
  const kept = await client.runTurn(body)
  const turn = await client.runTurn({ ...body, store: false })
  expect(turn).toMatchObject({ state: "done", result: "a secret of ours", store: false })
  await world.drain()
  await world.advance(10 * 60_000 + 1)
  await sweepRetention(contextOf(world))
  await world.advance(10 * 60_000 + 1)
  await sweepRetention(contextOf(world))
  const after = await client.getTurn(turn.turn_id)
  expect(after).toMatchObject({ text: "", result: null, texts_deleted_at: expect.any(String) })
  expect(after.billed_cost_usd).toBe(turn.billed_cost_usd)
  expect(await rowsOf(turn.turn_id)).toMatchObject({ steps: 0, log: 0, events: 0 })
  expect(JSON.stringify(await world.sql("select * from turns"))).toContain(kept.turn_id)
  expect(await client.getTurn(kept.turn_id)).toMatchObject({ result: "a secret of ours", store: true })
})

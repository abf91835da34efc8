import { afterAll, beforeAll, expect, test } from "vitest"
import { noteLoss } from "../../src/billing/losses.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const lossesOf = (turnId: string) =>
  world.sql("select cause, credit_micros::int as micros from losses where turn_id = $1 order by loss_id", [turnId])

test("A lost call is recorded as a loss, unless its worker committed the step after all", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const { turn_id } = await client.runTurn({ space, text: "[steps 2]" })
  const other = await client.runTurn({ space })
  const [{ epoch, steps } = { epoch: 0, steps: 0 }] = await world.sql<{ epoch: number; steps: number }>(
    "select max(epoch)::int as epoch, count(*)::int as steps from turn_steps where turn_id = $1",
    [turn_id],
  )
  expect(steps).toBe(2)
  const lose = (turn: string, by: number, step: number, micros: number) =>
    noteLoss(contextOf(world), { turn_id: turn, epoch: by, test: false }, { step, cause: "uncommitted", micros })
  await lose(turn_id, epoch, 0, 100)
  await lose(turn_id, epoch, 1, 101)
  expect(await lossesOf(turn_id), "the step was committed after all").toEqual([])
  await lose(turn_id, epoch + 1, 0, 102)
  await lose(turn_id, epoch, 2, 103)
  await lose(other.turn_id, epoch, 1, 104)
  expect(await lossesOf(turn_id)).toEqual([
    { cause: "uncommitted", micros: 102 },
    { cause: "uncommitted", micros: 103 },
  ])
  expect(await lossesOf(other.turn_id)).toEqual([{ cause: "uncommitted", micros: 104 }])
})

test("A call without cost and a call of a test turn are no losses", async () => {
  const owner = await world.createAccount({ test: true })
  const { turn_id } = await turnOf(await owner.sendTurn({ space: await owner.space() }))
  await noteLoss(contextOf(world), { turn_id, epoch: 1, test: true }, { step: 0, cause: "stale", micros: 5 })
  await noteLoss(contextOf(world), { turn_id, epoch: 1, test: false }, { step: 0, cause: "stale", micros: 0 })
  // A worker with a wrong belief about the commit changes nothing.
  await noteLoss(contextOf(world), { turn_id, epoch: 1, test: false }, { step: 0, cause: "stale", micros: 5 })
  expect(await lossesOf(turn_id)).toEqual([])
})

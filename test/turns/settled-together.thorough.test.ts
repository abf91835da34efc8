import { afterEach, beforeEach, expect, test } from "vitest"
import { type Settling, settleAll, settleTurn, settlingOf } from "../../src/runs/settle-turns.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { holdRows, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRunner, makeReady, type TestRunner } from "../harness/runner.ts"
import { finishedStep } from "../harness/steps.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let accounts: TestClient[]
let runner: TestRunner
let settling: Settling
/** Sixteen claimed turns of four accounts. */
let turns: TurnRow[]
beforeEach(async () => {
  world = await createWorld()
  await waitForLocks(world)
  accounts = []
  for (let n = 0; n < 4; n++) {
    const client = await world.createAccount()
    await makeReady(world, client, ["a", "b", "c", "d"])
    accounts.push(client)
  }
  runner = createRunner(world, { id: "msg_1" })
  await runner.look()
  turns = [...runner.held.values()]
  expect(turns).toHaveLength(16)
  settling = settlingOf(runner.ctx, (ends) => settleAll(runner.ctx, ends))
  await world.plan([])
})
afterEach(() => world.close())

/** Each turn has a different cost. */
const costOf = (turn: TurnRow) => 1_000 + turns.indexOf(turn)

const end = (turn: TurnRow) => {
  const outcome = { state: "done", result: "r" } as const
  return settleTurn({ ...runner.ctx, settling }, turn, outcome, { step: finishedStep(0, { cost: costOf(turn) }) })
}

const statements = async () => (await world.calls()).filter(({ label }) => label.includes("settle_turns")).length

async function expectBilled(): Promise<void> {
  for (const { userId } of accounts) {
    const ended = await expectPromises(world, userId)
    const own = turns.filter((turn) => Number(turn.user_id) === userId)
    const byId = (a: { turn_id: string }, b: { turn_id: string }) => (a.turn_id < b.turn_id ? -1 : 1)
    expect(ended.sort(byId).map(({ turn_id, billed }) => [turn_id, billed])).toEqual(
      own.sort(byId).map((turn) => [turn.turn_id, costOf(turn)]),
    )
  }
}

test("Sixteen turns of four accounts that end together are settled with one statement, each with its own bill", async () => {
  const costs = new Map(turns.map((turn) => [turn.turn_id, costOf(turn)]))
  expect(new Set(costs.values()).size).toBe(16)
  expect(await Promise.all(turns.map(end))).toEqual(turns.map(() => true))
  expect(await statements()).toBe(1)
  await expectBilled()
})

test("Turns that end one by one while a statement is in progress share the next statement", async () => {
  const [first, ...others] = turns
  await world.plan([{ service: "pg", match: "settle_turns", call: 1, times: 2, action: "hold", when: "before" }])
  const ending = [end(first as TurnRow)]
  for (const turn of others) {
    ending.push(end(turn))
    await Promise.resolve()
  }
  await world.clearFaults()
  await Promise.all(ending)
  await expectBilled()
})

test.each([
  ["turn", (turn: TurnRow) => `select from turns where turn_id = '${turn.turn_id}' for update`],
  [
    "conversation",
    (turn: TurnRow) => `select from conversations where conversation_id = '${turn.conversation_id}' for update`,
  ],
])("A %s that others have locked is settled alone afterwards and does not delay the others", async (_, query) => {
  const locked = turns[7] as TurnRow
  const letGo = await holdRows(world, query(locked))
  const ending = turns.map(end)
  // Only the end of its turn waits.
  await untilBlocked(world)
  const others = await Promise.all(ending.filter((_, n) => turns[n] !== locked))
  expect(others).toEqual(others.map(() => true))
  expect(await world.sql("select turn_id from turns where state = 'running'")).toEqual([{ turn_id: locked.turn_id }])
  await letGo()
  expect(await Promise.all(ending)).toEqual(turns.map(() => true))
  await expectBilled()
})

test("A turn whose end raises an error does not keep its group from ending", async () => {
  const broken = turns[3] as TurnRow
  await world.sql("create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$")
  await world.sql(
    `create trigger poison before update on turns for each row
     when (new.turn_id = '${broken.turn_id}' and new.state = 'done') execute function poison()`,
  )
  const ended = await Promise.allSettled(turns.map(end))
  expect(ended.map(({ status }) => status)).toEqual(turns.map((turn) => (turn === broken ? "rejected" : "fulfilled")))
  await world.sql("drop function poison() cascade")
  expect(await end(broken)).toBe(true)
  await expectBilled()
})

test("A turn of a group that another worker took over is not ended, and the others are", async () => {
  const lost = turns[5] as TurnRow
  await world.sql("update turns set epoch = epoch + 1 where turn_id = $1", [lost.turn_id])
  expect(await Promise.all(turns.map(end))).toEqual(turns.map((turn) => turn !== lost))
  expect(await end({ ...lost, epoch: lost.epoch + 1 })).toBe(true)
})

test("A group whose answer was lost is settled again without a second effect", async () => {
  await world.plan([{ service: "pg", match: "settle_turns", call: 1, action: "cut", when: "after" }])
  expect(await Promise.all(turns.map(end))).toEqual(turns.map(() => true))
  await world.clearFaults()
  await expectBilled()
})

test("Two concurrent groups of the same accounts settle each turn once", async () => {
  const other = createRunner(world, { id: "msg_2" })
  for (const client of accounts) await makeReady(world, client, ["e", "f", "g", "h"])
  await other.look()
  const theirs = [...other.held.values()]
  expect(theirs).toHaveLength(16)
  const settlingToo = settlingOf(other.ctx, (ends) => settleAll(other.ctx, ends))
  const endToo = (turn: TurnRow) =>
    settleTurn({ ...other.ctx, settling: settlingToo }, turn, { state: "done", result: "r" })
  const ended = await Promise.all([...turns.map(end), ...theirs.reverse().map(endToo)])
  expect(new Set(ended)).toEqual(new Set([true]))
  for (const { userId } of accounts) expect(await expectPromises(world, userId)).toHaveLength(8)
})

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { releaseTurn } from "../../src/runs/run-turn.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { holdRows, waitForLocks } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRunner, idsOf, makeReady } from "../harness/runner.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeEach(async () => {
  world = await createWorld()
  await waitForLocks(world)
  client = await world.createAccount({ usd: 100 })
})
afterEach(() => world.close())

const runner = (id: string) => createRunner(world, { id })
const several = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`)

/** Makes turns whose worker has died and whose leases have expired. */
async function makeLost(count: number): Promise<string[]> {
  const ids = await makeReady(world, client, several("lost", count))
  const dead = runner(`msg_dead_${count}`)
  expect(idsOf(await dead.look()).sort()).toEqual(ids.sort())
  await world.advance(TURN_POLICY.leaseMs + 1)
  return ids
}

describe("Turns that were lost with their worker", () => {
  test("A runner without turns claims exactly one lost turn", async () => {
    const lost = await makeLost(3)
    await makeReady(world, client, several("new", 3))
    const taken = idsOf(await runner("msg_1").look())
    expect(taken).toHaveLength(1)
    expect(lost).toContain(taken[0])
  })

  test("A runner that holds turns claims no lost turn", async () => {
    const one = runner("msg_1")
    await makeReady(world, client, ["own"])
    await one.look()
    await makeLost(2)
    const fresh = await makeReady(world, client, several("new", 2))
    expect(idsOf(await one.look()).sort()).toEqual(fresh.sort())
  })

  test("Different runners claim the lost turns", async () => {
    const lost = await makeLost(3)
    const taken: string[] = []
    for (const id of ["msg_1", "msg_2", "msg_3", "msg_4"]) taken.push(...idsOf(await runner(id).look()))
    expect(taken.sort()).toEqual(lost.sort())
  })

  test("One worker runs all lost turns one after the other, and no step is billed twice", async () => {
    await makeLost(3)
    const fresh = await makeReady(world, client, several("new", 3))
    await world.sweep()
    await world.drain()
    const turns = await expectPromises(world, client.userId)
    expect(turns.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => "done"))
    const epochs = await world.sql("select distinct epoch from turns where turn_id = any ($1)", [fresh])
    expect(epochs).toEqual([{ epoch: 1 }])
  })
})

/** Makes every claim of a turn raise an error, until the returned function is called. */
async function poison(turnId: string): Promise<() => Promise<unknown>> {
  await world.sql("create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$")
  await world.sql(
    `create trigger poison before update on turns for each row when (new.epoch > old.epoch and new.turn_id = '${turnId}')
     execute function poison()`,
  )
  return () => world.sql("drop function poison() cascade")
}

describe("A turn whose claim raises an error", () => {
  test("The broken turn does not block other turns of its account, and runs once its rows are repaired", async () => {
    const ids = await makeReady(world, client, several("customer", 5))
    const cure = await poison(ids[2] as string)
    await world.sweep()
    await world.drain()
    const states = async () => Promise.all(ids.map(async (id) => (await client.getTurn(id)).state))
    expect(await states()).toEqual(["done", "done", "queued", "done", "done"])
    await cure()
    await world.sweep()
    await world.drain()
    expect(await states()).toEqual(["done", "done", "done", "done", "done"])
    await expectPromises(world, client.userId)
  })

  test("The broken turn does not block a turn of another account when a single place is left", async () => {
    const other = await world.createAccount()
    const [broken = ""] = await makeReady(world, client, ["customer"])
    const cure = await poison(broken)
    const fresh = await makeReady(world, other, ["customer"])
    expect(idsOf(await runner("msg_1").look({ places: 1 }))).toEqual(fresh)
    await cure()
  })

  test("The broken turn does not block other turns after it was lost with a worker", async () => {
    const [lost = ""] = await makeLost(1)
    const cure = await poison(lost)
    const fresh = await makeReady(world, client, several("new", 3))
    const one = runner("msg_1")
    await one.look()
    await one.look()
    expect([...one.held.keys()].sort()).toEqual(fresh.sort())
    await cure()
  })

  test("The broken turn does not block other lost turns", async () => {
    const lost = await makeLost(3)
    const [first = ""] = await world
      .sql<{ turn_id: string }>("select turn_id from open_turns order by wake_at, turn_id limit 1")
      .then((rows) => rows.map(({ turn_id }) => turn_id))
    const cure = await poison(first)
    const taken: string[] = []
    for (const id of ["msg_1", "msg_2"]) taken.push(...idsOf(await runner(id).look()))
    expect(taken.sort()).toEqual(lost.filter((id) => id !== first).sort())
    await cure()
  })
})

test("A look does not wait for locks of others on turns, conversations or wallets", async () => {
  const ids = await makeReady(world, client, several("customer", 4))
  const held = [
    await holdRows(world, `select from turns where turn_id = '${ids[1]}' for update`),
    await holdRows(world, `select from conversations where user_id = ${client.userId} for update`),
    await holdRows(world, `select from wallets where user_id = ${client.userId} for update`),
  ]
  const one = runner("msg_1")
  expect(idsOf(await one.look()).sort()).toEqual([ids[0], ids[2], ids[3]].sort())
  for (const letGo of held) await letGo()
  expect(idsOf(await one.look())).toEqual([ids[1]])
})

describe("A look whose answer was lost", () => {
  test("The next attempt of the same message takes over the claimed turns, and no other message does", async () => {
    const ids = await makeReady(world, client, several("customer", 3))
    const [first, other] = [runner("msg_1"), runner("msg_2")]
    await first.look({ attempt: 0 })
    expect(idsOf(await other.look({ attempt: 5, takesOver: true }))).toEqual([])
    const again = runner("msg_1")
    expect(idsOf(await again.look({ attempt: 0 })), "a copy of the same delivery").toEqual([])
    expect(idsOf(await again.look({ attempt: 0, takesOver: true })), "a copy of the same attempt").toEqual([])
    expect(idsOf(await again.look({ attempt: 1, takesOver: true })).sort()).toEqual(ids.sort())
    expect(await first.end(ids[0] as string), "the first attempt has lost the turn").toBe(false)
    expect(await again.end(ids[0] as string)).toBe(true)
  })

  test("A repeated look takes over no turn that the runner still holds", async () => {
    const [first = "", second = ""] = await makeReady(world, client, several("customer", 2))
    const one = runner("msg_1")
    await one.look({ places: 1, attempt: 0 })
    const [own = ""] = one.held.keys()
    expect(idsOf(await one.look({ places: 16, attempt: 1, takesOver: true }))).toEqual([own === first ? second : first])
    expect(await world.sql("select distinct epoch from turns")).toEqual([{ epoch: 1 }])
  })

  test("A repeated look takes over no turn that the runner has released with a delay", async () => {
    const [turnId = ""] = await makeReady(world, client, ["customer"])
    const one = runner("msg_1")
    const { claims } = await one.look({ attempt: 0 })
    await releaseTurn(one.ctx, claims[0]?.turn as never, { broke: true, delayMs: 5_000 })
    one.held.clear()
    expect(idsOf(await one.look({ attempt: 1, takesOver: true }))).toEqual([])
    await world.advance(5_000)
    expect(idsOf(await one.look({ attempt: 2, takesOver: true }))).toEqual([turnId])
  })

  test("A turn that was taken over too often is left to the sweeper, which fails it", async () => {
    const [turnId = ""] = await makeReady(world, client, ["customer"])
    for (let attempt = 0; attempt < TURN_POLICY.maxAttempts; attempt++) {
      expect(idsOf(await runner("msg_1").look({ attempt, takesOver: attempt > 0 }))).toEqual([turnId])
    }
    const last = { attempt: TURN_POLICY.maxAttempts, takesOver: true }
    expect(idsOf(await runner("msg_1").look(last))).toEqual([])
    await world.advance(TURN_POLICY.leaseMs + 1)
    await world.sweep()
    expect(await client.getTurn(turnId)).toMatchObject({ state: "failed", error: { code: "ENGINE_LOST" } })
    await expectPromises(world, client.userId)
  })
})

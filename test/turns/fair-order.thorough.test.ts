import { afterEach, beforeEach, expect, test } from "vitest"
import { releaseTurn } from "../../src/runs/run-turn.ts"
import { createRunner, idsOf, makeReady } from "../harness/runner.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const runnerWith = (slots: Parameters<typeof createRunner>[1]["slots"] = {}, id = "msg_1") =>
  createRunner(world, { id, ...(slots && { slots }) })

/** The accounts of these turns, as indexes into a list. */
async function accountsOf(turnIds: string[], accounts: TestClient[]): Promise<number[]> {
  const rows = await world.sql<{ turn_id: string; user_id: number }>("select turn_id, user_id::int from turns", [])
  const owner = new Map(rows.map(({ turn_id, user_id }) => [turn_id, user_id]))
  return turnIds.map((id) => accounts.findIndex(({ userId }) => userId === owner.get(id)))
}

const endUsersOf = async (turnIds: string[]): Promise<string[]> => {
  const rows = await world.sql<{ turn_id: string; end_user_ref: string }>("select turn_id, end_user_ref from turns", [])
  const refs = new Map(rows.map(({ turn_id, end_user_ref }) => [turn_id, end_user_ref]))
  return turnIds.map((id) => refs.get(id) ?? "")
}

const several = (count: number, of = (n: number) => `customer-${n}`) => Array.from({ length: count }, (_, n) => of(n))

test("A look claims one turn per account in rotation, and the next look starts after the last account", async () => {
  const accounts = [await world.createAccount(), await world.createAccount(), await world.createAccount()]
  for (const account of accounts) await makeReady(world, account, several(4))
  const runner = runnerWith()
  const taken = [await runner.look({ places: 5 }), await runner.look({ places: 4 })].map(idsOf)
  expect(await Promise.all(taken.map((ids) => accountsOf(ids, accounts)))).toEqual([
    [0, 1, 2, 0, 1],
    [2, 0, 1, 2],
  ])
})

test("An account with a single turn does not wait for hundreds of turns of another account", async () => {
  const [many, one] = [await world.createAccount({ usd: 1000 }), await world.createAccount()]
  await makeReady(world, many, several(200))
  const [turnId = ""] = await makeReady(world, one, ["customer-1"])
  expect(idsOf(await runnerWith().look({ places: 2 }))).toContain(turnId)
})

test("Within an account, a look rotates over its end users and claims the oldest turn of each first", async () => {
  const client = await world.createAccount()
  const sent = await makeReady(world, client, ["busy", "busy", "busy", "calm", "calm", "rare"])
  const ids = idsOf(await runnerWith().look({ places: 6 }))
  const refs = await endUsersOf(ids)
  expect(refs.slice(0, 3).sort()).toEqual(["busy", "calm", "rare"])
  expect(refs.slice(3, 5).sort()).toEqual(["busy", "calm"])
  for (const ref of ["busy", "calm"]) {
    const ofOne = ids.filter((_, n) => refs[n] === ref)
    expect(ofOne).toEqual(sent.filter((id) => ofOne.includes(id)))
  }
})

test("Live turns are claimed before test turns of the same account and of other accounts", async () => {
  const [tester, client] = [await world.createAccount({ test: true }), await world.createAccount()]
  const own = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const tests = [...(await makeReady(world, tester, several(2))), ...(await makeReady(world, own, several(2)))]
  const live = await makeReady(world, client, several(3))
  const runner = runnerWith()
  expect(idsOf(await runner.look({ places: 3 })).sort()).toEqual(live.sort())
  expect(idsOf(await runner.look({ places: 16 })).sort()).toEqual(tests.sort())
})

test("A turn that has started is claimed before any turn that has not", async () => {
  const [first, other] = [await world.createAccount(), await world.createAccount()]
  const [begun = ""] = await makeReady(world, first, ["customer-1"])
  const runner = runnerWith()
  const { claims } = await runner.look()
  await makeReady(world, other, several(3))
  await makeReady(world, first, several(3))
  // Like a worker that hands a turn over after a step.
  await world.sql("update turns set attempts = 0 where turn_id = $1", [begun])
  await releaseTurn(runner.ctx, claims[0]?.turn as never, { broke: false, delayMs: 0 })
  runner.held.clear()
  expect(idsOf(await runner.look({ places: 1 }))).toEqual([begun])
})

test("The next turn of a conversation is not claimed before the earlier one has ended", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const ids = []
  for (let n = 0; n < 3; n++) {
    ids.push(((await (await client.sendTurn({ space })).json()) as { turn_id: string }).turn_id)
  }
  await world.settled()
  const [one, other] = [runnerWith(), runnerWith({}, "msg_2")]
  expect(idsOf(await one.look())).toEqual([ids[0]])
  expect(idsOf(await other.look())).toEqual([])
  expect(await one.end(ids[0] as string)).toBe(true)
  expect(idsOf(await other.look())).toEqual([ids[1]])
})

test.each([
  { live: 3, usual: 3, last: 0 },
  { live: 4, usual: 3, last: 1 },
  { live: 40, usual: 38, last: 2 },
])(
  "Of an account's $live slots, the last $last are reserved for end users without a running turn",
  async ({ live, usual, last }) => {
    const client = await world.createAccount({ usd: 1000 })
    await makeReady(
      world,
      client,
      several(live + 5, () => "busy"),
    )
    const runner = runnerWith({ live, endUser: 100 })
    for (let n = 0; n < 4; n++) await runner.look()
    expect(runner.held.size).toBe(usual)
    await makeReady(
      world,
      client,
      several(5, (n) => `new-${n}`),
    )
    for (let n = 0; n < 2; n++) await runner.look()
    const refs = await endUsersOf([...runner.held.keys()])
    expect(refs.filter((ref) => ref !== "busy")).toHaveLength(last)
    expect(runner.held.size).toBe(live)
  },
)

test("A runner's last place is reserved for an account without a running turn", async () => {
  const [many, other] = [await world.createAccount({ usd: 100 }), await world.createAccount()]
  await makeReady(world, many, several(10))
  const runner = runnerWith()
  const found = await runner.look({ places: 4, isLast: true })
  // The place before it is reserved for an end user without a running turn; there are ten such users.
  expect([found.claims.length, found.more]).toEqual([3, false])
  const [turnId] = await makeReady(world, other, ["customer-1"])
  expect(idsOf(await runner.look({ places: 1, isLast: true }))).toEqual([turnId])
})

test("The place before the last is reserved for an end user without a running turn", async () => {
  const client = await world.createAccount({ usd: 100 })
  await makeReady(
    world,
    client,
    several(10, () => "busy"),
  )
  const runner = runnerWith()
  expect((await runner.look({ places: 4, isLast: true })).claims).toHaveLength(2)
  const [turnId] = await makeReady(world, client, ["calm"])
  expect(idsOf(await runner.look({ places: 2, isLast: true }))).toEqual([turnId])
})

test("All runners together claim no more turns of an end user than it has slots", async () => {
  const client = await world.createAccount({ usd: 100 })
  await makeReady(world, client, [...several(6, () => "busy"), "calm"])
  const slots = { endUser: 2 }
  const [one, other] = [runnerWith(slots), runnerWith(slots, "msg_2")]
  const refs = await endUsersOf([...idsOf(await one.look()), ...idsOf(await other.look())])
  expect(refs.sort()).toEqual(["busy", "busy", "calm"])
  await one.end([...one.held.keys()][0] as string)
})

test("Hostile test turns of an account hold no more than their slots, and none of the account's live slots", async () => {
  const client = await world.createAccount({ usd: 100 })
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await makeReady(world, tests, several(30))
  const runner = runnerWith({ test: 5, live: 10 })
  for (let n = 0; n < 3; n++) await runner.look()
  expect(runner.held.size).toBe(5)
  await makeReady(world, client, several(12))
  for (let n = 0; n < 3; n++) await runner.look()
  expect(runner.held.size).toBe(15)
})

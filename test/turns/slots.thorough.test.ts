import { afterEach, beforeEach, expect, test } from "vitest"
import { createRandom, type Random } from "../harness/random.ts"
import { createRunner, makeReady, type Slots, type TestRunner } from "../harness/runner.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const SEEDS = [1, 2, 3, 4, 5, 6]
const RUNNERS = 5

/** Asserts that no account and no end user has more running turns than slots. */
async function expectWithin(slots: Slots): Promise<void> {
  const over = await world.sql(
    `select user_id::int, test, end_user_ref, count(*)::int as running from turns where state = 'running'
     group by grouping sets ((user_id, test), (user_id, test, end_user_ref))
     having count(*) > case when end_user_ref is not null then $3::int when test then $2::int else $1::int end`,
    [slots.live, slots.test, slots.endUser],
  )
  expect(over).toEqual([])
}

/** Accounts in both modes with turns of few end users, so that every limit is reached. */
async function makeAccounts(random: Random): Promise<TestClient[]> {
  const accounts: TestClient[] = []
  for (let n = 0; n < 3; n++) {
    const client = await world.createAccount({ test: n === 1, usd: 100 })
    await makeReady(
      world,
      client,
      Array.from({ length: 8 + random.int(20) }, () => `customer-${random.int(4)}`),
    )
    accounts.push(client)
  }
  return accounts
}

test.each(SEEDS)(
  "Five runners one after the other never exceed a slot limit and leave no turn ready (seed %i)",
  (seed) =>
    runAll(seed, async (acts) => {
      for (const act of acts) await act()
    }),
)

test.each(SEEDS)("Five concurrent runners never exceed a slot limit and leave no turn ready (seed %i)", (seed) =>
  runAll(seed, (acts) => Promise.all(acts.map((act) => act()))),
)

async function runAll(seed: number, together: (acts: (() => Promise<void>)[]) => Promise<unknown>): Promise<void> {
  const random = createRandom("slots", seed)
  const slots = { runners: 100, live: 1 + random.int(9), test: 1 + random.int(6), endUser: 1 + random.int(4) }
  await makeAccounts(random)
  const runners = Array.from({ length: RUNNERS }, (_, n) => createRunner(world, { id: `msg_${n}`, slots }))
  const open = async () => (await world.sql("select from open_turns")).length
  for (let round = 0; (await open()) > 0; round++) {
    if (round === 60) throw new Error("Turns are left.")
    await together(runners.map((runner) => actOf(runner, random)))
    await expectWithin(slots)
  }
}

/** Ends some of a runner's turns and looks for more. */
function actOf(runner: TestRunner, random: Random): () => Promise<void> {
  const ending = [...runner.held.keys()].filter(() => random.int(2) === 0)
  const wishes = { places: 1 + random.int(8), kept: random.int(2) }
  return async () => {
    await Promise.all(ending.map((id) => runner.end(id)))
    await runner.look(wishes)
  }
}

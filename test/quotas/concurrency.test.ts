import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isThorough } from "../harness/crash.ts"
import { isSharded } from "../harness/force-shards.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  anyWish,
  createQuotaEstate,
  expectJustified,
  type Limits,
  type QuotaEstate,
  sendWishes,
} from "../harness/quota-load.ts"
import { expectRoomDecides } from "../harness/quota-room.ts"
import { deadlocksOf, expectNoFaults, watchMoney } from "../harness/quota-watch.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

// 1 locally, 6 in CI; 200 take half an hour (TURNPIKE_ROUNDS=200). A failure names its seed.
const { TURNPIKE_ROUNDS } = bindings as unknown as { TURNPIKE_ROUNDS: string }
const ROUNDS = Number(TURNPIKE_ROUNDS) || (isThorough ? 6 : 1)
const AT_ONCE = isThorough || isSharded ? 100 : 40
/** Requests race, so a single round may miss an outcome that the same seed had before. */
const ALL_WAYS = 6

let world: World
beforeAll(async () => {
  world = await createWorld()
  await watchMoney(world)
})
afterAll(() => world.close())

/** A few up to a dozen holds, in credit micros, sometimes an odd number. */
const amount = (random: Random) => 1_000_000 + random.int(30_000_000)
const seconds = (random: Random) => 60 + random.int(31 * 86_400 - 60)

const KINDS: Record<string, (random: Random) => Limits> = {
  "the balance": (random) => ({ balance: amount(random) }),
  "a key's day": (random) => ({ key_daily: amount(random) }),
  "a key's month": (random) => ({ key_monthly: amount(random) }),
  "a key's window": (random) => ({ key_window: amount(random), window_seconds: seconds(random) }),
  "an end user's day, by a limit of their own": (random) => ({ end_user_daily: { own: amount(random) } }),
  "an end user's day, by the key's default": (random) => ({ end_user_daily: { key: amount(random) } }),
  "an end user's day, by the account's default": (random) => ({ end_user_daily: { account: amount(random) } }),
  "an end user's month": (random) => ({
    end_user_monthly: { [random.pick(["own", "key", "account"])]: amount(random) },
  }),
  "an account's day, by its plan": (random) => ({ account_daily: amount(random) }),
  "all together": (random) => ({
    balance: 2 * amount(random),
    key_daily: amount(random),
    key_monthly: amount(random),
    key_window: amount(random),
    window_seconds: seconds(random),
    end_user_daily: { own: amount(random), key: amount(random) },
    end_user_monthly: { account: amount(random) },
    account_daily: 2 * amount(random),
  }),
}

const total: Counts = { accepted: 0, refused: 0, again_accepted: 0, again_refused: 0 }

describe.each(Object.entries(KINDS))("The cap %s under load", (kind, limitsOf) => {
  test(`The cap is never exceeded and never refuses a turn that fits: ${AT_ONCE} concurrent turns, rounds: ${ROUNDS}`, async () => {
    const counts: Counts = { accepted: 0, refused: 0, again_accepted: 0, again_refused: 0 }
    const { seed } = createRandom(kind)
    for (let round = 0; round < ROUNDS; round++) {
      const random = createRandom("", (seed + round) >>> 0)
      try {
        await toAnEdge(random)
        const estate = await createQuotaEstate(world, limitsOf(random), 1 + random.int(3))
        await playRound(random, estate, counts)
      } catch (error) {
        throw new Error(`round ${round}, seed ${(seed + round) >>> 0}: ${(error as Error).message}`, { cause: error })
      }
    }
    console.log(`${kind}: ${ROUNDS} rounds from seed ${seed}, ${JSON.stringify(counts)}`)
    if (ROUNDS >= ALL_WAYS) expectEveryWay(counts)
    for (const way of Object.keys(total) as (keyof Counts)[]) total[way] += counts[way]
  })
})

test("Turns were accepted and refused, at once and one at a time", () => {
  const { again_accepted, ...sure } = total
  // Whether a refused turn fits later depends on the race, so a single round need not have one.
  expectEveryWay(ROUNDS >= ALL_WAYS ? total : sure)
})

test("No commit ever exceeded a cap, miscounted or deadlocked", async () => {
  await expectNoFaults(world)
  expect(await deadlocksOf(world)).toBe(0)
})

interface Counts {
  accepted: number
  refused: number
  again_accepted: number
  again_refused: number
}

function expectEveryWay(counts: Partial<Counts>): void {
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0)
}

async function playRound(random: Random, estate: QuotaEstate, counts: Counts): Promise<void> {
  const wishes = Array.from({ length: AT_ONCE }, () => anyWish(random, estate))
  const answers = await sendWishes(world, estate, wishes, { betweenDrains: () => world.advance(random.int(3)) })
  answers.forEach(expectJustified)
  await expectPromises(world, estate.userId)
  const refused = answers.filter(({ refusal }) => refusal !== null)
  const again = await expectRoomDecides(world, estate, refused.map(({ wish }) => wish).slice(0, 0.4 * AT_ONCE))
  await expectNoFaults(world)
  counts.accepted += answers.length - refused.length
  counts.refused += refused.length
  counts.again_accepted += again.accepted
  counts.again_refused += again.refused
  // Turns that were sent again stay open, and no later round may run them.
  await world.qstash.reset()
  await world.sql("update open_turns set wake_at = 'infinity' where user_id = $1", [estate.userId])
}

/** In some rounds, moves the clock close to the end of a day or a month, which then falls into the load. */
async function toAnEdge(random: Random): Promise<void> {
  const now = world.clock.now()
  const edge = random.pick([
    null,
    null,
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1),
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
  ])
  if (edge !== null) await world.advance(edge - now.getTime() - random.int(40))
}

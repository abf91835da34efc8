import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { type Admin, dumpMoney, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import {
  ACTS,
  type Fate,
  fateAfter,
  fateAtStart,
  oneTurn,
  STARTS,
  type Start,
  type TurnAct,
} from "../harness/one-turn.ts"
import { expectBooks } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

/** Background work of acts, such as posting the charge of a settle. */
const background: Promise<unknown>[] = []
/** Waits until the background has nothing left to do. */
async function calm(): Promise<void> {
  while (background.length > 0) await Promise.allSettled(background.splice(0))
}

const contextOf = () =>
  createContext(parseBaseEnv(world.env), (work) => void background.push(work), { clock: world.clock })
const pairs = ACTS.flatMap((first) => ACTS.map((second) => [first, second] as const))
const shown = ({ old: _old, ...fate }: Fate) => fate

/** All rows that contain money, without `wake_at`, because a sweep may publish an open turn. */
const money = async () => dumpMoney(world, ["wake_at", "lease_until", "attempts"])

async function ageFor(turn: Awaited<ReturnType<typeof oneTurn>>, fate: Fate, acts: readonly TurnAct[]): Promise<Fate> {
  if (fate.old || !acts.includes("expire")) return fate
  await turn.growOld()
  return { ...fate, old: true }
}

/** Counts acts with and without an effect, so that the test cannot pass without checking any. */
const seen = { without: 0, with: 0 }

describe.each(STARTS.flatMap((start) => ACTS.map((first) => [start, first] as const)))(
  "A turn that is %s, after: %s",
  (start, first) => {
    test("Every further act, and the same act again, has an effect exactly where it must", async () => {
      // One in five locally, each pair in CI.
      const seconds = ACTS
      for (const second of seconds) {
        const turn = await oneTurn(world, contextOf(), start)
        let fate = fateAtStart(start)
        for (const act of [first, second, second]) {
          fate = await ageFor(turn, fate, [act])
          const before = await money()
          await turn.act(act)
          await calm()
          const after = fateAfter(fate, act)
          const what = `${start}: ${first}, ${second}: ${act}`
          expect(await turn.fate(), what).toEqual(shown(after))
          const isSame = JSON.stringify(await money()) === JSON.stringify(before)
          expect(isSame, `${what} has no effect`).toBe(after === fate)
          seen[isSame ? "without" : "with"]++
          await expectBooks(world, turn.client.userId)
          fate = after
        }
        await turn.end()
        // A posting of this turn may not change the tables while the next turn compares them.
        await calm()
        await expectBooks(world, turn.client.userId)
      }
      await world.qstash.reset()
      expect((await reconcileAsAdmin(admin)).findings).toEqual([])
    })
  },
)

test("The number of acts equals the number of pairs and orders", () => {
  console.log(`pairs and orders: ${JSON.stringify(seen)}`)
  const all = STARTS.length * pairs.length * 3
  expect(seen.with + seen.without).toBeGreaterThanOrEqual(all)
  expect(Math.min(seen.with, seen.without)).toBeGreaterThan(100)
})

/** Few pairs of acts can race on a queued turn. */
const ROUNDS = { queued: 1, running: 4 }

test.each(STARTS)(
  `Two concurrent acts on a %s turn have the outcome of one order, in seeded rounds`,
  async (start: Start) => {
    const random = createRandom(`two acts at once on a ${start} turn`)
    const orders = { first: 0, second: 0, either: 0 }
    for (let round = 0; round < ROUNDS[start]; round++) {
      for (const [one, other] of pairs.filter(([a, b]) => ACTS.indexOf(a) <= ACTS.indexOf(b))) {
        const turn = await oneTurn(world, contextOf(), start)
        const fate = await ageFor(turn, fateAtStart(start), [one, other])
        const late = async (act: TurnAct) => {
          for (let trips = random.int(4); trips > 0; trips--) await world.sql("select 1")
          await turn.act(act)
        }
        await Promise.all([late(one), late(other)]).catch((error: unknown) => {
          throw new Error(`${one} and ${other}, seed ${random.seed}`, { cause: error })
        })
        // A sweep that raced may have called the turn just before it counted as lost. Then the next
        // sweep finds it.
        if ([one, other].includes("sweep what is lost")) await turn.sweepAgain()
        const [first, second] = [fateAfter(fateAfter(fate, one), other), fateAfter(fateAfter(fate, other), one)].map(
          shown,
        )
        const came = await turn.fate()
        expect([first, second], `${one} and ${other}, seed ${random.seed}`).toContainEqual(came)
        const isFirst = JSON.stringify(came) === JSON.stringify(first)
        const isSecond = JSON.stringify(came) === JSON.stringify(second)
        orders[isFirst && isSecond ? "either" : isFirst ? "first" : "second"]++
        await expectBooks(world, turn.client.userId)
        await turn.end()
      }
      await world.qstash.reset()
      expect((await reconcileAsAdmin(admin)).findings).toEqual([])
    }
    console.log(`two at once, ${start}: ${JSON.stringify(orders)}, seed ${random.seed}`)
  },
)

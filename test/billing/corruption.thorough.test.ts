import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RECONCILIATION_POLICY } from "../../src/billing/policies.ts"
import type { Reconciliation } from "../../src/billing/reconciliation-row.ts"
import {
  type Admin,
  dumpMoney,
  liveAccount,
  reconcileAsAdmin,
  reconcileRecent,
  signInAdmin,
  tamper,
} from "../harness/books.ts"
import { isSharded } from "../harness/force-shards.ts"
import type { Entry, Facts } from "../harness/plants.ts"
import { HOLD_PLANTS } from "../harness/plants-holds.ts"
import { LEDGER_PLANTS } from "../harness/plants-ledger.ts"
import { TURN_PLANTS } from "../harness/plants-turns.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let live: Awaited<ReturnType<typeof liveAccount>>
let other: Awaited<ReturnType<typeof liveAccount>>
let books: ReturnType<typeof tamper>
/** The books without a corruption. Each test leaves them like this for the next one, which expects no other finding. */
let sound: Awaited<ReturnType<typeof dumpMoney>>
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  other = await liveAccount(world, admin)
  // For hourly passes, the other account's turns ended long ago, except its open ones.
  await world.advance(RECONCILIATION_POLICY.overlapMs + 1)
  await reconcileAsAdmin(admin)
  live = await liveAccount(world, admin)
  books = tamper(world)
  await books.begin()
  sound = await dumpMoney(world)
})
afterAll(() => world.close())

/** A finding in the form of the tests: kind, subject, expected and found amount in credit micros. */
function named({ findings }: Reconciliation) {
  const micros = (usd: number | null) => (usd === null ? null : Math.round(usd * 1e7))
  return findings.map((f) => ({
    kind: f.kind,
    user: f.user_id,
    turn: f.turn_id,
    entry: f.ledger_id,
    repaired: f.repaired,
    counter: f.counter && `${f.counter.kind} ${f.counter.period} ${f.counter.subject}`,
    expected: micros(f.expected_usd),
    found: micros(f.found_usd),
  }))
}

const entriesOf = (userId: number) =>
  world.sql<Entry>(
    `select ledger_id::float8, amount_credit_micros::float8 as amount, balance_after_credit_micros::float8 as total, turn_id
     from ledger where user_id = $1 order by ledger_id`,
    [userId],
  )

test("Correct books give an empty report with its counts", async () => {
  const report = await reconcileAsAdmin(admin)
  expect(report).toMatchObject({ findings_total: 0, findings: [], started_by: `admin:${admin.userId}` })
  const [counts] = await world.sql(`select (select count(*) from users)::int as accounts,
    (select count(*) from ledger)::int as ledger_rows, (select count(*) from turns)::int as turns,
    (select count(*) from spend_counters)::int as counters`)
  expect(report).toMatchObject(counts as object)
  expect(report.counters).toBeGreaterThan(10)
})

/** Runs a pass with slices so small that every account's books are split somewhere. */
async function inSmallSlices(size: number, pass: () => Promise<Reconciliation>): Promise<Reconciliation> {
  const slices = RECONCILIATION_POLICY.slices as Record<string, { first: number; most: number }>
  const usual = structuredClone(slices)
  for (const slice of Object.values(slices)) Object.assign(slice, { first: size, most: size })
  return pass().finally(() => Object.assign(slices, usual))
}

const sizes = [0, 1]
const looks = [
  ...sizes.map((size) => ({ size, by: "one over all history", pass: () => reconcileAsAdmin(admin) })),
  ...sizes.map((size) => ({ size, by: "an hourly one", pass: () => reconcileRecent(world, admin) })),
]

const PLANTS = Object.entries({ ...LEDGER_PLANTS, ...HOLD_PLANTS, ...TURN_PLANTS })
const NAMES = PLANTS.map(([name]) => name)
/** With shards, each corruption is looked for in one of the ways, in turn. */
const looksFor = (what: string) => looks.filter((_, at) => !isSharded || at === NAMES.indexOf(what) % looks.length)

describe.each(PLANTS)("The corruption %s", (what, { plant, finds, repaired }) => {
  test.each(looksFor(what))(
    "The corruption is the only finding, by $by in slices of $size (0 is the default)",
    async ({ size, pass }) => {
      const look = () => (size === 0 ? pass() : inSmallSlices(size, pass))
      const entries = await entriesOf(live.client.userId)
      const facts: Facts = {
        user: live.client.userId,
        entries,
        turn: live.turns,
        key: live.client.keyId,
        other: { user: other.client.userId, cancelled: other.turns.cancelled.turn_id },
        charge: entries.find(({ turn_id }) => turn_id === live.turns.done.turn_id) as Entry,
      }
      try {
        await books.unguarded(plant(facts))
        const planted = await dumpMoney(world)
        expect(planted).not.toEqual(sound)
        const byText = (found: object[]) => [...found].sort((a, b) => (key(a) < key(b) ? -1 : 1))
        expect(byText(named(await look()))).toEqual(byText(finds(facts)))
        if (repaired) expect(named(await look())).toEqual([])
        else {
          const kept = finds(facts).filter((finding) => !(finding as { repaired: boolean }).repaired)
          expect(byText(named(await look()))).toEqual(byText(kept))
        }
      } finally {
        await books.mend()
      }
      expect(await dumpMoney(world)).toEqual(sound)
    },
  )
})

const key = (finding: object) => {
  const { kind, turn, counter, entry } = finding as Record<string, unknown>
  return `${kind} ${turn} ${counter} ${typeof entry}`
}

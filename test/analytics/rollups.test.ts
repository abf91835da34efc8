import { env as bindings } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test } from "vitest"
import { columnsOf, SUM_FAMILIES, USAGE_FAMILIES } from "../../bench/rollup-families.ts"
import { createContext } from "../../src/actor/context.ts"
import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createRandom } from "../harness/random.ts"
import { balanceDifferences, differences, rangeDifferences } from "../harness/rollups.ts"
import { serveFromPools, usageSequence } from "../harness/usage-sequence.ts"
import { createWorld, type World } from "../harness/world.ts"

// A quarter of the sequences of the reference model: 25 for everyone, 500 in CI. A failure repeats with TURNPIKE_SEQUENCES=1
// TURNPIKE_SEED=<its seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
const [SEQUENCES, LENGTH] = [Math.ceil(Number(settings.TURNPIKE_SEQUENCES) / 4), 16]
const DAY_MS = 86_400_000

/** Each comparison reads all that there is, so a few sequences share a database. */
const PART = 25
const PARTS = Array.from({ length: Math.ceil(SEQUENCES / PART) }, (_, part) => part * PART)

let world: World
const policy = { ...ANALYTICS_POLICY }
beforeEach(async () => {
  world = await createWorld()
  await serveFromPools(world)
})
afterEach(async () => {
  Object.assign(ANALYTICS_POLICY, policy)
  await world.close()
})

const base = Number(settings.TURNPIKE_SEED) || createRandom("rollups").seed

test.each(PARTS)(
  "what is rolled and queued is what raw records come to, after every step of random sequences from %i on",
  async (first) => {
    const met: Record<string, number> = {}
    const last = Math.min(first + PART, SEQUENCES)
    for (let n = first; n < last; n++) {
      const seed = (base + n) >>> 0
      const random = createRandom("", seed)
      const sequence = await usageSequence(world, random)
      const day = (back: number) => new Date(world.clock.ms() - back * DAY_MS)
      try {
        for (let at = 0; at < LENGTH; at++) {
          await sequence.next()
          expect(await differences(world)).toEqual([])
        }
        await sequence.finish()
        expect(await differences(world)).toEqual([])
        const [longer, shorter] = [random.int(200) + random.int(1000) / 1000, random.int(40) - 1]
        const [from, to] = [day(longer + shorter), random.int(3) ? day(shorter) : day(-1)]
        await believe(random.int(2) === 0)
        expect(await rangeDifferences(world, RELEASE, [from, to, 1 + random.int(9)])).toEqual([])
        const at = day(random.int(20) - 1)
          .toISOString()
          .slice(0, 10)
        expect(await balanceDifferences(world, RELEASE, at, 1 + random.int(9))).toEqual([])
      } catch (error) {
        throw new Error(`seed ${seed}, after ${sequence.done.join(", ")}: ${(error as Error).message}`, {
          cause: error,
        })
      }
      for (const act of sequence.done) met[act] = (met[act] ?? 0) + 1
    }
    console.log(`${last - first} sequences of ${LENGTH} acts, seeds from ${base + first}, ${JSON.stringify(met)}`)
  },
)

/** Makes the database think that reading sums is cheap, or that reading days is: both ways are to be right. */
async function believe(inSums: boolean): Promise<void> {
  await world.sql(
    `update pg_class set reltuples = case when relname like '%_sums' = $1 then 1 else 1e6 end
     where relname in ('space_sums', 'user_sums', 'provider_space_sums', 'space_days', 'user_days', 'provider_space_days')`,
    [inSums],
  )
}

test("a number of any rollup that is changed, and a row that is queued twice, is seen", async () => {
  const roller = await usageSequence(world, createRandom("seen"))
  for (let at = 0; at < 30; at++) await roller.next()
  await roller.finish()
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'n', 'c', now())",
  )
  Object.assign(ANALYTICS_POLICY, policy)
  await sweepAnalytics(createContext(parseBaseEnv(world.env), () => {}, { clock: world.clock }))
  const places = [...USAGE_FAMILIES, ...SUM_FAMILIES].flatMap((family) => {
    const numbers = columnsOf(family).slice(Object.keys(family.keys).length)
    return numbers.map((column) => [family.name, column] as const)
  })
  const ledger = [
    ...(["entries", "given_credit_micros", "taken_credit_micros"] as const).map(
      (column) => ["ledger_days", column] as const,
    ),
    ...(["ledger_id", "balance_after_credit_micros", "debits"] as const).map(
      (column) => ["ledger_user_days", column] as const,
    ),
    ...(["ledger_id", "balance_after_credit_micros"] as const).map((column) => ["ledger_users", column] as const),
    ["error_days", "failures"] as const,
  ]
  for (const [table, column] of [...places, ...ledger]) {
    // Any row, and then the same again: an update may move it anywhere.
    const change = (by: number, row: string) =>
      world.sql<{ row: string }>(
        `update ${table} set ${column} = ${column} + ${by} where ctid = ${row} returning ctid::text as row`,
      )
    const [changed] = await change(1, `(select max(ctid) from ${table})`)
    expect(await differences(world), `${table}.${column}`).toMatchObject([{ family: table }])
    await change(-1, `'${changed?.row}'`)
  }
  expect(await differences(world)).toEqual([])
  await world.sql(
    "insert into ledger_queue select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason from ledger limit 1",
  )
  expect(await differences(world)).not.toEqual([])
  await world.sql("delete from ledger_queue")
})

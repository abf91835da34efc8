import { env as bindings } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createRandom } from "./random.ts"
import { balanceDifferences, plannedDifferences, rangeDifferences } from "./rollups.ts"
import { serveFromPools, usageSequence } from "./usage-sequence.ts"
import { createWorld, type World } from "./world.ts"

// A quarter of the sequences of the reference model: 13 locally, 500 in CI. To repeat a failure,
// set TURNPIKE_SEQUENCES=1 TURNPIKE_SEED=<its seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
const [SEQUENCES, LENGTH] = [Math.ceil(Number(settings.TURNPIKE_SEQUENCES) / 4), 16]
const DAY_MS = 86_400_000

/** A few sequences share a database, because each comparison reads everything in it. */
const PART = 25

/** Files run in parallel, and each takes every n-th sequence. */
const FILES = 3

/**
 * Runs the sequences of the n-th file. After every act it compares all rollups and queues with raw
 * records.
 */
export function testRollups(file: number): void {
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
  const own = Array.from({ length: SEQUENCES }, (_, n) => n).filter((n) => n % FILES === file)
  const parts = Array.from({ length: Math.ceil(own.length / PART) }, (_, part) =>
    own.slice(part * PART, (part + 1) * PART),
  )
  if (parts.length === 0) test.skip("This file has no sequence to run", () => {})

  test.each(parts.map((numbers) => [numbers[0] as number, numbers] as const))(
    "Rollups and queues equal raw records after every step of random sequences from %i on",
    async (_first, numbers) => {
      const met: Record<string, number> = {}
      const differences = await plannedDifferences(world)
      for (const n of numbers) {
        const seed = (base + n) >>> 0
        const random = createRandom("", seed)
        const sequence = await usageSequence(world, random)
        const day = (back: number) => new Date(world.clock.ms() - back * DAY_MS)
        try {
          for (let at = 0; at < LENGTH; at++) {
            await sequence.next()
            expect(await differences()).toEqual([])
          }
          await sequence.finish()
          expect(await differences()).toEqual([])
          // A long range rarely starts or ends on a day on which this sequence acted, so half of
          // the ranges are short.
          const part = () => random.int(1000) / 1000
          const [longer, shorter] = random.int(2)
            ? [random.int(200) + part(), random.int(40) - 1]
            : [2 * part(), part() / 2]
          const [from, to] = [day(longer + shorter), random.int(3) ? day(shorter) : day(-1)]
          const ends = random.int(2) ? [from, to] : [midnight(from), midnight(to)]
          await believe(world, random.int(2) === 0)
          expect(await rangeDifferences(world, RELEASE, [...(ends as [Date, Date]), 1 + random.int(9)])).toEqual([])
          // Without new statistics, the next sequence would use plans for tables that are empty.
          await world.sql(`analyze ${BELIEVED.join(", ")}`)
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
      const seeds = numbers.map((n) => base + n)
      console.log(
        `${numbers.length} sequences of ${LENGTH} acts, seeds ${seeds[0]} to ${seeds.at(-1)}, ${JSON.stringify(met)}`,
      )
    },
  )
}

const midnight = (moment: Date) => new Date(Math.ceil(moment.getTime() / DAY_MS) * DAY_MS)

const BELIEVED = ["space", "user", "provider_space"].flatMap((subject) => [`${subject}_sums`, `${subject}_days`])

/**
 * Makes the planner assume that reading sums is cheap, or that reading days is. Both plans must be
 * correct.
 */
async function believe({ sql }: World, inSums: boolean): Promise<void> {
  await sql(
    "update pg_class set reltuples = case when relname like '%_sums' = $1 then 1 else 1e6 end where relname = any ($2)",
    [inSums, BELIEVED],
  )
}

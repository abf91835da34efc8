import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { ANALYTICS, readReport } from "../harness/analytics-world.ts"
import { signInAdmin } from "../harness/books.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { countReports } from "../harness/report-reference.ts"
import { serveFromPools, usageSequence } from "../harness/usage-sequence.ts"
import { createWorld, type World } from "../harness/world.ts"

// A few of the sequences of the reference model: 2 locally, 80 in CI. To repeat a failure, set
// TURNPIKE_SEQUENCES=1 TURNPIKE_SEED=<its seed>.
const settings = bindings as unknown as { TURNPIKE_SEQUENCES: string; TURNPIKE_SEED: string }
const [SEQUENCES, LENGTH, BETWEEN] = [Math.ceil(Number(settings.TURNPIKE_SEQUENCES) / 25), 16, 4]

let world: World
const policy = { ...ANALYTICS_POLICY }
beforeAll(async () => {
  world = await createWorld()
  await serveFromPools(world)
})
afterAll(async () => {
  Object.assign(ANALYTICS_POLICY, policy)
  await world.close()
})

test(`Reports equal raw records in ${SEQUENCES} random sequences, whatever the roll-up has done`, async () => {
  const base = Number(settings.TURNPIKE_SEED) || createRandom("reports").seed
  for (let n = 0; n < SEQUENCES; n++) {
    const seed = (base + n) >>> 0
    const random = createRandom("", seed)
    const sequence = await usageSequence(world, random)
    let path = ""
    try {
      for (let at = 0; at < LENGTH; at++) {
        await sequence.next()
        if (at % BETWEEN < BETWEEN - 1) continue
        const admin = await signInAdmin(world)
        for (const [asked, expected] of await reportsBy(random)) {
          path = asked
          expect(await readReport(admin, asked), asked).toEqual(expected)
        }
      }
      await sequence.finish()
    } catch (error) {
      throw new Error(`seed ${seed}, ${path}, after ${sequence.done.join(", ")}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  console.log(`${SEQUENCES} sequences of ${LENGTH} acts, seeds from ${base}`)
})

/** Each report with random parameters, and its expected content. */
async function reportsBy(random: Random): Promise<[path: string, expected: object][]> {
  const brand = random.pick(["all", "other"])
  const count = await countReports(world, brand)
  const places = await world.sql<{ user_id: number; chat_key: string; slug: string }>(
    "select user_id::int, chat_key, slug from spaces",
  )
  const { user_id, chat_key, slug } = random.pick(places)
  const days = (most: number) => 1 + random.int(most)
  const filter = random.pick([{}, { user_id }, { chat_key }, { user_id, chat_key }])
  const query = Object.entries(filter).map(([key, value]) => `&${key}=${value}`)
  const hour = 3_600_000
  const end = world.clock.ms() + random.int(2 * hour) - random.pick([0, hour, 200 * hour])
  const onHour = (ms: number) => new Date(random.int(2) ? Math.floor(ms / hour) * hour : ms).toISOString()
  const [from, to] = [onHour(end - hour - random.int(700 * hour)), onHour(end)]
  const [a, b, c, d, e, f, g] = [days(120), days(365), days(60), days(365), days(365), days(40), days(4)] as const
  const [limit, top] = [days(9), days(4)]
  const all: [path: string, expected: object][] = [
    [`/api/admin/context-comparison?days=${a}`, count.contextComparison(a)],
    [`/api/admin/usage?days=${b}${query.join("")}`, count.usage(b, filter)],
    [`/api/admin/usage?group_by=slug&days=${c}${query.join("")}`, count.slugUsage(c, filter)],
    [`${ANALYTICS}/top-users?days=${d}&limit=${limit}`, count.topUsers(d, limit)],
    [`${ANALYTICS}/top-spaces?days=${e}&limit=${limit}`, count.topSpaces(e, limit)],
    [`${ANALYTICS}/context-size?days=${f}&space=${slug}`, count.contextSize(f, slug)],
    [`${ANALYTICS}/hourly?days=${g}`, count.hourly(g)],
    [`${ANALYTICS}/hourly-spaces?start=${from}&end=${to}&top=${top}`, count.hourlySpaces(from, to, top)],
  ]
  return all.map(([path, expected]) => [`${path}&brand=${brand}`, expected])
}

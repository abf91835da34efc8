import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { createChaos } from "../harness/chaotic-provider.ts"
import { MODEL_PIN } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { addAccount } from "../harness/provider-accounts.ts"
import { createRandom } from "../harness/random.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { passTime } from "../harness/time.ts"

// 1,000 turns. To repeat a failure, set TURNPIKE_SEED=<its seed>.
const settings = bindings as unknown as { TURNPIKE_SEED: string }
const AT_ONCE = 20
const BATCHES = 50
const CONVERSATIONS = (AT_ONCE * BATCHES) / 4
const IDS = Array.from({ length: 50 }, (_, n) => `account-${n}`)

const { seed } = createRandom("chaos of providers", Number(settings.TURNPIKE_SEED) || undefined)
const random = createRandom("", seed)
const drawn = createRandom("", seed + 1)

let world: RoutedWorld
beforeAll(async () => {
  world = await createRoutedWorld(() => drawn.int(1e6) / 1e6)
  await world.sql("update model_catalog set idle_seconds = 5 where pin = $1", [MODEL_PIN])
  for (const id of IDS) await addAccount(world, id)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

test(`Each of ${AT_ONCE * BATCHES} turns at 50 accounts with every kind of fault is served, and no cooling account is called`, async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const chaos = createChaos(world, random, IDS)
  const turns: string[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const begin = Array.from({ length: AT_ONCE }, (_, n) => {
      const person = (batch * AT_ONCE + n) % CONVERSATIONS
      return world.begin(client, { space, end_user_ref: `person-${person}`, timeout_seconds: 600 })
    })
    const ids = await Promise.all(begin)
    turns.push(...ids)
    for (let round = 0; ; round++) {
      await passTime(world, world.drain(), 250)
      const open = await world.sql("select turn_id from open_turns")
      if (open.length === 0) break
      if (round === 60) throw new Error(`seed ${seed}: ${open.length} turns do not end`)
      await world.advance(2500)
    }
    if (batch % 4 === 3) await chaos.disable(IDS[random.int(IDS.length)] as string)
    await world.advance(random.int(20_000))
  }
  await world.settled()
  const states = await world.sql<{ state: string; turns: number }>(
    "select state, count(*)::int as turns from turns group by state",
  )
  const told = await world.sql(
    "select (select jsonb_agg(e.data) from turn_log e) as events, (select jsonb_agg(i) from infrastructure_errors i) as errors",
  )
  chaos.expectNoKey(`${world.logged.join("\n")}${JSON.stringify(told)}`)
  vi.restoreAllMocks()
  console.log(`${turns.length} turns, seed ${seed}, ${JSON.stringify(chaos.met)}`)
  expect(chaos.violations, `seed ${seed}`).toEqual([])
  expect(states, `seed ${seed}`).toEqual([{ state: "done", turns: turns.length }])
  await expectPromises(world, client.userId)

  const served = await world.sql<{ calls: number }>(
    "select count(*)::int as calls from usage where subscription_id like 'account-%' and user_id = $1",
    [client.userId],
  )
  const whole = (chaos.met.serves ?? 0) + (chaos.met["cut late"] ?? 0)
  expect(served, "one usage row for each call with output").toEqual([{ calls: whole }])
  expect(Object.keys(chaos.met).length).toBeGreaterThan(8)
})

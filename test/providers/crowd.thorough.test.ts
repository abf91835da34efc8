import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { addAccount, unified } from "../harness/provider-accounts.ts"
import { createRandom } from "../harness/random.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"

const TURNS = 60
const COOLS_MS = 40_000
const PROBE_MS = 8_000
const STEP_MS = 250
const PATIENCE_MS = 250

const drawn = createRandom("a crowd that waits")
let world: RoutedWorld
beforeAll(async () => {
  world = await createRoutedWorld(() => drawn.int(1e6) / 1e6)
  await addAccount(world, "alpha")
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

test("A crowd that waits for one account returns gradually, during the single trial call and after it", async () => {
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const back = world.clock.ms() + COOLS_MS
  const calls: number[] = []
  const probe = { began: () => {}, end: () => {} }
  const hasBegun = new Promise<void>((resolve) => {
    probe.began = resolve
  })
  const hasEnded = new Promise<void>((resolve) => {
    probe.end = resolve
  })
  world.script(() => {
    const cools = world.clock.ms() < back
    return cools ? { status: 429, headers: unified("5h", 100, back) } : { words: ["Fine."] }
  })
  world.serve("model.test", async (request) => {
    const isBack = world.clock.ms() >= back
    if (isBack) calls.push(world.clock.ms())
    const answer = await world.provider.serve(request)
    if (isBack && calls.length === 1) {
      probe.began()
      await hasEnded
    }
    return answer
  })
  const looks: number[] = []
  world.heard.line = (line) => {
    if (line.includes('"provider.all_cooling"')) looks.push(world.clock.ms())
  }

  await Promise.all(Array.from({ length: TURNS }, (_, n) => world.begin(client, { space, end_user_ref: `p-${n}` })))
  await world.drain()
  looks.length = 0
  let over = false
  let hasTried = false
  let endsAt = Number.POSITIVE_INFINITY
  void hasBegun.then(() => {
    hasTried = true
    endsAt = world.clock.ms() + PROBE_MS
  })
  // The delivery that tries the account is held until it is released. All other deliveries of a
  // moment end before the next moment, so that none looks late.
  let tried: Promise<number> | undefined
  for (let ms = 0; !over && ms < 3 * COOLS_MS; ms += STEP_MS) {
    await world.advance(STEP_MS)
    if (world.clock.ms() >= endsAt) {
      probe.end()
      await tried
    }
    const drain = world.drain()
    const hadTried = hasTried
    await (hadTried ? drain : Promise.race([drain, hasBegun]))
    if (hasTried && !hadTried) {
      tried = drain
      while (!(await world.isCalm(PATIENCE_MS))) {}
    }
    const open = await world.sql("select turn_id from open_turns")
    over = open.length === 0
  }
  const took = world.clock.ms() - back
  const inSecond = new Map<number, number>()
  for (const at of [...looks, ...calls])
    inSecond.set(Math.floor(at / 1000), (inSecond.get(Math.floor(at / 1000)) ?? 0) + 1)
  const most = Math.max(...inSecond.values())
  vi.restoreAllMocks()
  console.log(`${looks.length} looks in vain, ${calls.length} calls, at most ${most} in a second, all in ${took} ms`)
  expect(over).toBe(true)
  expect(calls).toHaveLength(TURNS)
  expect(
    calls.slice(1).every((at) => at >= (calls[0] ?? 0) + PROBE_MS),
    "one call tries it",
  ).toBe(true)
  expect(most, `of ${TURNS}, in a second`).toBeLessThanOrEqual(TURNS / 3)
  expect(looks.length).toBeLessThanOrEqual(3 * TURNS)
  expect(took, "the trial call, and one more look").toBeLessThanOrEqual(PROBE_MS + 2 * 12_500)
})

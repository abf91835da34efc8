import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { ANALYTICS, read, roll } from "../harness/analytics-world.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { addFormerRoller } from "../harness/usage-sequence.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let world: World
let client: TestClient
let space: string
let noon: number
beforeAll(async () => {
  world = await createWorld()
  await addFormerRoller(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space()
  noon = Math.ceil(world.clock.ms() / DAY_MS) * DAY_MS + 12 * HOUR_MS
  await world.advance(noon - world.clock.ms())
})
afterAll(() => world.close())

const run = (input: number) => client.runTurn({ space, text: `[use input=${input} output=30]\nhello` })
const rollAsFormer = () => world.sql("select former.roll_usage(100)")
const breakDown = async () =>
  (await world.sql<{ more: boolean }>(`select ${RELEASE}.break_down_hour() as more`))[0]?.more
const hours = () =>
  world.sql<{ acts: number; broken_down: number | null }>(
    "select (turns + calls)::float8 as acts, broken_down::float8 from usage_hours order by hour",
  )

/** The tokens of a range whose ends cut the day, by each dimension. */
async function tokens(admin: Admin): Promise<number[][]> {
  const [start, end] = [noon - 2.5 * HOUR_MS, noon + 5.5 * HOUR_MS].map((ms) => new Date(ms).toISOString())
  const said: number[][] = []
  for (const dimension of ["space", "user", "model", "provider"]) {
    const report = await read(admin, `${ANALYTICS}/breakdown?dimension=${dimension}&start=${start}&end=${end}`)
    said.push(report.items.map(({ tokens_input }: { tokens_input: number }) => tokens_input))
  }
  return said
}

test("hours of which a former release rolled a part are right, and are broken down by the sweep", async () => {
  const admin = await signInAdmin(world)
  await run(100)
  await rollAsFormer()
  await world.advance(HOUR_MS)
  await run(20)
  await rollAsFormer()
  await run(3)
  await roll(world, 100)
  await run(4000)
  expect(await hours()).toEqual([
    { acts: 2, broken_down: 0 },
    { acts: 4, broken_down: 2 },
  ])
  expect(await tokens(admin)).toEqual(Array(4).fill([4123]))
  // The latest hour first, without what is queued of it.
  expect(await breakDown()).toBe(true)
  expect(await hours()).toEqual([
    { acts: 2, broken_down: 0 },
    { acts: 4, broken_down: 4 },
  ])
  expect(await tokens(admin)).toEqual(Array(4).fill([4123]))
  await roll(world)
  expect(await hours()).toEqual([
    { acts: 2, broken_down: 2 },
    { acts: 6, broken_down: 6 },
  ])
  expect(await tokens(admin)).toEqual(Array(4).fill([4123]))
  const kept = await world.sql("select tokens_input::float8 as tokens from user_hours order by hour")
  expect(kept).toEqual([{ tokens: 100 }, { tokens: 4023 }])
})

test("an hour that raw records disagree with is read from them, tried once, and named", async () => {
  const admin = await signInAdmin(world)
  await world.sql("update usage_hours set calls = calls + 1, broken_down = 0")
  expect([await breakDown(), await breakDown(), await breakDown()]).toEqual([true, true, false])
  expect(await hours()).toEqual([
    { acts: 3, broken_down: null },
    { acts: 7, broken_down: null },
  ])
  await world.sql("update model_hours set tokens_input = 7")
  expect(await tokens(admin)).toEqual(Array(4).fill([4123]))
  await world.advance(DAY_MS)
  const { findings } = await reconcileAsAdmin(await signInAdmin(world))
  expect(findings.map(({ counter }) => counter?.subject)).toEqual(["usage_hours  calls", "usage_hours  calls"])
})

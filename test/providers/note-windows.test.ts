import { afterAll, beforeAll, expect, test } from "vitest"
import { callOne } from "../../src/platform/db.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { type KnownWindow, type QuotaWindow, sayNews } from "../../src/providers/windows.ts"
import { authContextOf } from "../harness/auth.ts"
import { holdRows } from "../harness/locks.ts"
import { storeAccount } from "../harness/provider-accounts.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const unified = (used_pct: number, window_seconds = 18_000): Omit<QuotaWindow, "taken_at"> => ({
  resource: "unified",
  window_seconds,
  used_pct,
  reset_at: new Date(world.clock.ms() + 3_600_000).toISOString(),
})
const note = async (id: string, windows: object[], moment = world.clock.now()) => {
  const args = { provider_id: id, windows, moment }
  return (await callOne(authContextOf(world).db, "note_windows", args)).note_windows
}
const stateOf = async (id: string) => {
  const [row] = await world.sql<{ windows: Record<string, { used_pct: number; noted_pct: number }> }>(
    "select windows from provider_states where provider_id = $1",
    [id],
  )
  return row?.windows ?? {}
}
const used = async (id: string) =>
  (
    await world.sql<{ used_pct: number }>(
      "select used_pct from quota_snapshots where provider_id = $1 order by taken_at",
      [id],
    )
  ).map(({ used_pct }) => used_pct)

test("A snapshot is made when a window has moved by a point since the last one, or after five minutes", async () => {
  const id = await storeAccount(world)
  const steps: [ms: number, used: number, made: number][] = [
    [0, 10, 1],
    [1000, 10.4, 0],
    [1000, 10.9, 0],
    [1000, 11, 1],
    [1000, 10, 1],
    [299_999, 10.2, 0],
    [1, 10.2, 1],
    [300_000, 10.2, 1],
  ]
  for (const [ms, pct, made] of steps) {
    await world.advance(ms)
    expect(await note(id, [unified(pct)]), `${pct} after ${ms} ms`).toBe(made)
  }
  expect(await used(id)).toEqual([10, 11, 10, 10.2, 10.2])
})

test("Each window has separate snapshots, and a short window has one per minute", async () => {
  const id = await storeAccount(world)
  expect(await note(id, [unified(10), unified(20, 604_800), unified(30, 60)])).toBe(3)
  await world.advance(1000)
  expect(await note(id, [unified(10), unified(25, 604_800), unified(90, 60)])).toBe(1)
  expect((await stateOf(id))["unified:60"]).toMatchObject({ used_pct: 90, noted_pct: 30 })
  await world.advance(59_000)
  expect(await note(id, [unified(91, 60)])).toBe(1)
})

test("Invalid values are left out, and an older answer adds no snapshot", async () => {
  const id = await storeAccount(world)
  const odd = [unified(-1), unified(1, 0), unified(1, 1.5), unified(1, 1e12), { ...unified(1), resource: "canary" }]
  expect(await note(id, odd)).toBe(0)
  expect(await stateOf(id)).toEqual({})
  expect(await note(id, [unified(1e300)])).toBe(1)
  expect(await note(id, [unified(5)], new Date(world.clock.ms() - 1))).toBe(0)
  expect(await used(id)).toEqual([1000])
  expect(await note("nobody", [unified(5)])).toBe(0)
})

test("An account without a state row gets one", async () => {
  const id = await storeAccount(world)
  await world.sql("delete from provider_states where provider_id = $1", [id])
  expect(await note(id, [unified(5)])).toBe(1)
  expect(Object.keys(await stateOf(id))).toEqual(["unified:18000"])
})

test("A locked state row does not delay an answer, whose values are then not recorded", async () => {
  const id = await storeAccount(world)
  const rows = `select from provider_states where provider_id = '${id}' for update`
  const change = `update provider_states set cool_reason = 'held' where provider_id = '${id}'`
  const letGo = await holdRows(world, rows, { change })
  expect(await note(id, [unified(5)])).toBe(0)
  const [{ cool_reason } = {}] = await world.sql("select cool_reason from provider_states where provider_id = $1", [id])
  expect(cool_reason, "the lock's holder has not committed").not.toBe("held")
  await letGo()
  expect(await note(id, [unified(5)])).toBe(1)
})

test("A worker reports only values that are new to the procedure", async () => {
  const random = createRandom("news of windows")
  const at = (ms: number) => new Date(world.clock.ms() + ms).toISOString()
  const ages = [-1, 0, 1, 59_999, 60_000, 60_001, 299_999, 300_000, 300_001]
  const percents = [0, 7.2, 8.19, 8.2, 9.2, 99, 99.9, 100, 100.5, 1000]
  const cases = Array.from({ length: 3000 }, () => {
    const window_seconds = random.pick([60, 299, 300, 18_000])
    const resource = random.pick(["unified", "tokens"])
    const taken_at = at(0)
    const window: QuotaWindow = {
      resource,
      window_seconds,
      used_pct: random.pick(percents),
      reset_at: at(9e6),
      taken_at,
    }
    const was: KnownWindow = {
      used_pct: random.pick(percents),
      reset_at: random.pick([null, at(-1), at(0), at(1), at(9e6)]),
      taken_at: at(-random.pick(ages)),
      noted_pct: random.pick(percents),
      noted_at: at(-random.pick(ages)),
    }
    const known: Record<string, KnownWindow> = random.int(10) === 0 ? {} : { [`${resource}:${window_seconds}`]: was }
    return { known, windows: [window] }
  })
  const [found] = await world.sql<{ news: boolean[] }>(
    `select jsonb_agg(exists (select from ${RELEASE}.window_news(c.known, c.windows, $2)) order by c.nth) as news
     from rows from (jsonb_to_recordset($1) as (known jsonb, windows jsonb)) with ordinality c(known, windows, nth)`,
    [JSON.stringify(cases), world.clock.now()],
  )
  const wrong = cases.filter(({ known, windows }, nth) => sayNews(windows, known) !== found?.news[nth])
  expect(wrong.slice(0, 3), `seed ${random.seed}`).toEqual([])
  expect(new Set(found?.news).size, "both kinds occur").toBe(2)
})

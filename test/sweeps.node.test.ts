import { setImmediate as macrotask } from "node:timers/promises"
import { beforeEach, expect, test } from "vitest"
import { databaseOver } from "../src/platform/db.ts"
import type { PoolContext } from "../src/providers/capacity.ts"
import { runSweeps, SWEEP_BUDGET_MS } from "../src/sweeps.ts"
import type { SweepRun } from "../src/system/note-sweeps.ts"
import { createTestClock } from "./harness/clock.ts"

let clock: ReturnType<typeof createTestClock>
let noted: Pick<SweepRun, "name" | "ok" | "duration_ms">[]
let logged: string[]
let ctx: PoolContext

beforeEach(() => {
  clock = createTestClock()
  noted = []
  logged = []
  const db = databaseOver(async ({ parameters }) => {
    const runs = JSON.parse(String(parameters[0])) as SweepRun[]
    noted.push(...runs.map(({ name, ok, duration_ms }) => ({ name, ok, duration_ms })))
    return { rows: [{}] }
  })
  ctx = { clock, db, log: (_level, event) => void logged.push(event) } as Partial<PoolContext> as PoolContext
})

const never = () => new Promise<never>(() => {})

test("A sweep that hangs neither delays nor stops the others, and counts as failed after its time limit", async () => {
  const began: string[] = []
  const done = runSweeps(ctx, {
    hangs: () => {
      began.push("hangs")
      return never()
    },
    works: async () => {
      began.push("works")
      return { found: 2 }
    },
  })
  await macrotask()
  expect(began).toEqual(["hangs", "works"])
  expect(logged).toEqual(["works.swept"])
  clock.advance(SWEEP_BUDGET_MS - 1)
  await macrotask()
  expect(logged).toEqual(["works.swept"])
  clock.advance(1)
  await done
  expect(logged).toEqual(["works.swept", "hangs.sweep_failed"])
  expect(noted).toEqual([
    { name: "hangs", ok: false, duration_ms: SWEEP_BUDGET_MS },
    { name: "works", ok: true, duration_ms: 0 },
  ])
})

test("A sweep that throws, synchronously or later, stops no other", async () => {
  await runSweeps(ctx, {
    throws: () => {
      throw new Error("at once")
    },
    rejects: async () => {
      await macrotask()
      throw new Error("later")
    },
    works: async () => ({ found: 1 }),
  })
  expect(logged.toSorted()).toEqual(["rejects.sweep_failed", "throws.sweep_failed", "works.swept"])
  expect(noted.map(({ name, ok }) => [name, ok])).toEqual([
    ["throws", false],
    ["rejects", false],
    ["works", true],
  ])
})

test("The late result of a sweep after its time limit changes nothing", async () => {
  const slow = Promise.withResolvers<object>()
  const done = runSweeps(ctx, { slow: () => slow.promise })
  await macrotask()
  clock.advance(SWEEP_BUDGET_MS)
  await done
  slow.reject(new Error("much later"))
  await macrotask()
  expect(logged).toEqual(["slow.sweep_failed"])
  expect(noted).toHaveLength(1)
})

test("A sweep that found nothing to do is recorded, and not logged", async () => {
  await runSweeps(ctx, {
    idle: async () => ({ found: 0, finished: true }),
    empty: async () => ({}),
  })
  expect(logged).toEqual([])
  expect(noted.map(({ name, ok }) => [name, ok])).toEqual([
    ["idle", true],
    ["empty", true],
  ])
})

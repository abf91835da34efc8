import { resolve } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { measureFullRunner } from "../../bench/measure-memory.ts"
import { ISOLATE_MIB, readPeaks } from "../../bench/runtime.ts"
import { readVersion } from "../../bench/version.ts"
import { type BenchWorld, createBenchWorld } from "../../bench/world.ts"
import { EDGE_LIMITS } from "../../src/local/edge-limits.ts"

// The runner in a workerd of its own whose heap has the platform's bound: beyond it the process dies.

let world: BenchWorld
beforeAll(async () => {
  const version = await readVersion("own", resolve("."))
  world = await createBenchWorld({ version, runtime: "workerd", durable: false })
})
afterAll(() => world.close())

test("A runner with 64 turns of long histories stays within an isolate's memory and an invocation's calls", async () => {
  const most = await measureFullRunner(world)
  console.log(`the runner's isolate had ${most} MiB at the most`)
  expect(most).toBeLessThan(ISOLATE_MIB)
  for (const runtime of world.limited) {
    const peaks = await readPeaks(runtime)
    expect(peaks.waiting).toBeLessThanOrEqual(EDGE_LIMITS.waiting)
    expect(peaks.exceeded).toBe(0)
  }
})

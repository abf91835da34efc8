import { loadavg } from "node:os"
import type { ConnectionCounts } from "../src/local/connections.ts"
import type { EdgePeaks } from "../src/local/edge-limits.ts"
import { readPeaks } from "./runtime.ts"
import type { Question } from "./stand-ins-process.ts"
import { type BenchWorld, createBenchWorld, type WorldOptions } from "./world.ts"

/** Worlds of their own for measurements, so that caches, tables and heaps of others do not affect them. */
export function createWorlds() {
  const open = new Set<Promise<BenchWorld>>()
  const close = async (creating: Promise<BenchWorld>) => {
    // A world that is still being created has processes already.
    await creating.then(
      (world) => world.close(),
      () => {},
    )
    open.delete(creating)
  }
  return {
    /** The answer of the measurement, and the state of the machine and of the workers' limits at its end. */
    async measure(options: WorldOptions, work: (world: BenchWorld) => Promise<unknown>) {
      const creating = createBenchWorld(options)
      open.add(creating)
      try {
        const world = await creating
        const answer = (await work(world)) as object
        const question: Question = { ask: "connections" }
        const connections = await world.standIns.ask<ConnectionCounts>(question)
        const edge = await peaksOf(world)
        return { answer, state: { load_of_machine: loadavg()[0], connections, edge } }
      } finally {
        await close(creating)
      }
    },
    closeAll: () => Promise.all([...open].map(close)),
  }
}

export type Worlds = ReturnType<typeof createWorlds>

/** The most calls of an invocation of any worker that is still there. One that was refused a call fails the bench. */
async function peaksOf({ limited }: BenchWorld): Promise<EdgePeaks> {
  const most: EdgePeaks = { waiting: 0, subrequests: 0, queued: 0, exceeded: 0 }
  for (const runtime of limited) {
    const peaks = await readPeaks(runtime).catch(() => most)
    for (const name of Object.keys(most) as (keyof EdgePeaks)[]) most[name] = Math.max(most[name], peaks[name])
  }
  if (most.exceeded > 0) throw new Error("An invocation has met the limit of subrequests.")
  return most
}

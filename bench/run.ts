import { loadavg } from "node:os"
import { join } from "node:path"
import type { ConnectionCounts } from "../src/local/connections.ts"
import type { EdgePeaks } from "../src/local/edge-limits.ts"
import { chooseMeasurements } from "./measurements.ts"
import { readBenchOptions } from "./options.ts"
import { printAnswer } from "./print.ts"
import { readPeaks } from "./runtime.ts"
import type { Question } from "./stand-ins-process.ts"
import { readVersion } from "./version.ts"
import { type BenchWorld, createBenchWorld } from "./world.ts"

const options = readBenchOptions(process.argv.slice(2))
let world: Promise<BenchWorld> | null = null
let ending: Promise<void> | null = null

/** Stops everything that was started, and exits. Runs only once. */
function end(code: number): Promise<void> {
  ending ??= (async () => {
    // Waits for a world that is still being created, because it has processes already.
    await world?.then(
      (made) => made.close(),
      () => {},
    )
    process.exit(code)
  })()
  return ending
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(130))

const answers: Record<string, unknown> = {}

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

try {
  const own = await readVersion("after", join(import.meta.dirname, ".."))
  const baseline = options.baseline === undefined ? [] : [await readVersion("before", options.baseline)]
  for (const { title, measure, isCompared, world: special } of chooseMeasurements(options)) {
    for (const version of isCompared ? [...baseline, own] : [own]) {
      if (ending) break
      const name = isCompared && baseline.length > 0 ? `${title} (${version.name})` : title
      // Each measurement gets new servers, so that caches, tables and heaps of others do not affect it.
      world = createBenchWorld({
        version,
        runtime: "workerd",
        durable: options.durable,
        keptIn: options.keep,
        ...special,
      })
      const made = await world
      const answer = await measure(made, options)
      const question: Question = { ask: "connections" }
      const connections = await made.standIns.ask<ConnectionCounts>(question)
      const edge = await peaksOf(made)
      await made.close()
      answers[name] = { load_of_machine: loadavg()[0], connections, edge, ...(answer as object) }
      if (!options.json) printAnswer(name, answers[name] as object)
    }
  }
  if (options.json) console.log(JSON.stringify(answers, null, 2))
  await end(0)
} catch (error) {
  if (!ending) console.error(error)
  await end(1)
}

import { join } from "node:path"
import { createWorlds } from "./in-world.ts"
import { chooseMeasurements } from "./measurements.ts"
import { readBenchOptions } from "./options.ts"
import { printAnswer } from "./print.ts"
import { runSmoke } from "./smoke.ts"
import { readVersion } from "./version.ts"

const options = readBenchOptions(process.argv.slice(2))
const worlds = createWorlds()
let ending: Promise<void> | null = null

/** Stops everything that was started, and exits. Runs only once. */
function end(code: number): Promise<void> {
  ending ??= worlds.closeAll().then(() => process.exit(code))
  return ending
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(130))

async function runAll(): Promise<void> {
  const own = await readVersion("after", join(import.meta.dirname, ".."))
  const baseline = options.baseline === undefined ? [] : [await readVersion("before", options.baseline)]
  const answers: Record<string, unknown> = {}
  for (const { title, measure, isCompared, world: special } of chooseMeasurements(options)) {
    for (const version of isCompared ? [...baseline, own] : [own]) {
      if (ending) break
      const name = isCompared && baseline.length > 0 ? `${title} (${version.name})` : title
      const { answer, state } = await worlds.measure(
        { version, runtime: "workerd", durable: options.durable, keptIn: options.keep, ...special },
        (world) => measure(world, options),
      )
      const shown = { ...state, ...answer }
      answers[name] = shown
      if (!options.json) printAnswer(name, shown)
    }
  }
  if (options.json) console.log(JSON.stringify(answers, null, 2))
}

try {
  if (options.size === "smoke") await end((await runSmoke(worlds, options)) ? 0 : 1)
  else {
    await runAll()
    await end(0)
  }
} catch (error) {
  if (!ending) console.error(error)
  await end(1)
}

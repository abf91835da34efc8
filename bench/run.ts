import { measureAccepts } from "./measure-accepts.ts"
import { measureFiles } from "./measure-files.ts"
import { measureHistory } from "./measure-history.ts"
import { measureLatency } from "./measure-latency.ts"
import { measureLogins } from "./measure-logins.ts"
import { measureMemory, measureTurns } from "./measure-turns.ts"
import { measureUpgrade } from "./measure-upgrade.ts"
import { readOptions } from "./options.ts"
import { createWorld, type World } from "./world.ts"

const options = readOptions(process.argv.slice(2))
const MANY_ACCOUNTS = 16

const measurements: [string, string, (world: World) => Promise<unknown>][] = [
  ["accepts", "accepts, 1 account", (world) => measureAccepts(world, options, 1)],
  ["accepts", "accepts, 1 account, key with every cap", (world) => measureAccepts(world, options, 1, true)],
  ["accepts", `accepts, ${MANY_ACCOUNTS} accounts`, (world) => measureAccepts(world, options, MANY_ACCOUNTS)],
  ["turns", "turns, 1 account", (world) => measureTurns(world, options, 1)],
  ["turns", `turns, ${MANY_ACCOUNTS} accounts`, (world) => measureTurns(world, options, MANY_ACCOUNTS)],
  ["turns", "turns, 1 account, v1 and callbacks as two workers", (world) => measureTurns(world, options, 1, true)],
  ["latency", "one client", (world) => measureLatency(world, options)],
  ["history", "stored turns", (world) => measureHistory(world)],
  ["memory", "memory", (world) => measureMemory(world, options)],
  ["files", "files of 100 MiB", (world) => measureFiles(world)],
  ["upgrade", "upgrade of 400,000 turns under traffic", (world) => measureUpgrade(world)],
  ["logins", "wrong passwords", (world) => measureLogins(world)],
]

let world: Promise<World> | null = null
let ending: Promise<void> | null = null

/** Ends everything that was started, once. */
function end(code: number): Promise<void> {
  ending ??= (async () => {
    // A world that is still being made is waited for: it has processes already.
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
try {
  for (const [group, title, measure] of measurements) {
    if (ending) break
    if (options.only.length > 0 && !options.only.includes(group)) continue
    // Each measurement on fresh servers: none inherits another's caches, tables or heap.
    world = createWorld()
    const made = await world
    answers[title] = await measure(made)
    if (!options.json) print(title, answers[title])
    await made.close()
  }
  if (options.json) console.log(JSON.stringify(answers, null, 2))
  await end(0)
} catch (error) {
  if (!ending) console.error(error)
  await end(1)
}

function print(title: string, answer: unknown): void {
  console.log(`\n${title}`)
  for (const [name, value] of Object.entries(answer as object)) {
    for (const line of Array.isArray(value) && typeof value[0] === "object" ? value : [value]) {
      console.log(`  ${name.padEnd(22)} ${format(line)}`)
    }
  }
}

function format(value: unknown): string {
  if (Array.isArray(value)) return value.join(" ")
  if (value === null || typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${typeof part === "object" ? `(${format(part)})` : part}`)
    .join("  ")
}

import { rm } from "node:fs/promises"
import { join } from "node:path"
import { startPostgres } from "../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import type { Worlds } from "./in-world.ts"
import { chooseMeasurements, type Measurement } from "./measurements.ts"
import type { Options } from "./options.ts"
import { secondsSince } from "./statistics.ts"
import { readVersion } from "./version.ts"
import type { WorldOptions } from "./world.ts"

/** How many measurements run at once. Many of them mostly wait. */
const AT_ONCE = 3
/** The longest wait for a measurement. */
const MOST_MS = 180_000
/** The one server of all needs little memory. */
const SETTINGS = { shared_buffers: "256MB", max_connections: "600" }

/**
 * Runs each measurement at its tiny size, and prints one line for it. One that fails runs once more, alone, like a
 * failed test file. True if all of them gave all their figures. The figures say nothing about speed.
 */
export async function runSmoke(worlds: Worlds, options: Options): Promise<boolean> {
  const began = performance.now()
  const version = await readVersion("own", join(import.meta.dirname, ".."))
  const chosen = chooseMeasurements(options)
  const server = await startServer(chosen)
  const own: WorldOptions = { version, runtime: "workerd", durable: false, server: server.url }
  const measure = async (one: Measurement): Promise<Outcome["state"]> => {
    const from = performance.now()
    const outcome = await outcomeOf(runOne(worlds, { ...own, ...one.world }, one, options))
    console.log(`${outcome.state.padEnd(8)} ${nameOf(one)}, ${secondsSince(from, 1)} s, ${outcome.text}`)
    return outcome.state
  }
  const outcomes: Outcomes = { ok: [], skipped: [], failed: [] }
  const flaky: Measurement[] = []
  try {
    await runAll(chosen, AT_ONCE, outcomes, measure)
    const again = outcomes.failed
    outcomes.failed = []
    await runAll(again, 1, outcomes, measure)
    flaky.push(...again.filter((one) => !outcomes.failed.includes(one)))
  } finally {
    await server.stop()
  }
  console.log(`${chosen.length} measurements in ${secondsSince(began)} s: ${outcomes.ok.length} gave their figures.`)
  for (const [state, ones] of Object.entries({ skipped: outcomes.skipped, flaky, failed: outcomes.failed })) {
    if (ones.length > 0) console.log(`${state}: ${ones.map(nameOf).join("; ")}`)
  }
  return outcomes.failed.length === 0
}

type Outcomes = Record<Outcome["state"], Measurement[]>

async function runAll(
  measurements: Measurement[],
  atOnce: number,
  outcomes: Outcomes,
  measure: (one: Measurement) => Promise<Outcome["state"]>,
): Promise<void> {
  const waiting = [...measurements]
  const runNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes[await measure(next)].push(next)
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
}

const nameOf = ({ group, title }: Measurement) => `${group}: ${title}`

async function startServer(measurements: Measurement[]) {
  const given = process.env.DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const directory = await makeTemporaryDirectory("smoke")
  const settings = Object.assign({}, ...measurements.map(({ world }) => world?.settings), SETTINGS)
  const server = await startPostgres({ dataDir: join(directory, "postgres"), durable: false, settings })
  const stop = async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
  return { url: server.url, stop }
}

async function runOne(
  worlds: Worlds,
  world: WorldOptions,
  { measure, smoke }: Measurement,
  options: Options,
): Promise<object> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`There is no answer after ${MOST_MS / 1000} s.`)), MOST_MS)
  })
  const measured = worlds.measure(world, (made) => Promise.race([measure(made, { ...options, ...smoke }), late]))
  return measured.then(({ answer }) => answer).finally(() => clearTimeout(timer))
}

interface Outcome {
  /** Skipped: the machine lacks a program that the measurement runs. */
  state: "ok" | "skipped" | "failed"
  text: string
}

function outcomeOf(answer: Promise<object>): Promise<Outcome> {
  return answer.then(
    (figures): Outcome => {
      if ("skipped" in figures) return { state: "skipped", text: String(figures.skipped) }
      const { count, missing } = countFigures(figures)
      if (count === 0) return { state: "failed", text: "no figures" }
      if (missing.length > 0) return { state: "failed", text: `no figure for ${missing.join(", ")}` }
      return { state: "ok", text: `${count} figures` }
    },
    (error: unknown): Outcome => ({
      state: "failed",
      text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  )
}

/** Counts the figures of an answer, and names those that have no value. */
export function countFigures(answer: unknown, name = ""): { count: number; missing: string[] } {
  if (typeof answer === "string" || typeof answer === "boolean")
    return { count: /\d/.test(`${answer}`) ? 1 : 0, missing: [] }
  if (typeof answer === "number" && Number.isFinite(answer)) return { count: 1, missing: [] }
  // A value that the database does not know, such as a share of no rows.
  if (answer === null) return { count: 0, missing: [] }
  if (typeof answer !== "object") return { count: 0, missing: [name] }
  const parts = Object.entries(answer).map(([key, part]) => countFigures(part, name ? `${name}.${key}` : key))
  return { count: parts.reduce((sum, { count }) => sum + count, 0), missing: parts.flatMap(({ missing }) => missing) }
}

import { globSync, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { describeChange, describeMutant, type Mutant, placeOf, sourceLine } from "./mutation/mutant.ts"
import { ROOMS, roomOf, testsOf } from "./mutation/rooms.ts"
import { mutateSql } from "./mutation/sql-mutants.ts"
import { mutateTypeScript } from "./mutation/ts-mutants.ts"
import { openWorkshop, type Workshop } from "./mutation/workshop.ts"

/**
 * `npm run mutate -- src/billing --sample 60 --seed 7` makes small changes to the source and reports those that no test
 * notices. `--at src/a.sql:12,src/b.ts:7:30` tries all changes at these lines or positions instead of a sample.
 * `--tests test/a.test.ts` runs only these tests.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string" }, seed: { type: "string" }, at: { type: "string" }, tests: { type: "string" } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
const wanted = Number(values.sample ?? 60)
const places = values.at?.split(",")
const targets = places ? [...new Set(places.map((place) => place.replace(/(:\d+)+$/, "")))] : positionals
if (targets.length === 0) targets.push(...Object.values(ROOMS).flatMap(({ sources }) => sources))

interface Killer {
  file: string
  why: string
}

interface Equivalent {
  file: string
  line: string
  change: string
  why: string
}
const equivalents: Equivalent[] = JSON.parse(readFileSync("scripts/mutation/equivalents.json", "utf8"))

/** The duration of a test file, and the procedures that it calls. */
interface Measured {
  ms: number
  calls: Map<string, number>
}

/** A generator of numbers from 0 to 1 with a seed (mulberry32). */
function randomFrom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(items: T[]): T[] {
  const random = randomFrom(seed)
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** The mutants of a room in the order in which they are tried. It depends only on the seed and the source. */
function mutantsOf(sources: string[], textOf: (file: string) => string): Mutant[] {
  const files = sources
    .flatMap((source) => globSync([source, `${source}/*.{ts,sql}`]))
    .filter((file) => /\.(ts|sql)$/.test(file))
  const all = [...new Set(files)].sort().flatMap((file) => {
    const text = textOf(file)
    return file.endsWith(".sql") ? mutateSql(file, text) : mutateTypeScript(file, text)
  })
  const isAsked = ({ file, from }: Mutant) =>
    places?.some((place) => `${placeOf(file, textOf(file), from)}:`.startsWith(`${place}:`))
  if (places) return all.filter(isAsked)
  return shuffled(all)
}

const isEquivalent = ({ file, from, to, becomes }: Mutant, text: string) =>
  equivalents.some(
    (known) =>
      known.file === file &&
      known.line === sourceLine(text, from) &&
      known.change === describeChange(text.slice(from, to), becomes),
  )

async function measure(workshop: Workshop, files: string[]): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>()
  await workshop.takeCalls()
  for (const file of files) {
    const began = Date.now()
    const answer = await workshop.test([file], { limitMs: 300_000 })
    if (typeof answer === "string" || answer.failed !== null) {
      throw new Error(`${file} fails without a mutant: ${typeof answer === "string" ? answer : answer.why}`)
    }
    measured.set(file, { ms: Date.now() - began, calls: await workshop.takeCalls() })
  }
  return measured
}

/**
 * The tests that can fail for a mutant, sorted by the number of mutants of its file that they killed, then by speed.
 */
function testsFor(mutant: Mutant, text: string, measured: Map<string, Measured>, kills: Map<string, number>): string[] {
  const procedure = /create function turnpike\.(\w+)/.exec(
    text.slice(text.lastIndexOf("create function", mutant.from)),
  )?.[1]
  const isCalled = ([, { calls }]: [string, Measured]) => calls.has(procedure ?? "")
  const all = [...measured]
  // PostgreSQL can inline a function of one SQL expression into its caller, and then does not count its calls.
  const isCounted = mutant.file.endsWith(".sql") && all.some(isCalled)
  return (isCounted ? all.filter(isCalled) : all)
    .sort(([a, { ms: aMs }], [b, { ms: bMs }]) => (kills.get(b) ?? 0) - (kills.get(a) ?? 0) || aMs - bMs)
    .map(([file]) => file)
}

async function tryRoom(workshop: Workshop, room: string, sources: string[]): Promise<string> {
  const texts = new Map<string, string>()
  const textOf = (file: string) => texts.get(file) ?? texts.set(file, readFileSync(file, "utf8")).get(file) ?? ""
  const began = Date.now()
  const measured = await measure(workshop, values.tests?.split(",") ?? testsOf(room))
  console.log(`${room}: ${measured.size} test files pass, ${Math.round((Date.now() - began) / 1000)} s`)
  const kills = new Map<string, Map<string, number>>()
  const survivors: string[] = []
  let tried = 0
  for (const mutant of mutantsOf(sources, textOf)) {
    if (!places && tried === wanted) break
    const text = textOf(mutant.file)
    if (isEquivalent(mutant, text)) continue
    const ofFile = kills.get(mutant.file) ?? kills.set(mutant.file, new Map()).get(mutant.file) ?? new Map()
    const started = Date.now()
    const files = testsFor(mutant, text, measured, ofFile)
    const run = () => workshop.withMutant(mutant, text, () => killerOf(workshop, files, measured))
    const first = await run()
    const made = first?.result?.file === "died" ? await run() : first
    if (!made) continue
    const killer = made.result
    // The runner ended twice, by chance or because of the mutant. This is unknown, so the mutant does not count.
    if (killer?.file === "died") {
      console.log(`the test runner ended because of ${describeMutant(mutant, text)}`)
      continue
    }
    tried++
    const name = describeMutant(mutant, text)
    if (killer) ofFile.set(killer.file, (ofFile.get(killer.file) ?? 0) + 1)
    else survivors.push(name)
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(
      killer ? `killed ${seconds} s ${name}  by ${killer.file}: ${killer.why}` : `SURVIVED ${seconds} s ${name}`,
    )
  }
  const score = `${room}: ${tried - survivors.length} of ${tried} killed (${((100 * (tried - survivors.length)) / tried).toFixed(0)} %), seed ${seed}`
  return [score, ...survivors.map((name) => `  survived: ${name}`)].join("\n")
}

/** Runs the first file alone, then growing groups of files. */
async function killerOf(workshop: Workshop, files: string[], measured: Map<string, Measured>) {
  let killer: Killer | null = null
  for (const group of [files.slice(0, 1), files.slice(1, 5), files.slice(5)]) {
    if (group.length === 0 || killer !== null) continue
    const usual = group.reduce((sum, name) => sum + (measured.get(name)?.ms ?? 0), 0)
    const answer = await workshop.test(group, { limitMs: Math.max(30_000, 3 * usual) })
    await workshop.dropCopies()
    if (typeof answer === "string") killer = { file: answer, why: "" }
    else if (answer.failed !== null) killer = { file: answer.failed, why: answer.why.slice(0, 100) }
  }
  return killer
}

console.log(`seed ${seed}`)
const workshop = await openWorkshop(process.cwd())
let stopped = false
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    stopped = true
    await workshop.close()
    process.exit(1)
  })
}
try {
  const rooms = new Map<string, string[]>()
  for (const target of targets) rooms.set(roomOf(target), [...(rooms.get(roomOf(target)) ?? []), target])
  const scores: string[] = []
  for (const [room, sources] of rooms) scores.push(await tryRoom(workshop, room, sources))
  console.log(`\n${scores.join("\n")}`)
} catch (error) {
  // An error after a stop is caused by the stop.
  if (stopped) await new Promise(() => {})
  throw error
} finally {
  await workshop.close()
}

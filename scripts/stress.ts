import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { endWithNpm } from "../src/local/lifecycle.ts"
import { endWithUs } from "../src/local/watchdog.ts"
import type { RunReport } from "./failures-reporter.ts"
import { TIERS } from "./test-tiers.ts"

/**
 * `npm run stress -- [--kinds core,loops,delay,order] [--seed N] [files]`: runs the default tier, or these files, once
 * under each kind of stress. No test may fail because the machine is slow.
 */
const KINDS = {
  core: "on one core",
  loops: "next to two busy loops",
  delay: "on a PostgreSQL whose every statement is delayed by 0 to 50 ms",
  order: "with its files in random order",
} as const
type Kind = keyof typeof KINDS

const MOST_DELAY_MS = 50
const BUSY_LOOPS = 2

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { kinds: { type: "string" }, seed: { type: "string" } },
})
const kinds = (values.kinds ?? Object.keys(KINDS).join(",")).split(",")
const unknown = kinds.filter((kind) => !Object.hasOwn(KINDS, kind))
if (unknown.length > 0) {
  console.error(`There is no kind of stress ${unknown.join(", ")}. Name some of: ${Object.keys(KINDS).join(", ")}.`)
  process.exit(2)
}
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000))

const running = new Set<ChildProcess>()
const stop = () => {
  for (const child of running) child.kill("SIGKILL")
}
await endWithNpm(() => {
  stop()
  process.exit(1)
})
const work = await mkdtemp(join(tmpdir(), "turnpike-stress-"))
const lines: string[] = []
try {
  for (const kind of kinds as Kind[]) lines.push(...(await runUnder(kind)))
} finally {
  stop()
  await rm(work, { recursive: true, force: true })
}
for (const line of lines) console.log(line)
if (lines.some((line) => line.startsWith("FAILED"))) process.exitCode = 1

async function runUnder(kind: Kind): Promise<string[]> {
  const about = kind === "order" ? `${KINDS[kind]}, seed ${seed}` : KINDS[kind]
  console.log(`The default tier ${about}`)
  const path = join(work, `${kind}.json`)
  const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "failures-reporter.ts")}`]
  const projects = TIERS.default.flatMap((name) => ["--project", name])
  const order = kind === "order" ? ["--sequence.shuffle.files", `--sequence.seed=${seed}`] : []
  const command = ["vitest", "run", ...projects, ...reporters, ...order, ...files]
  const [program = "", ...args] = kind === "core" ? ["taskset", "-c", "0", ...command] : command
  const loops = kind === "loops" ? Array.from({ length: BUSY_LOOPS }, () => startLoop()) : []
  const began = performance.now()
  const code = await ended(
    start(program, args, {
      TURNPIKE_REPORT: path,
      TEST_RUNNER: String(process.pid),
      ...(kind === "delay" && { TURNPIKE_STATEMENT_MS: String(MOST_DELAY_MS) }),
    }),
  )
  for (const loop of loops) loop.kill("SIGKILL")
  const seconds = Math.round((performance.now() - began) / 1000)
  const text = await readFile(path, "utf8").catch(() => null)
  if (text === null) return [`FAILED ${about}: vitest ended with ${code} and no report`]
  const { passed, failed, files: broken, unhandled } = JSON.parse(text) as RunReport
  const errors = [...broken.flatMap(({ file, errors }) => errors.map((error) => `${file}: ${error}`)), ...unhandled]
  return [
    `${code === 0 ? "ok    " : "FAILED"} ${about}: ${passed} passed, ${failed} failed, ${seconds} s`,
    ...errors.map((error) => `    ${error}`),
  ]
}

function start(program: string, args: string[], variables: Record<string, string> = {}): ChildProcess {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...variables } })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

/** A busy loop, which ends with us for whatever reason. */
function startLoop(): ChildProcess {
  const loop = start(process.execPath, ["-e", "for (;;);"])
  if (loop.pid) loop.once("exit", endWithUs({ pid: loop.pid, words: ["for (;;);"], signals: ["SIGKILL"] }))
  return loop
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    child.once("error", fail)
    child.once("exit", (code) => done(code ?? 1))
  })
}

import { type ChildProcess, spawn } from "node:child_process"
import { appendFile, mkdtemp, open, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endWithNpm } from "../src/local/lifecycle.ts"
import type { FailedFile, RunReport } from "./failures-reporter.ts"
import { describeFailed, describeFlaky, judge, listFailures } from "./flaky.ts"
import { needPackages } from "./own-packages.ts"
import { PACKAGES_OF_TIERS, TIERS, type Tier } from "./test-tiers.ts"

/**
 * `node scripts/test.ts TIER [arguments for vitest]`. If the variable CI is set, a failed file runs once more, alone
 * (see `judge`), and the output ends with the list of failed tests, since its end is what is read. The calls of one CI
 * run record their flaky files in the file TURNPIKE_FLAKY_LOG.
 */
const [tier = "", ...more] = process.argv.slice(2)
if (!Object.hasOwn(TIERS, tier)) {
  console.error(`Name a tier: ${Object.keys(TIERS).join(", ")}.`)
  process.exit(2)
}
const projects = TIERS[tier as Tier].flatMap((name) => ["--project", name])
const work = await mkdtemp(join(tmpdir(), "turnpike-tests-"))
let running: ChildProcess | undefined
await endWithNpm(() => {
  running?.kill("SIGKILL")
  process.exit(1)
})
await needPackages(...PACKAGES_OF_TIERS[tier as Tier])
const log = process.env.TURNPIKE_FLAKY_LOG ?? join(work, "flaky")

try {
  process.exitCode = process.env.CI ? await runInCi() : await vitest([...projects, ...more])
} finally {
  await rm(work, { recursive: true, force: true })
}

async function runInCi(): Promise<number> {
  const output = join(work, "output")
  const { code, report } = await reported([...projects, ...more], output)
  console.log(await readFile(output, "utf8"))
  if (!report || (code !== 0 && report.files.length + report.unhandled.length === 0)) return code || 1
  const before = (await readFile(log, "utf8").catch(() => ""))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FailedFile)
  const { flaky, failed, isOk } = await judge(report, before.length, passesAlone)
  for (const one of flaky) await appendFile(log, `${JSON.stringify(one)}\n`)
  for (const one of failed) console.log(describeFailed(one))
  for (const error of report.unhandled) console.log(`FAILED outside any test file: ${error}`)
  // A run that failed may have failed because of them.
  for (const one of isOk ? flaky : [...before, ...flaky]) console.log(describeFlaky(one))
  console.log(["The slowest files:", ...report.slowest].join("\n  "))
  if (!isOk) console.log(listFailures(report))
  const [passed, wrong] = isOk ? [report.passed + report.failed, 0] : [report.passed, Math.max(1, report.failed)]
  console.log(`${passed} passed, ${wrong} failed`)
  return isOk ? 0 : 1
}

async function passesAlone({ file, project }: FailedFile): Promise<boolean> {
  console.log(`${file} (${project}) failed. It runs once more, alone.`)
  const { code } = await reported(["--project", project, ...more.filter((argument) => argument.startsWith("-")), file])
  return code === 0
}

/** Runs vitest, and prints its output. If that goes to the file `output`, it prints the slow files as they end. */
async function reported(args: string[], output?: string): Promise<{ code: number; report: RunReport | null }> {
  const path = join(work, "report.json")
  const reporter = join(import.meta.dirname, "failures-reporter.ts")
  const code = await vitest(
    [...args, "--reporter=default", `--reporter=${reporter}`],
    { TURNPIKE_REPORT: path, ...(output === undefined ? {} : { TURNPIKE_PROGRESS: "1" }) },
    output,
  )
  const text = await readFile(path, "utf8").catch(() => null)
  await rm(path, { force: true })
  return { code, report: text === null ? null : (JSON.parse(text) as RunReport) }
}

async function vitest(args: string[], variables: Record<string, string> = {}, output?: string): Promise<number> {
  const env = { ...process.env, ...variables, TEST_RUNNER: String(process.pid) }
  const file = output === undefined ? null : await open(output, "w")
  const to = file?.fd ?? "inherit"
  const child = spawn("vitest", ["run", ...args], { stdio: ["inherit", to, to, process.stdout.fd], env })
  running = child
  const code = await new Promise<number>((done, fail) => {
    child.once("error", fail)
    child.once("exit", (code) => done(code ?? 1))
  })
  await file?.close()
  return code
}

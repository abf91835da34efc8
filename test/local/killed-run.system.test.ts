import { type ChildProcess, spawn } from "node:child_process"
import { openSync } from "node:fs"
import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { isAlive, type Process, processes, signal, soon } from "../../src/local/processes.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { startServer } from "../harness/databases.ts"
import { npmStart } from "../harness/npm-start.ts"

/** Set in the run that is killed: the file that reports when all its servers are running. */
const HELD = process.env.KILLED_RUN
/** Never decides the result: a process that is not ended stays forever. */
const PATIENCE_MS = 540_000
const OWN = "test/local/killed-run.system.test.ts"
const OF_WORKERS = "test/auth/messenger-faults.thorough.test.ts"

test.runIf(HELD)("A run holds the servers of its tests until it is killed", async () => {
  const [server, service] = await Promise.all([startServer(), npmStart()])
  await server.create("select 1")
  expect((await fetch(`${service.base_url}/v1/me`)).status).toBe(401)
  await writeFile(HELD as string, "")
  await new Promise(() => {})
})

let dir: string
let run: ChildProcess | undefined
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "killed-run-"))
})
afterEach(async () => {
  if (run?.pid) signal(-run.pid, "SIGKILL")
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

/** The processes that the test kills; all others have to end by themselves. */
const KILLS: Record<string, (all: Process[]) => number[]> = {
  "the test runner alone": (all) =>
    all.filter(({ command }) => command.includes("stack-process")).map(({ parent }) => parent),
  "npm alone": (all) => all.slice(0, 1).map(({ pid }) => pid),
  "npm, the runner, and what is in their process group": (all) => all.slice(0, 1).map(({ pid }) => -pid),
}

/** A process and all its descendants, in this order. */
async function below(pid: number): Promise<Process[]> {
  const all = await processes()
  const from = (one: Process): Process[] => [one, ...all.filter(({ parent }) => parent === one.pid).flatMap(from)]
  return all.filter((one) => one.pid === pid).flatMap(from)
}

/** The directories that these processes have made, found by their names. */
async function directoriesOf(pids: number[]): Promise<string[]> {
  const names = await Promise.all(
    ["/dev/shm", dir].map(async (parent) => (await readdir(parent).catch(() => [])).map((name) => join(parent, name))),
  )
  return names.flat().filter((path) => pids.includes(Number(/\.(\d+)-\w{6}$/.exec(path)?.[1])))
}

test.skipIf(HELD).each(Object.keys(KILLS))(
  "A run of tests whose processes were killed with SIGKILL (%s) leaves no process and no directory",
  async (what) => {
    const held = join(dir, "held")
    const log = join(dir, "log")
    const output = openSync(log, "w")
    const { DATABASE_URL: _, REDIS_URL: __, RUN_DIRECTORY: ___, ...env } = process.env
    const child = spawn("npm", ["run", "test:thorough", "--", OWN, OF_WORKERS], {
      detached: true,
      stdio: ["ignore", output, output],
      env: { ...env, KILLED_RUN: held, TMPDIR: dir },
    })
    run = child
    // This test itself may be killed.
    endWithUs({ pid: -(child.pid as number), words: ["npm test", "vitest"], signals: ["SIGKILL"] })
    const hasServers = async () => {
      const commands = (await below(child.pid as number)).map(({ command }) => command)
      return commands.some((command) => command.includes("stack-process")) && (await exists(held))
    }
    await soon(async () => (await hasServers()) || child.exitCode !== null, PATIENCE_MS)
    if (!(await hasServers())) throw new Error(`the run has no servers:\n${await readFile(log, "utf8")}`)
    const all = await below(child.pid as number)
    const servers = (name: RegExp) => all.filter(({ command }) => name.test(command)).length
    expect(servers(/bin\/postgres -D/), "the directories of the stand-ins, the test and npm start").toBe(3)
    expect(servers(/worker-process\.ts/)).toBeGreaterThan(0)
    expect(servers(/workerd serve/)).toBeGreaterThan(0)
    const pids = all.map(({ pid }) => pid)
    expect((await directoriesOf(pids)).length).toBeGreaterThan(0)

    for (const pid of KILLS[what]?.(all) ?? []) signal(pid, "SIGKILL")

    const left = () => all.filter(({ pid }) => isAlive(pid)).map(({ pid, command }) => `${pid} ${command}`)
    await soon(() => left().length === 0, PATIENCE_MS)
    expect(left()).toEqual([])
    await soon(async () => (await directoriesOf(pids)).length === 0, PATIENCE_MS)
    expect(await directoriesOf(pids)).toEqual([])
  },
)

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

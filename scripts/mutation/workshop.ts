import { type ChildProcess, execFile, fork } from "node:child_process"
import { once } from "node:events"
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { withClient, withDatabase } from "../../src/local/databases.ts"
import { startPostgres } from "../../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { expand, readRelease } from "../../src/ops/release.ts"
import type { Mutant } from "./mutant.ts"
import type { RunAnswer, RunRequest } from "./runner.ts"

const run = promisify(execFile)
/** Redis databases are reused after 500 namespaces, so the runner restarts before that. */
const MOST_DATABASES = 400
const FIRST_TEST = "test/turns/life.test.ts"

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>

/** Creates a copy of the project in which mutants are applied and tests run. The project itself is not changed. */
export async function openWorkshop(root: string) {
  const dir = await makeTemporaryDirectory("mutants")
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, maxBuffer: 2 ** 24 })
  for (const file of stdout.split("\n").filter(Boolean)) {
    await mkdir(dirname(join(dir, "project", file)), { recursive: true })
    await cp(join(root, file), join(dir, "project", file)).catch(() => {})
  }
  const project = join(dir, "project")
  await symlink(join(root, "node_modules"), join(project, "node_modules"))
  const postgres = await startPostgres({
    dataDir: join(dir, "postgres"),
    durable: false,
    settings: { track_functions: "all" },
  })
  const release = await readRelease(join(project, "src"))
  let runner: ChildProcess | null = null
  let made = 0
  /** The sources that have changed since the last run. */
  const changed: string[] = []

  async function write(file: string, text: string): Promise<void> {
    await writeFile(join(project, file), text)
    changed.push(join(project, file))
  }

  async function started(): Promise<ChildProcess> {
    if (runner) return runner
    runner = fork(join(project, "scripts/mutation/runner.ts"), {
      cwd: project,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, DATABASE_URL: postgres.url },
      detached: true,
    })
    runner.once("exit", endWithUs({ pid: -(runner.pid as number), words: [project], signals: ["SIGKILL"] }))
    const [ready] = await Promise.race([once(runner, "message"), once(runner, "exit")])
    if (ready !== "ready") throw new Error("the test runner did not start")
    // The first test starts the stand-ins and creates the template of all databases.
    const first: RunRequest = { files: [FIRST_TEST], changed: [] }
    runner.send(first)
    await once(runner, "message")
    return runner
  }

  /** Stops the runner with its stand-ins and workers, which may hang because of a mutant. */
  async function stopRunner(): Promise<void> {
    const ending = runner
    runner = null
    made = 0
    if (ending?.pid && ending.exitCode === null) {
      const ended = once(ending, "exit")
      process.kill(-ending.pid, "SIGKILL")
      await ended
    }
    for (const name of await databasesLike("tp\\_%")) {
      await withClient(postgres.url, (client) => client.query(`drop database if exists "${name}" with (force)`))
    }
  }

  /** How often each procedure was called since the last call of this function. Drops the databases of those runs. */
  async function takeCalls(): Promise<Map<string, number>> {
    const calls = new Map<string, number>()
    for (const name of await databasesLike("tp\\_%")) {
      if (name.endsWith("_template")) continue
      const { rows } = await withClient(withDatabase(postgres.url, name), async (client) => {
        const others = "select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()"
        // A connection reports its statistics when it ends.
        await client.query(`select pg_terminate_backend(pid, 2000) from (${others}) o`, [name])
        const counted = "select funcname, calls::integer from pg_stat_user_functions where schemaname = $1"
        return client.query(counted, [release.name])
      })
      for (const { funcname, calls: count } of rows) calls.set(funcname, (calls.get(funcname) ?? 0) + count)
    }
    await dropCopies()
    return calls
  }

  async function databasesLike(pattern: string): Promise<string[]> {
    const { rows } = await withClient(postgres.url, (client) =>
      client.query("select datname from pg_database where datname like $1", [pattern]),
    )
    return rows.map(({ datname }) => datname)
  }

  /** Drops the databases of runs, because each one takes CPU time. */
  async function dropCopies(): Promise<void> {
    const names = (await databasesLike("tp\\_%")).filter((name) => !name.endsWith("_template"))
    made += names.length
    await withClient(postgres.url, async (client) => {
      for (const name of names) await client.query(`drop database "${name}" with (force)`)
    })
  }

  /** Runs these test files until one fails, for at most `limitMs`. */
  async function test(files: string[], { limitMs }: { limitMs: number }): Promise<RunAnswer | "late" | "died"> {
    const child = await started()
    const request: RunRequest = { files, changed: changed.splice(0) }
    child.send(request)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<"late">((done) => (timer = setTimeout(done, limitMs, "late")))
    const answered = once(child, "message").then(([answer]) => answer as RunAnswer)
    const died = once(child, "exit").then(() => "died" as const)
    const answer = await Promise.race([answered, died, late])
    clearTimeout(timer)
    child.removeAllListeners("exit").removeAllListeners("error")
    if (typeof answer === "string") await stopRunner()
    return answer
  }

  /** Applies a mutant, to procedures in the template database, and runs `work`. Undefined if it is not valid SQL. */
  async function withMutant<T>(
    mutant: Mutant,
    text: string,
    work: () => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    if (made > MOST_DATABASES) await stopRunner()
    const { file, from, to, becomes } = mutant
    const mutated = text.slice(0, from) + becomes + text.slice(to)
    if (!file.endsWith(".sql")) {
      await write(file, mutated)
      return { result: await work().finally(() => write(file, text)) }
    }
    const start = text.lastIndexOf("create function", from)
    const [expansion = ""] = /^-- expand .*\n|^/.exec(text) ?? []
    const procedure = (of: string) => expand(expansion + procedureAt(of, start))
    if (!(await replace(procedure(mutated)))) return undefined
    return { result: await work().finally(() => replace(procedure(text))) }
  }

  async function replace(procedure: string): Promise<boolean> {
    await started()
    const sql = procedure
      .replaceAll("create function", "create or replace function")
      .replaceAll(/\bturnpike\./g, `${release.name}.`)
    const [name] = await databasesLike("tp\\_%\\_template")
    return withClient(withDatabase(postgres.url, name ?? ""), (client) => client.query(sql)).then(
      () => true,
      () => false,
    )
  }

  return {
    test,
    takeCalls,
    dropCopies,
    withMutant,
    async close() {
      await stopRunner()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function procedureAt(text: string, start: number): string {
  const length = text.slice(start + 1).search(/^create (function|type)/m)
  return text.slice(start, length < 0 ? undefined : start + 1 + length)
}

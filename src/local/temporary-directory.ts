import { readlinkSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endProcess, isAlive, processes } from "./processes.ts"
import { removeWithUs } from "./watchdog.ts"

/** Process ids are those of one namespace: containers may share a temporary directory, and not know each other's processes. */
const namespace = () => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

const NAME = /^turnpike-[\w-]+-(\d+)\.(\d+)-\w{6}$/
const cleared = new Map<string, Promise<void>>()

/**
 * A new directory below `parent`, which is removed when this process is gone, also after a `kill -9`. Those of processes that are gone
 * already, with their watchdogs, are removed first, once.
 */
export async function makeTemporaryDirectory(name: string, parent = tmpdir()): Promise<string> {
  const clear = cleared.get(parent) ?? removeLeftovers(parent)
  cleared.set(parent, clear)
  await clear
  const directory = await mkdtemp(join(parent, `turnpike-${name}-${namespace()}.${process.pid}-`))
  removeWithUs(directory)
  return directory
}

async function removeLeftovers(parent: string): Promise<void> {
  const own = namespace()
  const left = (await readdir(parent)).filter((name) => {
    const [, space, pid] = NAME.exec(name) ?? []
    return space === own && !isAlive(Number(pid))
  })
  for (const name of left) {
    const directory = join(parent, name)
    await endProcessesOf(directory)
    await rm(directory, { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
  }
}

/** Servers have their directory in their command line. */
async function endProcessesOf(directory: string): Promise<void> {
  const left = (await processes()).filter(({ command }) => command.includes(directory))
  for (const { pid, group, command } of left) {
    // An immediate stop of PostgreSQL gives its shared memory back; SIGKILL would not.
    const first = command.includes("postgres") ? "SIGQUIT" : "SIGTERM"
    await endProcess({ pid: group === pid ? -pid : pid, words: [directory], signals: [first, "SIGKILL"] })
  }
}

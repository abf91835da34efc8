import { readlinkSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endProcess, isAlive, processes } from "./processes.ts"
import { removeWithUs } from "./watchdog.ts"

/** Containers can share a temporary directory, but process ids are valid in one PID namespace only. */
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
 * Creates a directory below `parent` that is removed when this process has ended, also after a `kill -9`. The first
 * call also removes directories of earlier processes whose watchdogs were killed too.
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

/** Ends the servers that use a directory. Their command lines contain its path. */
async function endProcessesOf(directory: string): Promise<void> {
  const left = (await processes()).filter(({ command }) => command.includes(directory))
  for (const { pid, group, command } of left) {
    // An immediate stop of PostgreSQL releases its shared memory; SIGKILL would not.
    const first = command.includes("postgres") ? "SIGQUIT" : "SIGTERM"
    await endProcess({ pid: group === pid ? -pid : pid, words: [directory], signals: [first, "SIGKILL"] })
  }
}

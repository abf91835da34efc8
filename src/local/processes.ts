import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"

const run = promisify(execFile)

export interface Process {
  pid: number
  parent: number
  group: number
  /** Its command line, words joined by blanks. */
  command: string
}

/** The processes of this machine. Small systems have no `ps`: a living predecessor must not be taken for a dead one there. */
export async function processes(): Promise<Process[]> {
  if (process.platform === "linux") return processesOfLinux()
  const { stdout } = await run("ps", ["-ww", "-A", "-o", "pid=,ppid=,pgid=,args="], { maxBuffer: 64 << 20 }).catch(
    () => ({ stdout: "" }),
  )
  return [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/gm)].map(([, pid, parent, group, command = ""]) => {
    return { pid: Number(pid), parent: Number(parent), group: Number(group), command }
  })
}

function processesOfLinux(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // "pid (name) state parent group …": the name may have anything in it.
      const [state = "", parent, group] = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      const command = state === "Z" ? "<defunct>" : words.join(" ").trim()
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

/** Sends a signal to a process, or with a negative id to a group of them. False when there is none. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}

/** One that has ended and was not taken note of by its parent does not live, though it can be sent signals. */
export function isAlive(pid: number): boolean {
  if (!signal(pid, 0)) return false
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return process.platform !== "linux"
  }
}

/** A process, or with a negative id a group of them, and how it is ended. */
export interface Ending {
  pid: number
  /** Ids are used again: only a process with one of these words in its command line is meant. */
  words: string[]
  /** Sent one after the other, for as long as the process is there. */
  signals: NodeJS.Signals[]
}

const GIVES_WAY_MS = 5_000

/** Ends it, unless it has ended already. False when it stays in spite of every signal. */
export async function endProcess({ pid, words, signals }: Ending): Promise<boolean> {
  const isMeant = ({ command }: Process) => words.some((word) => command.includes(word))
  const isGone = async () =>
    !(await processes()).some((one) => (pid < 0 ? one.group === -pid : one.pid === pid) && isMeant(one))
  for (const name of signals) {
    if (await isGone()) return true
    signal(pid, name)
    await soon(isGone, GIVES_WAY_MS)
  }
  return isGone()
}

/** Whether `done` comes to be true within so many milliseconds. */
export async function soon(done: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; ; ) {
    if (await done()) return true
    if (Date.now() > until) return false
    await new Promise((wait) => setTimeout(wait, 50))
  }
}

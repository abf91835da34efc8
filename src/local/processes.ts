import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"

const run = promisify(execFile)

export interface Process {
  pid: number
  parent: number
  group: number
  /** The command line, its words joined by spaces. */
  command: string
}

/** The processes of this machine. Linux has /proc, because small systems have no `ps`. */
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
      // "pid (name) state parent group …". The name can contain any character.
      const [state = "", parent, group] = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      const command = state === "Z" ? "<defunct>" : words.join(" ").trim()
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }]
    } catch {
      // The process has just ended.
      return []
    }
  })
}

/** Sends a signal to a process, or to a process group if the id is negative. False if there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}

/** True if the process runs. A zombie does not, although it accepts signals. */
export function isAlive(pid: number): boolean {
  if (!signal(pid, 0)) return false
  try {
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return process.platform !== "linux"
  }
}

/** A process, or a process group if the id is negative, and how to end it. */
export interface Ending {
  pid: number
  /** The command line must contain one of these words, because the system reuses ids. */
  words: string[]
  /** Sent one after the other until the process has ended. */
  signals: NodeJS.Signals[]
}

const GIVES_WAY_MS = 5_000

/** Ends the process if it still runs. False if it survives every signal. */
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

/** True as soon as `done` returns true, false if it does not within `withinMs`. */
export async function soon(done: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; ; ) {
    if (await done()) return true
    if (Date.now() > until) return false
    await new Promise((wait) => setTimeout(wait, 50))
  }
}

import { execFile } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { round } from "./statistics.ts"

const run = promisify(execFile)

/** Resident memory of one process, MB. A `ps` for each sample would cost more than what is measured. */
export async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  if (resident !== undefined) return Math.round(Number(resident) / 1024)
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)])
  return Math.round(Number(stdout.trim()) / 1024)
}

/** By name, the processes at the top of each group: with all below them, also those that have ended. */
export type Groups = Record<string, number[]>

interface Usage {
  /** CPU seconds of each group; NaN where there is no /proc. */
  cpu: Record<string, number>
  /** The same as cores in use. */
  cores: Record<string, number>
}

const TICKS_PER_SECOND = 100

interface Process {
  pid: number
  parent: number
  /** With its children that have ended. */
  seconds: number
}

export async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)
  if (stat === null) return null
  // The name before it may have blanks in it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const ticks = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0)
  return { pid, parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
}

/** The CPU seconds of each group until now. */
async function readGroups(groups: Groups): Promise<Record<string, number>> {
  const names = await readdir("/proc").catch(() => [])
  const read = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name))))
  const processes = read.filter((one) => one !== null)
  const secondsOf = (pid: number): number => {
    const own = processes.find((one) => one.pid === pid)?.seconds ?? Number.NaN
    return processes.filter((one) => one.parent === pid).reduce((sum, one) => sum + secondsOf(one.pid), own)
  }
  const sums = Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + secondsOf(pid), 0)])
  return Object.fromEntries(sums)
}

/** What the groups used between two calls. */
export async function startCpuMeter(groups: Groups): Promise<() => Promise<Usage>> {
  const began = performance.now()
  const before = await readGroups(groups)
  return async () => {
    const seconds = (performance.now() - began) / 1000
    const after = await readGroups(groups)
    const cpu = Object.fromEntries(Object.keys(groups).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]))
    const cores = Object.fromEntries(Object.entries(cpu).map(([name, value]) => [name, round(value / seconds)]))
    return { cpu, cores }
  }
}

/** The process above a backend of PostgreSQL; null when the server runs on another machine. */
export async function postmasterOf(backendPid: number): Promise<number | null> {
  const command = await readFile(`/proc/${backendPid}/cmdline`, "utf8").catch(() => "")
  return command.includes("postgres") ? ((await readProcess(backendPid))?.parent ?? null) : null
}

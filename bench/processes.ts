import { execFile } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { round } from "./statistics.ts"

const run = promisify(execFile)

/** The resident memory of a process in MB. Running `ps` for each sample would disturb the measurement. */
export async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  if (resident !== undefined) return Math.round(Number(resident) / 1024)
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)])
  return Math.round(Number(stdout.trim()) / 1024)
}

/** The root processes of each group by its name. All their descendants belong to the group, also ended ones. */
export type Groups = Record<string, number[]>

interface Usage {
  /** The CPU seconds of each group; NaN without /proc. */
  cpu: Record<string, number>
  /** The average number of used cores of each group. */
  cores: Record<string, number>
}

const TICKS_PER_SECOND = 100

interface Process {
  pid: number
  parent: number
  /** The CPU seconds, including ended children. */
  seconds: number
}

export async function readProcess(pid: number): Promise<Process | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)
  if (stat === null) return null
  // The process name before these fields can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const ticks = fields.slice(11, 15).reduce((sum, value) => sum + Number(value), 0)
  return { pid, parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
}

/** Reads the CPU seconds of each group until now. */
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

/** Starts a meter. The returned function reads the usage of the groups since the start. */
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

/** The parent process of a PostgreSQL backend; null if the server runs on another machine. */
export async function postmasterOf(backendPid: number): Promise<number | null> {
  const command = await readFile(`/proc/${backendPid}/cmdline`, "utf8").catch(() => "")
  return command.includes("postgres") ? ((await readProcess(backendPid))?.parent ?? null) : null
}

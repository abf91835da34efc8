import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

interface Process {
  pid: number
  rssKb: number
  command: string
}

/** Every process below `root`. */
export async function descendants(root: number): Promise<Process[]> {
  const { stdout } = await run("ps", ["-axo", "pid=,ppid=,rss=,args="], { maxBuffer: 64 * 1024 * 1024 })
  const children = new Map<number, Process[]>()
  for (const line of stdout.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)
    if (!match) continue
    const parent = Number(match[2])
    const child = { pid: Number(match[1]), rssKb: Number(match[3]), command: match[4] as string }
    children.set(parent, [...(children.get(parent) ?? []), child])
  }
  const below = (pid: number): Process[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child.pid)])
  return below(root)
}

/** Resident memory of one process, MB. */
export async function memoryMb(pid: number): Promise<number> {
  const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)])
  return Math.round(Number(stdout.trim()) / 1024)
}

const TICKS_PER_SECOND = 100

/** CPU seconds that one process has used; NaN where there is no /proc. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null)
  if (stat === null) return Number.NaN
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** How many cores the runtimes, PostgreSQL and this process used between two calls. */
export async function startCpuMeter(runtimes: number[]): Promise<() => Promise<Record<string, number>>> {
  const began = performance.now()
  const postgres = (await descendants(process.pid)).filter(({ command }) => command.includes("postgres"))
  const groups = { runtime: runtimes, postgres: postgres.map(({ pid }) => pid) }
  const read = async (pids: number[]) => Promise.all(pids.map(cpuSeconds))
  const before = { runtime: await read(groups.runtime), postgres: await read(groups.postgres) }
  const own = process.cpuUsage()
  return async () => {
    const seconds = (performance.now() - began) / 1000
    const used = async (name: "runtime" | "postgres") => {
      const after = await read(groups[name])
      const spent = after.map((value, i) => value - (before[name][i] ?? Number.NaN)).filter(Number.isFinite)
      return round(spent.reduce((sum, value) => sum + value, 0) / seconds)
    }
    const { user, system } = process.cpuUsage(own)
    return {
      runtime: await used("runtime"),
      postgres: await used("postgres"),
      "stand-ins and generator": round((user + system) / 1e6 / seconds),
    }
  }
}

const round = (value: number) => Math.round(value * 100) / 100

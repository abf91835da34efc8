import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { withClient } from "../src/local/databases.ts"
import { startCpuMeter } from "./processes.ts"
import { createSiteDatabase } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const run = promisify(execFile)
const ACCOUNTS = [1, 64]

/**
 * Measures the minimum that a turn needs from PostgreSQL. pgbench runs the script `turn.pgb` on the prototype
 * `floor.sql`, both in the given folder, with 16 clients for 8 seconds.
 */
export async function measureFloor(world: BenchWorld, dir: string) {
  const hasPgbench = await run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  )
  if (!hasPgbench) return { skipped: "pgbench is not on the PATH." }
  const floorSql = await readFile(join(dir, "floor.sql"), "utf8")
  const points = []
  for (const accounts of ACCOUNTS) {
    const { url } = await createSiteDatabase(world, "floor")
    await withClient(url, (client) => client.query(floorSql))
    const options = ["-n", "-M", "extended", "-c", "16", "-T", "8", "-D", `accounts=${accounts}`]
    const meter = await startCpuMeter({ postgres: world.postgresPids })
    const { stdout } = await run("pgbench", [...options, "-f", join(dir, "turn.pgb"), url])
    const { cpu } = await meter()
    const turns = numberIn(stdout, /actually processed: (\d+)/)
    points.push({
      accounts,
      turns_per_second: round(numberIn(stdout, /tps = ([\d.]+)/), 0),
      postgres_ms_per_turn: round(((cpu.postgres ?? Number.NaN) * 1000) / turns),
    })
  }
  return { points }
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`The output of pgbench has no rate:\n${text}`)
  return Number(found)
}

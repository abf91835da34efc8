import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { withClient } from "../src/local/databases.ts"
import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createSiteDatabase } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const run = promisify(execFile)
/** `accounts` and `seconds`: of the two runs. */
const SIZES = { full: { accounts: [1, 64], seconds: 8 }, smoke: { accounts: [1, 2], seconds: 1 } }
/** The files of a floor that only shows that this measurement runs. */
const SMALLEST = {
  "floor.sql": "create table floor_turns (account integer not null, created_at timestamptz not null default now())",
  "turn.pgb": "\\set account random(1, :accounts)\ninsert into floor_turns (account) values (:account);\n",
}

/**
 * Measures the minimum that a turn needs from PostgreSQL. pgbench runs the script `turn.pgb` on the prototype
 * `floor.sql`, both in the given folder, with 16 clients for 8 seconds.
 */
export async function measureFloor(world: BenchWorld, { floor = "", size }: Options) {
  const { accounts: counts, seconds } = SIZES[size]
  const hasPgbench = await run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  )
  if (!hasPgbench) return { skipped: "pgbench is not on the PATH." }
  const dir = size === "smoke" ? world.dataDir : floor
  if (size === "smoke") for (const [name, text] of Object.entries(SMALLEST)) await writeFile(join(dir, name), text)
  const floorSql = await readFile(join(dir, "floor.sql"), "utf8")
  const points = []
  for (const accounts of counts) {
    const { url } = await createSiteDatabase(world, "floor")
    await withClient(url, (client) => client.query(floorSql))
    const options = ["-n", "-M", "extended", "-c", "16", "-T", `${seconds}`, "-D", `accounts=${accounts}`]
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

import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite } from "./site.ts"
import type { BenchWorld } from "./world.ts"

/** Makes each commit wait 5 ms, also without other active transactions. The delay only applies if fsync is on. */
export const SLOW = { commit_delay: "5000", commit_siblings: "0", synchronous_commit: "on" }
const MANY_ACCOUNTS = 16

/** Measures turns if every commit takes 5 ms: of one account, whose turns wait for its wallet, and of many accounts. */
export async function measureCommits(world: BenchWorld, options: Options) {
  const one = await createSite(world, "one", { runs: true, settings: SLOW })
  const many = await createSite(world, "many", { runs: true, accounts: MANY_ACCOUNTS, settings: SLOW })
  const [row] = await one.sql<{ commit_ms: number; fsync: string }>(
    "select current_setting('commit_delay')::integer / 1000.0::float as commit_ms, current_setting('fsync') as fsync",
  )
  if (!row || (row.fsync !== "on" && options.size === "full"))
    throw new Error("This measurement needs a server with fsync, because commits do not wait without it.")
  return {
    commit_ms: row.commit_ms,
    one_account: await timeTurns(world, one, options),
    many_accounts: await timeTurns(world, many, options),
  }
}

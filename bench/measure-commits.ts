import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite } from "./site.ts"
import type { BenchWorld } from "./world.ts"

/** Only a server that syncs waits this long; no other transaction needs to be active. */
export const SLOW = { commit_delay: "5000", commit_siblings: "0", synchronous_commit: "on" }
const MANY_ACCOUNTS = 16

/** Turns when every commit takes 5 ms: of one account, whose wallet orders its turns, and of many. */
export async function measureCommits(world: BenchWorld, options: Options) {
  const one = await createSite(world, "one", { runs: true, settings: SLOW })
  const many = await createSite(world, "many", { runs: true, accounts: MANY_ACCOUNTS, settings: SLOW })
  const [row] = await one.sql<{ commit_ms: number; fsync: string }>(
    "select current_setting('commit_delay')::integer / 1000.0::float as commit_ms, current_setting('fsync') as fsync",
  )
  if (row?.fsync !== "on") throw new Error("A server without fsync commits at once.")
  return {
    commit_ms: row.commit_ms,
    one_account: await timeTurns(world, one, options),
    many_accounts: await timeTurns(world, many, options),
  }
}

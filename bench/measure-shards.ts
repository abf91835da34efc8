import pg from "pg"
import { SLOW } from "./measure-commits.ts"
import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createSite, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const FAST = { synchronous_commit: "off" }
const CLIENTS = 32
/** `warmSeconds`: until the busy account has shards, and each connection has planned its statements. */
const SIZES = { full: { many: 64, warmSeconds: 5 }, smoke: { many: 2, warmSeconds: 0.5 } }

/**
 * Compares one account with 64, with fast commits and with commits of 5 ms. It measures the procedures alone, on 32
 * connections that each accept, claim and settle one turn after another, and the whole service.
 */
export async function measureShards(world: BenchWorld, options: Options) {
  const rows = []
  for (const [commits, settings] of [["fast", FAST] as const, ["5 ms", SLOW] as const]) {
    for (const accounts of [1, SIZES[options.size].many]) {
      const site = await createSite(world, `shards_${accounts}`, { runs: true, accounts, settings })
      const procedures = await runProcedures(world, site, options)
      const service = await timeTurns(world, site, options)
      rows.push({
        commits,
        accounts,
        procedures_per_second: procedures.per_second,
        procedures_postgres: procedures.postgres,
        service_per_second: service.finished_per_second,
        service_postgres: (service.cpu_ms_per_turn as Record<string, number>).postgres,
      })
    }
  }
  return { turns: rows }
}

/** Turns per second without worker, queue or HTTP, and the CPU ms of PostgreSQL for each. */
async function runProcedures(world: BenchWorld, site: Site, { seconds, size }: Options) {
  const verbs = await readVerbs(world.version)
  const databaseUrl = site.env.DATABASE_URL ?? ""
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CLIENTS + 4, types: TYPES })
  pool.on("error", () => {})
  const ctx = contextOver(verbs, pool)
  let n = 0
  const run = async (forSeconds: number) => {
    const end = performance.now() + forSeconds * 1000
    let turns = 0
    const client = async (index: number) => {
      const account = site.accounts[index % site.accounts.length]
      const credential = verbs.parseApiKey(account?.key ?? "", BRAND)
      if (!account || !credential) throw new Error("A client needs an account.")
      for (; performance.now() < end; turns++) {
        const id = `alone-${n++}`
        const sent = { space: account.space, end_user_ref: id, text: "Where is my order?" }
        const body = verbs.createTurnSchema.parse(sent)
        const { made } = await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })
        const claim = await verbs.claimTurn(ctx, made.turn_id)
        if (!claim) throw new Error(`${made.turn_id} was not claimed.`)
        await verbs.settleTurn(
          ctx,
          claim.turn,
          { state: "done", result: "x" },
          { step: verbs.finishedStep(0), files: false },
        )
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
    return turns
  }
  await run(SIZES[size].warmSeconds)
  const meter = await startCpuMeter({ postgres: world.postgresPids })
  const began = performance.now()
  const turns = await run(seconds)
  const elapsed = (performance.now() - began) / 1000
  const { cpu } = await meter()
  await pool.end()
  return { per_second: round(turns / elapsed, 0), postgres: round(((cpu.postgres ?? Number.NaN) * 1000) / turns) }
}

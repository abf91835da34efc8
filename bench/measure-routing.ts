import { createServer } from "node:http"
import { createKeyRing, parseKeyRing } from "../src/base/key-ring.ts"
import { answerOf, quotaHeaders } from "../src/local/provider-models.ts"
import { sealCredential } from "../src/providers/credential.ts"
import { windowsOf } from "../src/providers/windows.ts"
import { type Load, startLoad } from "./load.ts"
import { measureRouter, USED_PCT } from "./measure-router.ts"
import { countTurns, timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { readProcess } from "./processes.ts"
import { BENCH_PIN, createSite, type Site, useBenchModel } from "./site.ts"
import { quartersOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const ACCOUNTS = 50
const ROUNDS = { full: 12, smoke: 1 }
/** The factor for the length of paced rounds, because the worker first has to read the accounts in each round. */
const PACED_ROUND = 4

/**
 * Measures the cost of routing for a turn: turns on a model that responds at once, with the environment's key and with
 * one of 50 accounts. The speed of a machine varies by more than this cost, so both ways run at the same time on
 * separate sites, and swap their sites every round.
 */
export async function measureRouting(world: BenchWorld, options: Options) {
  const model = createServer((request, response) => {
    request.resume().on("end", () => {
      const headers = { "content-type": "text/event-stream", ...quotaHeaders("completions", USED_PCT) }
      response.writeHead(200, headers).end(answerOf("completions", "bench", "bench", true))
    })
  })
  await new Promise<void>((done) => model.listen(0, "127.0.0.1", done))
  world.keep(() => new Promise((done) => model.close(done)))
  const address = model.address()
  const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`
  const sites = [await createRoutedSite(world, "one", baseUrl), await createRoutedSite(world, "other", baseUrl)]
  const second = startLoad()
  world.keep(second.stop)
  // First at the load for which the cost of the router is stated, then at the maximum of the machine.
  const both = { ...options, sites, loads: [world.load, second], baseUrl }
  const paced = await measureWays(world, { ...both, seconds: options.seconds * PACED_ROUND, perMinute: 1000 })
  const full = await measureWays(world, { ...both, perMinute: 0 })
  const [routed, environment] = sites as [Site, Site]
  for (const site of sites) await site.sql("delete from provider_accounts")
  await addAccounts(routed, baseUrl)
  const procedures = await measureRouter(world, { routed, environment }, BENCH_PIN, options.size)
  const used = await Promise.all(
    sites.map(({ sql }) => sql<{ by: number }>("select count(distinct subscription_id)::integer as by from usage")),
  )
  return {
    accounts: ACCOUNTS,
    subscriptions_seen: Math.min(...used.map(([row]) => row?.by ?? 0)),
    thousand_a_minute: paced,
    full_load: full,
    // The median and the minimum of all batches for each.
    procedures,
  }
}

interface Measured extends Options {
  sites: Site[]
  loads: Load[]
  baseUrl: string
  /** The turns per minute of each site; 0 for as many as possible. */
  perMinute: number
}

async function measureWays(world: BenchWorld, { sites, loads, baseUrl, perMinute, seconds, clients, size }: Measured) {
  const costs: Record<Way, Cost[]> = { environment: [], accounts: [] }
  // The first round only warms up.
  for (let nth = -1; nth < ROUNDS[size]; nth++) {
    const pair = await Promise.all(
      sites.map(async (site, index) => {
        const way: Way = (nth + index) % 2 === 0 ? "accounts" : "environment"
        // Deleted and not disabled, because turns would read disabled ones.
        await site.sql("delete from provider_accounts")
        if (way === "accounts") await addAccounts(site, baseUrl)
        const before = { ...(await countTurns(site)), backends: await backendsOf(site) }
        const load = loads[index] ?? world.load
        const groups = { worker: site.groups.worker ?? [] }
        const { cpu_ms_per_turn: cost } = await timeTurns(
          { ...world, load },
          { ...site, groups },
          { seconds, clients, perMinute },
        )
        const after = { ...(await countTurns(site)), backends: await backendsOf(site) }
        // An idle backend may have ended, and a new one started.
        const used = [...after.backends].map(([pid, seconds]) => seconds - (before.backends.get(pid) ?? 0))
        const postgres = (used.reduce((sum, seconds) => sum + seconds, 0) * 1000) / (after.done - before.done)
        return { way, cost: { worker: (cost as Record<string, number>).worker ?? Number.NaN, postgres } }
      }),
    )
    if (nth >= 0) for (const { way, cost } of pair) costs[way].push(cost)
  }
  const differences = (of: keyof Cost) =>
    costs.accounts.map((routed, nth) => routed[of] - (costs.environment[nth]?.[of] ?? Number.NaN))
  const middle = (way: Way) => ({
    worker: quartersOf(costs[way].map(({ worker }) => worker)).median,
    postgres: quartersOf(costs[way].map(({ postgres }) => postgres)).median,
  })
  return {
    environment: middle("environment"),
    routed: middle("accounts"),
    router_ms_per_turn: {
      worker: quartersOf(differences("worker")),
      postgres: quartersOf(differences("postgres")),
    },
  }
}

type Way = "environment" | "accounts"

/** The CPU milliseconds of a turn. */
interface Cost {
  worker: number
  postgres: number
}

async function createRoutedSite(world: BenchWorld, name: string, baseUrl: string): Promise<Site> {
  const bindings = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "bench" }
  const site = await createSite(world, `routing_${name}`, { runs: true, accounts: 16, bindings })
  await useBenchModel(site)
  return site
}

/** The CPU seconds of the server's processes for one database, because both sites share the server. */
async function backendsOf({ sql }: Site): Promise<Map<number, number>> {
  const rows = await sql<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  )
  const read = await Promise.all(rows.map(async ({ pid }) => [pid, (await readProcess(pid))?.seconds ?? 0] as const))
  return new Map(read)
}

/**
 * Adds provider accounts with API keys. Each has an earlier call, because the service records the first response of an
 * account and not the thousands after it.
 */
async function addAccounts({ sql, env }: Site, baseUrl: string): Promise<void> {
  const taken = new Date()
  const told = windowsOf(new Headers(quotaHeaders("completions", USED_PCT)), taken)
  const windows = Object.fromEntries(
    told.map(({ resource, window_seconds, used_pct, reset_at, taken_at }) => [
      `${resource}:${window_seconds}`,
      { used_pct, reset_at, taken_at, noted_pct: used_pct, noted_at: taken_at },
    ]),
  )
  const keyRing = createKeyRing(parseKeyRing(env.SECRETS_KEYS ?? ""))
  for (let n = 0; n < ACCOUNTS; n++) {
    const id = `bench-${n}`
    await sql(
      `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, created_at, updated_at)
       values ($1, 'main', $1, 'api_key', 'openai-compatible', $2, now(), now())`,
      [id, baseUrl],
    )
    await sql("insert into provider_states (provider_id, windows) values ($1, $2)", [id, JSON.stringify(windows)])
    await sql("insert into provider_credentials (provider_id, sealed, updated_at) values ($1, $2, now())", [
      id,
      await sealCredential({ keyRing }, id, { kind: "api_key", api_key: "bench" }),
    ])
  }
}

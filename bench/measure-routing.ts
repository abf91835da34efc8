import { createServer } from "node:http"
import { createKeyRing, parseKeyRing } from "../src/base/key-ring.ts"
import { answerOf, quotaHeaders } from "../src/local/provider-models.ts"
import { sealCredential } from "../src/providers/credential.ts"
import { runTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const PIN = "openai-compatible/bench"
const ACCOUNTS = 50
const PAIRS = 12
const WAYS = ["environment", "accounts"] as const
type Way = (typeof WAYS)[number]

/**
 * What the router costs a turn: turns on a model that answers at once, by the environment's key and by one of 50 accounts, in turn. The
 * model's answers say what its limits have left in both cases. One round costs some per cent more or less than the next, which is as much
 * as the router, so both ways are run in pairs, each first in turn, and the differences within the pairs are what counts.
 */
export async function measureRouting(world: BenchWorld, options: Options) {
  const model = createServer((request, response) => {
    request.resume().on("end", () => {
      const headers = { "content-type": "text/event-stream", ...quotaHeaders("completions", 10) }
      response.writeHead(200, headers).end(answerOf("completions", "bench", "bench", true))
    })
  })
  await new Promise<void>((done) => model.listen(0, "127.0.0.1", done))
  world.keep(() => new Promise((done) => model.close(done)))
  const address = model.address()
  const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`
  const bindings = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "bench" }
  const site = await createSite(world, "routing", { runs: true, accounts: 16, bindings })
  await site.sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
     values ($1, 'openai-compatible', 'bench', 'Bench', true, 100, 10000000, 1000000, 50000000)`,
    [PIN],
  )
  await Promise.all(site.accounts.map(({ key, space }) => useModel(site, key, space)))
  await addAccounts(site, baseUrl)
  const costs: Record<Way, Cost[]> = { environment: [], accounts: [] }
  for (let nth = 0; nth < PAIRS; nth++) {
    for (const way of nth % 2 === 0 ? WAYS : WAYS.toReversed()) {
      await site.sql("update provider_accounts set disabled_at = case when $1 then now() end", [way === "environment"])
      const { worker = 0, postgres = 0 } = (await runTurns(world, site, options)).cpu_ms_per_turn as Partial<Cost>
      costs[way].push({ worker, postgres })
    }
  }
  const [used] = await site.sql<{ by: number }>("select count(distinct subscription_id)::integer as by from usage")
  const differences = (of: keyof Cost) =>
    costs.accounts.map((routed, nth) => routed[of] - (costs.environment[nth]?.[of] ?? 0))
  const middle = (way: Way) => ({
    worker: quartersOf(costs[way].map(({ worker }) => worker)).median,
    postgres: quartersOf(costs[way].map(({ postgres }) => postgres)).median,
  })
  return {
    accounts: ACCOUNTS,
    subscriptions_seen: used?.by ?? 0,
    environment: middle("environment"),
    routed: middle("accounts"),
    router_ms_per_turn: {
      worker: quartersOf(differences("worker")),
      postgres: quartersOf(differences("postgres")),
    },
  }
}

/** CPU milliseconds of a turn. */
interface Cost {
  worker: number
  postgres: number
}

function quartersOf(samples: number[]) {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const index = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(index)] ?? 0, sorted[Math.ceil(index)] ?? 0]
    return round(low + (high - low) * (index % 1))
  }
  return { median: at(0.5), quarter: at(0.25), three_quarters: at(0.75) }
}

async function useModel({ runtime }: Site, key: string, space: string): Promise<void> {
  const response = await fetch(`${runtime.url}/v1/spaces/${space}/manifest`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: PIN, builtin_tools: [] }),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** API keys that the model's server takes; no two have been used as much. */
async function addAccounts({ sql, env }: Site, baseUrl: string): Promise<void> {
  const keyRing = createKeyRing(parseKeyRing(env.SECRETS_KEYS ?? ""))
  for (let n = 0; n < ACCOUNTS; n++) {
    const id = `bench-${n}`
    await sql(
      `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, created_at, updated_at)
       values ($1, 'main', $1, 'api_key', 'openai-compatible', $2, now(), now())`,
      [id, baseUrl],
    )
    await sql("insert into provider_states (provider_id) values ($1)", [id])
    await sql("insert into provider_credentials (provider_id, sealed, updated_at) values ($1, $2, now())", [
      id,
      await sealCredential({ keyRing }, id, { kind: "api_key", api_key: "bench" }),
    ])
  }
}

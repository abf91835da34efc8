import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { withClient } from "../src/local/databases.ts"
import { directContext } from "../src/ops/direct.ts"
import { publishSigningKeys } from "../src/ops/publish-signing-keys.ts"
import type { BenchAccount } from "./load.ts"
import { timeTurns } from "./measure-turns.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { quartersOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const ACCOUNTS = 4
const ROUNDS = { full: 8, smoke: 1 }
const TEXT = '[call lookup_order {"id":"A-1"}]\n[reply It left.]'

type Identity = "none" | "signed"

/**
 * Measures what a signed identity costs a tool call: the worker's CPU of turns with one call of a REST tool, whose
 * identity is `none` or `signed`. Rounds of both kinds take turns, because the speed of a machine varies by more.
 */
export async function measureIdentity(world: BenchWorld, options: Options) {
  const rounds = ROUNDS[options.size]
  const shop = await startShop(world)
  const bindings = { ALLOW_PRIVATE_TARGETS: "1" }
  const site = await createSite(world, "identity", { runs: true, accounts: ACCOUNTS, bindings })
  const { SECRETS_KEYS: ring = "" } = site.env
  await withClient(site.databaseUrl, (client) => publishSigningKeys(directContext(client), ring))
  const sites = {
    none: { ...site, accounts: await addSpaces(site, shop.url, "none") },
    signed: { ...site, accounts: await addSpaces(site, shop.url, "signed") },
  }
  const costs: Record<Identity, number[]> = { none: [], signed: [] }
  // The first round only warms up.
  for (let nth = -1; nth < rounds; nth++) {
    const order: Identity[] = nth % 2 === 0 ? ["none", "signed"] : ["signed", "none"]
    for (const identity of order) {
      const before = { ...shop.calls }
      const measured = await timeTurns(world, sites[identity], { ...options, text: TEXT })
      const [calls, signed] = [shop.calls.all - before.all, shop.calls.signed - before.signed]
      if (calls < measured.finished || signed !== (identity === "signed" ? calls : 0))
        throw new Error(`${calls} calls of ${measured.finished} turns, ${signed} of them signed, for "${identity}".`)
      if (nth >= 0) costs[identity].push((measured.cpu_ms_per_turn as Record<string, number>).worker ?? Number.NaN)
    }
  }
  return {
    rounds,
    calls: shop.calls.all,
    worker_ms_per_turn: { none: quartersOf(costs.none), signed: quartersOf(costs.signed) },
    identity_ms_per_call: quartersOf(costs.signed.map((cost, nth) => cost - (costs.none[nth] ?? Number.NaN))),
  }
}

/** A customer's server that counts its calls, and those with an identity. */
async function startShop({ keep }: BenchWorld) {
  const calls = { all: 0, signed: 0 }
  const server = createServer((request, response) => {
    calls.all++
    if (request.headers["turnpike-identity"] !== undefined) calls.signed++
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"order":"A-1","status":"shipped"}')
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  keep(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

/** Adds a space with the tool to each account. */
function addSpaces({ runtime, accounts }: Site, url: string, identity: Identity): Promise<BenchAccount[]> {
  const tool = {
    name: "lookup_order",
    description: "Finds an order by its id.",
    input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    request: { method: "POST", url: `${url}/orders/{{input.id}}` },
    identity,
  }
  const body = JSON.stringify({ title: "Shop", model: "rehearsal/standard", tools: [tool] })
  return Promise.all(
    accounts.map(async (account) => {
      const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" }
      const response = await fetch(`${runtime.url}/v1/spaces`, { method: "POST", headers, body })
      if (response.status !== 201) throw new Error(await response.text())
      return { ...account, space: ((await response.json()) as { space_id: string }).space_id }
    }),
  )
}

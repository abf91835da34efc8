import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { providerKey, resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { ProviderScript } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(() => resetAccounts(world, ["alpha", "beta"]))

/** Runs one turn whose calls to alpha fail, while beta answers. */
async function failAtAlpha(answer: ProviderScript) {
  world.script((account) => (account === "alpha" ? answer : { words: ["Fine."] }))
  const turn = await world.runTurn(client, { space })
  await world.settled()
  return turn
}

test("A redirect is not followed, since another server would get the account's key", async () => {
  const asked: Request[] = []
  world.serve("model.test", (request) => {
    asked.push(request.clone())
    const elsewhere = { status: 307, headers: { location: "https://elsewhere.test/v1/chat/completions" } }
    const isAlpha = request.headers.get("authorization")?.includes(providerKey("alpha"))
    return isAlpha ? new Response(null, elsewhere) : world.provider.serve(request)
  })
  const turn = await failAtAlpha({ status: 400 })
  const failures = await world.failuresOf(turn.turn_id)
  world.serve("model.test", (request) => world.provider.serve(request))
  expect(turn).toMatchObject({ state: "done", result: "Fine.", usage: { model_calls: 1 } })
  expect(failures).toEqual(["alpha unavailable", "alpha unavailable"])
  expect(asked.map(({ redirect }) => redirect)).toEqual(["manual", "manual", "manual"])
})

test("No key is in any line of the log, event or error", async () => {
  const turn = await failAtAlpha({ status: 429 })
  const stored = await world.sql(
    `select (select jsonb_agg(to_jsonb(e)) from turn_log e) as events, (select jsonb_agg(to_jsonb(t)) from turns t) as turns,
       (select jsonb_agg(to_jsonb(i)) from infrastructure_errors i) as errors, (select jsonb_agg(to_jsonb(u)) from usage u) as usage`,
  )
  const all = `${world.logged.join("\n")}${JSON.stringify(stored)}${JSON.stringify(turn)}`
  expect(all).toContain("provider.failed")
  for (const id of ["alpha", "beta"]) expect(all).not.toContain(providerKey(id))
  expect(all).not.toContain("canary-")
})

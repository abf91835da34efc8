import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { accountState, addAccount, removeAccounts, unified } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  world.serve("other.test", (request) => world.provider.serve(request))
  await world.sql(
    `insert into model_catalog (pin, engine, model, label, enabled, price_input, price_cached, price_output)
     values ('openai-compatible/other', 'openai-compatible', 'other', 'Other', true, 1, 1, 1)`,
  )
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/** Five accounts at a server without the model, and one at a server that has it. */
const LACKING = ["a1", "a2", "a3", "a4", "a5"]
beforeEach(async () => {
  await removeAccounts(world)
  await world.advance(3600_000)
  for (const id of LACKING) await addAccount(world, id, { baseUrl: "https://other.test/v1" })
  await addAccount(world, "zeta")
})

const FINE = { words: ["Fine."] }
const CALL = { calls: [{ name: "create_task", arguments: JSON.stringify({ title: "One" }) }] }
const SERVED = { state: "done", result: "Fine." }
const REJECTED = { state: "failed", error: { code: "MODEL_UNAVAILABLE" }, billed_cost_usd: 0 }
const serveAt = (...has: string[]) => world.script((account) => (has.includes(account) ? FINE : { status: 404 }))
const namesOf = (called: { account: string }[]) => called.map(({ account }) => account)
let people = 0
const somebody = () => ({ space, end_user_ref: `person-${people++}` })

describe("A model that five accounts lack and a sixth at another server has", () => {
  test("The first turn tries the model at each account, and later turns use the sixth alone", async () => {
    const called = serveAt("zeta")
    const turn = await world.runTurn(client, somebody())
    expect(turn).toMatchObject(SERVED)
    expect(namesOf(called)).toEqual([...LACKING, "zeta"])
    expect(await world.failuresOf(turn.turn_id)).toEqual(LACKING.map((id) => `${id} no_model`))
    expect(await accountState(world, "a1")).toMatchObject({ health: "healthy", cool_until: null })
    called.length = 0
    expect(await world.runTurn(client, somebody())).toMatchObject(SERVED)
    expect(namesOf(called)).toEqual(["zeta"])
  })

  test("A conversation whose account loses the model tries it once and continues at the other account", async () => {
    const body = somebody()
    world.script(() => FINE)
    await world.runTurn(client, body)
    const called = serveAt("zeta")
    await world.runTurn(client, body)
    await world.runTurn(client, body)
    expect(namesOf(called)).toEqual([...LACKING, "zeta", "zeta"])
  })

  test("Another model is still tried at all accounts", async () => {
    serveAt("zeta")
    await world.runTurn(client, somebody())
    const called = world.script(() => FINE)
    await world.runTurn(client, { ...somebody(), model: "openai-compatible/other" })
    expect(namesOf(called)).toEqual(["a1"])
  })

  test("Accounts are tried again after ten minutes, or when one of them is saved again", async () => {
    serveAt("zeta")
    await world.runTurn(client, somebody())
    const called = world.script(() => FINE)
    await world.advance(599_000)
    await world.runTurn(client, somebody())
    await world.advance(2000)
    await world.runTurn(client, somebody())
    expect(namesOf(called)).toEqual(["zeta", "a1"])
  })

  test("The turn waits while the sixth account cools and tries no other account in vain", async () => {
    serveAt("zeta")
    await world.runTurn(client, somebody())
    const until = world.clock.ms() + 30_000
    const called = world.script((account) => {
      if (account !== "zeta") return { status: 404 }
      return world.clock.ms() < until ? { status: 429, headers: unified("5h", 100, until) } : FINE
    })
    const turnId = await world.begin(client, somebody())
    await world.drain()
    expect((await client.getTurn(turnId)).state).toBe("running")
    await world.advance(31_000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
    expect(namesOf(called)).toEqual(["zeta", "zeta"])
  })

  test("A long cooling of the sixth account does not count as a missing model", async () => {
    const until = world.clock.ms() + 9_000_000
    world.script((account) =>
      account === "zeta" ? { status: 429, headers: unified("5h", 100, until) } : { status: 404 },
    )
    const turnId = await world.begin(client, { ...somebody(), timeout_seconds: 60 })
    for (let round = 0; round < 14; round++) {
      await world.drain()
      await world.advance(5000)
    }
    expect(await client.getTurn(turnId)).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
  })

  test("A model that no account has any more fails the turn at once: the first turn tries all accounts, later turns one", async () => {
    const called = serveAt()
    expect(await world.runTurn(client, somebody())).toMatchObject(REJECTED)
    expect(namesOf(called)).toEqual([...LACKING, "zeta"])
    called.length = 0
    expect(await world.runTurn(client, somebody())).toMatchObject(REJECTED)
    expect(called).toHaveLength(1)
    world.script(() => FINE)
    expect(
      await world.runTurn(client, somebody()),
      "a server whose configuration was corrected is found again",
    ).toMatchObject(SERVED)
  })
})

test("A sub-agent's model that the agent's account lacks is called elsewhere, and the agent stays", async () => {
  const helper = { name: "helper", description: "Helps.", model: "openai-compatible/other", tools: [] }
  const helped = await client.space({ manifest: { builtin_tools: [], subagents: [helper] } })
  const delegate = { calls: [{ name: "delegate", arguments: JSON.stringify({ agent: "helper", task: "Help." }) }] }
  const asked: string[] = []
  world.serve("other.test", async (request) => {
    const { model } = (await request.clone().json()) as { model: string }
    asked.push(`a ${model}`)
    return model === "other" ? Response.json({ error: {} }, { status: 404 }) : world.provider.serve(request)
  })
  world.script((account, nth) => (account === "a1" && nth === 0 ? delegate : FINE))
  const turn = await world.runTurn(client, { space: helped, end_user_ref: "helped" })
  world.serve("other.test", (request) => world.provider.serve(request))
  expect(turn).toMatchObject(SERVED)
  const usage = await world.sql(
    "select subscription_id as account, subagent from usage where turn_id = $1 order by step",
    [turn.turn_id],
  )
  expect(usage).toEqual([
    { account: "a1", subagent: null },
    { account: "zeta", subagent: "helper" },
    { account: "a1", subagent: null },
  ])
  expect(asked.filter((one) => one === "a other")).toHaveLength(5)
})

test("A turn whose model is removed midway continues at another account", async () => {
  const called = world.script((account, nth) => {
    if (account === "zeta") return FINE
    return account === "a1" && nth === 0 ? CALL : { status: 404 }
  })
  expect(await world.runTurn(client, { ...somebody(), model: PROVIDED_PIN })).toMatchObject(SERVED)
  expect(namesOf(called)).toEqual(["a1", ...LACKING, "zeta"])
})

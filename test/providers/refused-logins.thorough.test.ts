import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { createAccountProvider, LOGINS } from "../harness/account-provider.ts"
import { accountState, addAccount, providerKey, removeAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { ProviderScript } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
let logins: ReturnType<typeof createAccountProvider>
beforeAll(async () => {
  world = await createRoutedWorld()
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
  logins = createAccountProvider(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/**
 * The number of refreshes that the provider has answered. The token of the n-th is "abel.<n>" at
 * the model provider.
 */
let refreshes = 0
beforeEach(async () => {
  await removeAccounts(world)
  await world.advance(3600_000)
  await addAccount(world, "abel", { kind: "oauth_code" })
  refreshes = 0
  logins.at("/token", () => {
    refreshes++
    return Response.json({ access_token: providerKey(`abel.${refreshes}`), token_type: "bearer", expires_in: 86_400 })
  })
})

const FINE = { words: ["Fine."] }
const CALL = { calls: [{ name: "create_task", arguments: JSON.stringify({ title: "One" }) }] }
const SERVED = { state: "done", result: "Fine." }
const REFUSED = { status: 401 }

/** The stored state of abel's login. */
async function abel() {
  const [row] = await world.sql<{ version: number; refreshing: boolean }>(
    "select version, refreshing_until is not null as refreshing from provider_credentials where provider_id = 'abel'",
  )
  return { health: (await accountState(world, "abel")).health, ...row }
}

test("A 503 followed by 401 still leads to a refresh", async () => {
  const answers: Record<string, ProviderScript[]> = { abel: [{ status: 503 }, REFUSED], "abel.1": [FINE] }
  const called = world.script((token, nth) => answers[token]?.[nth] ?? { status: 400 })
  expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
  expect(called.map(({ account }) => account)).toEqual(["abel", "abel", "abel.1"])
  expect(await abel()).toEqual({ health: "healthy", version: 2, refreshing: false })
})

test("A refresh followed by 503 and 401 again means that the account needs a login, and it is called no more", async () => {
  await addAccount(world, "beta")
  const called = world.script((token, nth) => {
    if (token === "beta") return FINE
    return token === "abel.1" && nth === 0 ? { status: 503 } : REFUSED
  })
  expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
  expect(called.map(({ account }) => account)).toEqual(["abel", "abel.1", "abel.1", "beta"])
  expect(refreshes).toBe(1)
  expect(await abel()).toEqual({ health: "needs_login", version: 2, refreshing: false })
})

test("A 401 to a token that was refreshed earlier in this run leads to another refresh", async () => {
  await world.sql("update provider_credentials set expires_at = $1", [new Date(world.clock.ms() + 60_000)])
  const answers: Record<string, ProviderScript[]> = { "abel.1": [CALL, REFUSED], "abel.2": [FINE] }
  const called = world.script((token, nth) => answers[token]?.[nth] ?? { status: 400 })
  expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
  expect(called.map(({ account }) => account)).toEqual(["abel.1", "abel.1", "abel.2"])
  expect(await abel()).toEqual({ health: "healthy", version: 3, refreshing: false })
})

describe("A login that has temporarily no usable credential", () => {
  const ended = () => world.sql("update provider_credentials set expires_at = $1", [world.clock.now()])
  const inAMinute = () => new Date(world.clock.ms() + 60_000).getTime()
  const coolUntil = async (id: string) => Date.parse((await accountState(world, id)).cool_until ?? "")

  test("Its account cools for a minute, which does not count as a try of the turn", async () => {
    for (const id of ["abby", "abe", "adam"]) await addAccount(world, id, { kind: "oauth_code" })
    await ended()
    await addAccount(world, "beta")
    let asked = 0
    logins.at("/token", () => {
      asked++
      return new Response("", { status: 503 })
    })
    const called = world.script(() => FINE)
    const first = await world.begin(client, { space, timeout_seconds: 600 })
    await world.drain()
    for (const id of ["abby", "abe", "abel"]) expect(await coolUntil(id), id).toBe(inAMinute())
    await world.advance(5000)
    await world.drain()
    expect(await client.getTurn(first)).toMatchObject(SERVED)
    const [row] = await world.sql("select model_failures from turns where turn_id = $1", [first])
    expect(row, "it is no model failure").toEqual({ model_failures: 0 })
    expect(await world.failuresOf(first)).toEqual(["abby", "abe", "abel", "adam"].map((id) => `${id} no_credential`))
    expect(await world.runTurn(client, { space, end_user_ref: "another" })).toMatchObject(SERVED)
    expect([asked, called.map(({ account }) => account)]).toEqual([4, ["beta", "beta"]])
  })

  test("The turn waits while all accounts are in this state, and is served when one recovers", async () => {
    await ended()
    logins.at("/token", () => new Response("", { status: 503 }))
    world.script((token) => (token === "abel.1" ? FINE : { status: 400 }))
    const turnId = await world.begin(client, { space, timeout_seconds: 600 })
    await world.drain()
    expect((await client.getTurn(turnId)).state).toBe("running")
    expect(await accountState(world, "abel")).toMatchObject({ health: "healthy", cool_reason: "no_credential" })
    const body = { access_token: providerKey("abel.1"), token_type: "bearer", expires_in: 86_400 }
    logins.at("/token", () => Response.json(body))
    await world.advance(65_000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject(SERVED)
    expect(await accountState(world, "abel")).toMatchObject({ cool_until: null, cool_reason: null })
  })

  test("A 401 that cannot be answered by a refresh now cools the account as well", async () => {
    await addAccount(world, "beta")
    logins.at("/token", () => new Response("", { status: 503 }))
    const called = world.script((token) => (token === "beta" ? FINE : REFUSED))
    expect(await world.runTurn(client, { space })).toMatchObject(SERVED)
    expect(called.map(({ account }) => account)).toEqual(["abel", "beta"])
    expect(await coolUntil("abel")).toBe(inAMinute())
    expect(await abel()).toEqual({ health: "healthy", version: 1, refreshing: false })
  })
})

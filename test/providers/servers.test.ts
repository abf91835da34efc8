import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { accountOfProviderKey, addAccount, providerKey, removeAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { PROVIDER_URL } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

const OTHER_URL = "https://other.test/v1"
const OWN_KEY = providerKey("environment")

let world: RoutedWorld
let client: TestClient
let space: string
let elsewhere: string[] = []
beforeAll(async () => {
  world = await createRoutedWorld()
  world.serve("other.test", (request) => {
    elsewhere.push(accountOfProviderKey(request.headers.get("authorization")?.replace("Bearer ", "") ?? ""))
    return world.provider.serve(request)
  })
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(async () => {
  await removeAccounts(world)
  world.rebind({ OPENAI_BASE_URL: PROVIDER_URL, OPENAI_API_KEY: OWN_KEY })
})

let people = 0
/** The account that served a turn, and the accounts that were called at the other server. */
async function served(conversation?: string) {
  const called = world.script(() => ({ words: ["Fine."] }))
  elsewhere = []
  const turn = await world.runTurn(client, { space, end_user_ref: conversation ?? `person-${people++}` })
  expect(turn).toMatchObject({ state: "done", result: "Fine." })
  return { by: called.map(({ account }) => account), elsewhere }
}

test("An account at another server gets no call that is meant for the environment's own", async () => {
  await addAccount(world, "alpha", { baseUrl: OTHER_URL })
  expect(await served()).toEqual({ by: ["environment"], elsewhere: [] })
})

test("An account at the environment's server serves its pins, however the URL is spelled", async () => {
  await addAccount(world, "alpha", { baseUrl: OTHER_URL })
  await addAccount(world, "beta", { baseUrl: "https://Model.test/v1/" })
  expect(await served()).toEqual({ by: ["beta"], elsewhere: [] })
  await world.sql("update provider_states set cool_until = $1 where provider_id = 'beta'", [
    new Date(world.clock.ms() + 3600_000),
  ])
  const waiting = await world.begin(client, { space, end_user_ref: `person-${people++}` })
  await world.drain()
  expect((await client.getTurn(waiting)).state, "the turn waits for its own server's account").toBe("running")
  expect(elsewhere).toEqual([])
})

test("If the environment names no server, an account at any server serves", async () => {
  world.rebind({ OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined })
  await addAccount(world, "alpha", { baseUrl: OTHER_URL })
  expect(await served()).toEqual({ by: ["alpha"], elsewhere: ["alpha"] })
})

test("The operator's file determines the server from the next turn on, also for a conversation that stays with an account", async () => {
  await addAccount(world, "alpha", { baseUrl: OTHER_URL })
  await addAccount(world, "beta")
  expect((await served("stays")).by).toEqual(["beta"])
  const admin = await world.createAccount()
  await world.sql("update users set role = 'admin' where user_id = $1", [admin.userId])
  const browser = await world.signIn(admin.userId)
  const put = (key: string, value: string) => browser.json("PUT", `/api/admin/api-keys/engines.${key}`, { value })
  expect((await put("OPENAI_BASE_URL", OTHER_URL))[0]).toBe(200)
  expect(await served("stays")).toEqual({ by: ["alpha"], elsewhere: ["alpha"] })
  expect(await served()).toEqual({ by: ["alpha"], elsewhere: ["alpha"] })
  expect((await put("OPENAI_BASE_URL", PROVIDER_URL))[0]).toBe(200)
  expect(await served("stays")).toEqual({ by: ["beta"], elsewhere: [] })
})

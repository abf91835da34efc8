import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { sealCredential } from "../../src/providers/credential.ts"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { providerKey, resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
/**
 * Draws the first of three accounts of equal weight, and the second of the two that are left if
 * alpha is full.
 */
let random = () => 0.2
beforeAll(async () => {
  world = await createRoutedWorld(() => random())
  client = await world.createAccount({ usd: 100 })
  space = await client.space()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})
beforeEach(async () => {
  random = () => 0.2
  await resetAccounts(world, ["alpha", "beta", "gamma"])
})

let people = 0
const somebody = () => ({ space, end_user_ref: `person-${people++}` })
const FINE = { words: ["Fine."] }

/** The account that serves a new conversation. */
async function serves(): Promise<string | undefined> {
  const called = world.script(() => FINE)
  expect((await world.runTurn(client, somebody())).state).toBe("done")
  expect(called).toHaveLength(1)
  return called[0]?.account
}

/** Starts enough conversations for the worker to list all accounts. */
async function fillRoster(): Promise<void> {
  for (let n = 0; n <= PROVIDER_POLICY.rosterDraws; n++) expect(await serves()).toBe("alpha")
}

/** With windows that the worker has not read, the database would choose beta. */
async function fillAlpha(): Promise<void> {
  const windows = {
    "unified:18000": {
      used_pct: 100,
      reset_at: new Date(world.clock.ms() + 9e6).toISOString(),
      taken_at: world.clock.now().toISOString(),
      noted_pct: 100,
      noted_at: world.clock.now().toISOString(),
    },
  }
  await world.sql("update provider_states set windows = $1 where provider_id = 'alpha'", [JSON.stringify(windows)])
}

test("If many conversations start the worker draws from its recent listing, and otherwise the database draws", async () => {
  expect(await serves()).toBe("alpha")
  await fillAlpha()
  expect(await serves(), "few conversations have started").toBe("beta")
  await world.sql("update provider_states set windows = '{}'")
  await fillRoster()
  await fillAlpha()
  expect(await serves(), "the worker's choice").toBe("alpha")
  await world.advance(PROVIDER_POLICY.rosterMs)
  expect(await serves(), "the worker's listing is too old").toBe("beta")
})

const sealed = async (id: string, key: string) => {
  const keyRing = createKeyRing(parseKeyRing(world.env.SECRETS_KEYS as string))
  return sealCredential({ keyRing }, id, { kind: "api_key", api_key: providerKey(key) })
}
const inAMinute = () => new Date(world.clock.ms() + 60_000)
/** The changes of alpha, and the account that serves afterwards. */
const CHANGES: Record<string, [change: () => Promise<unknown>, serves: string]> = {
  "is disabled": [
    () => world.sql("update provider_accounts set disabled_at = now() where provider_id = 'alpha'"),
    "beta",
  ],
  "needs a login": [
    () => world.sql("update provider_accounts set health = 'needs_login' where provider_id = 'alpha'"),
    "beta",
  ],
  cools: [
    () => world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [inAMinute()]),
    "beta",
  ],
  "lacks the model": [
    () =>
      world.sql("update provider_states set lacks = $1 where provider_id = 'alpha'", [
        JSON.stringify({ [PROVIDED_PIN.slice(PROVIDED_PIN.indexOf("/") + 1)]: inAMinute() }),
      ]),
    "beta",
  ],
  "is removed": [() => world.sql("delete from provider_accounts where provider_id = 'alpha'"), "beta"],
  "has another key": [
    async () =>
      world.sql("update provider_credentials set sealed = $1 where provider_id = 'alpha'", [
        await sealed("alpha", "renewed"),
      ]),
    "renewed",
  ],
  "has another URL": [
    () => world.sql("update provider_accounts set base_url = 'https://moved.test/v1' where provider_id = 'alpha'"),
    "moved",
  ],
}

test.for(Object.keys(CHANGES))("An account that %s after the worker's listing is not called", async (name) => {
  await fillRoster()
  world.serve("moved.test", () => {
    moved++
    return world.provider.serve(new Request("https://model.test/v1/chat/completions", { method: "POST" }))
  })
  let moved = 0
  const [change, expected] = CHANGES[name] ?? []
  await change?.()
  const called = world.script(() => FINE)
  await world.runTurn(client, somebody())
  if (expected === "moved") expect(moved).toBeGreaterThan(0)
  else expect(called.map(({ account }) => account)).toEqual([expected])
})

test("A conversation stays on its account, whatever the worker would draw", async () => {
  const body = somebody()
  world.script(() => FINE)
  await world.runTurn(client, body)
  await fillRoster()
  random = () => 0.9
  const called = world.script(() => FINE)
  await world.runTurn(client, body)
  expect(called.map(({ account }) => account)).toEqual(["alpha"])
  await world.sql("update provider_accounts set disabled_at = now() where provider_id = 'alpha'")
  await world.runTurn(client, body)
  expect(called.at(-1)?.account).toBe("gamma")
})

test("An account that has cooled is tried again, even if the worker draws", async () => {
  await fillRoster()
  await world.sql("update provider_states set cool_until = $1 where provider_id = 'alpha'", [
    new Date(world.clock.ms() + PROVIDER_POLICY.rosterMs),
  ])
  expect(await serves()).toBe("beta")
  // The listing is read again while alpha cools, and has not expired when the cooling ends.
  await world.advance(PROVIDER_POLICY.rosterMs - PROVIDER_POLICY.rosterPauseMs)
  for (let n = 0; n < 2 * PROVIDER_POLICY.rosterDraws; n++) expect(await serves()).toBe("beta")
  await world.advance(PROVIDER_POLICY.rosterMs / 2 + PROVIDER_POLICY.rosterPauseMs)
  const servers: (string | undefined)[] = []
  for (let n = 0; n < 3; n++) servers.push(await serves())
  expect(servers).toContain("alpha")
})

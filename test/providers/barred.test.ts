import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { expectPromises } from "../harness/promises.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { TestClient } from "../harness/world.ts"

const IDS = ["a", "b", "c", "d", "e"]
const ANSWERS = {
  "402": { status: 402 },
  "403 permission_error": { status: 403, message: "Your account does not have permission." },
  "400 of a disabled organization": { status: 400, message: "This organization has been disabled." },
  "429 insufficient_quota": { status: 429, message: "You exceeded your current quota.", code: "insufficient_quota" },
}
const REASONS = ["no_credit", "not_permitted", "account_disabled", "no_credit"]
const MINUTE = 60_000
const TURNS = isThorough ? 100 : 24
/** Turns that must not call a barred account. */
const QUIET_TURNS = isThorough ? 10 : 3

let world: RoutedWorld
let client: TestClient
let space: string
let admin: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  world = await createRoutedWorld(() => random())
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

/** Where a call begins: at the first account by name, or at any. */
let random = () => 0
let state = 1
/** A number between 0 and 1, the same in each run. */
const seeded = () => {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}

async function listed(id: string) {
  const [, { items }] = await admin.json("GET", "/api/admin/providers")
  return items.find(({ provider_id }: { provider_id: string }) => provider_id === id)
}

async function capacity() {
  await world.settled()
  const [, { pools }] = await admin.json("GET", "/api/admin/providers/pool")
  return pools.find(({ pool }: { pool: string }) => pool === "main").capacity
}

beforeEach(async () => {
  random = () => 0
  await resetAccounts(world, IDS)
})

const fine = { words: ["Fine."] }
const cases = Object.entries(ANSWERS).map(([name, answer], index) => [name, answer, REASONS[index]] as const)
/** The default tier has one kind of answer in tests that do not depend on it. */
const some = isThorough ? cases : cases.slice(0, 1)

test.each(some)(
  "Accounts that are barred one by one by %s fail no turn while one serves, and no turn makes more than two calls",
  async (_name, answer) => {
    random = seeded
    const barred = new Set<string>()
    let since = 0
    const called = world.script((account) => (barred.has(account) ? answer : fine))
    for (let n = 0; n < TURNS; n++) {
      // Bars the account that served last, and only after turns have found the previous one: one
      // turn may meet two unknown barred accounts.
      const newest = [...barred].at(-1)
      const isKnown = newest === undefined || called.slice(since).some(({ account }) => account === newest)
      const served = called.at(-1)?.account
      if (barred.size < 4 && isKnown && served && n >= 4 + barred.size * Math.floor(TURNS / 5)) {
        barred.add(served)
        since = called.length
      }
      const before = called.length
      const turn = await world.runTurn(client, { space, conversation: `c${n % 7}`, timeout_seconds: 600 })
      expect(turn, `turn ${n}, ${barred.size} barred`).toMatchObject({ state: "done", result: "Fine." })
      expect(called.length - before).toBeLessThanOrEqual(2)
    }
    expect(barred.size).toBe(4)
    await expectPromises(world, client.userId)
  },
)

describe.each(cases)("Accounts that are barred by %s", (name, answer, reason) => {
  const waits = some.some(([one]) => one === name) ? [10, 20, 40] : [10]

  test(`A barred account is suspended with its reason and tried after ${waits.join(", ")} minutes until it serves`, async () => {
    let isBarred = true
    const called = world.script((account) => (account === "a" && isBarred ? answer : fine))
    let conversations = 0
    const run = async () => {
      const body = { space, conversation: `tries-${reason}-${conversations++}`, timeout_seconds: 600 }
      expect(await world.runTurn(client, body)).toMatchObject({ state: "done" })
    }
    const callsOfA = () => called.filter(({ account }) => account === "a").length
    world.logged.length = 0
    for (let n = 0; callsOfA() === 0 && n < 100; n++) await run()
    const suspended = { state: "suspended", health: "suspended", suspended_reason: reason, cool_reason: "forbidden" }
    expect(await listed("a")).toMatchObject({
      ...suspended,
      suspended_at: world.clock.now().toISOString(),
      cool_until: new Date(world.clock.ms() + 10 * MINUTE).toISOString(),
    })
    expect(world.logged.filter((line) => line.includes("provider.suspended"))).toHaveLength(1)
    expect(await capacity()).toMatchObject({ accounts: 5, usable: 4, suspended: 1, cooling: 0 })

    for (const [nth, minutes] of waits.entries()) {
      for (let n = 0; n < QUIET_TURNS; n++) await run()
      await world.advance(minutes * MINUTE - 1)
      await run()
      expect(callsOfA(), "no call before the time").toBe(nth + 1)
      await world.advance(1)
      for (let n = 0; callsOfA() === nth + 1 && n < 100; n++) await run()
      for (let n = 0; n < QUIET_TURNS; n++) await run()
      expect(callsOfA(), "one call tries it").toBe(nth + 2)
      expect(await listed("a")).toMatchObject({
        ...suspended,
        cool_until: new Date(world.clock.ms() + 2 * minutes * MINUTE).toISOString(),
      })
    }
    expect(world.logged.filter((line) => line.includes("provider.suspended"))).toHaveLength(1)

    await world.advance(2 * Math.max(...waits) * MINUTE)
    isBarred = false
    for (let n = 0; callsOfA() === waits.length + 1 && n < 100; n++) await run()
    expect(await listed("a")).toMatchObject({
      state: "usable",
      health: "healthy",
      suspended_at: null,
      suspended_reason: null,
      cool_until: null,
      cool_reason: null,
    })
  })

  test("When all are barred at the same time, the turn waits, and the first account that recovers serves it", async () => {
    world.script(() => answer)
    const turnId = await world.begin(client, { space, timeout_seconds: 3600 })
    await world.drain()
    expect((await client.getTurn(turnId)).state).toBe("running")
    world.script(() => ({ words: ["Fine."] }))
    await world.advance(11 * 60_000)
    await world.drain()
    expect(await client.getTurn(turnId)).toMatchObject({ state: "done", result: "Fine." })
  })
})

test("Two accounts that are barred without notice cost a turn no third failed call: the account that served last is tried next", async () => {
  random = seeded
  const barred = new Set<string>()
  const called = world.script((account) => (barred.has(account) ? ANSWERS["402"] : fine))
  const run = async (conversation: string) => {
    const before = called.length
    const turn = await world.runTurn(client, { space, conversation, timeout_seconds: 600 })
    expect(turn).toMatchObject({ state: "done" })
    return called.slice(before).map(({ account }) => account)
  }
  const [own] = await run("unseen")
  let served = own
  for (let n = 0; served === own; n++) [served] = await run(`unseen-${n}`)
  for (const id of IDS) if (id !== served) barred.add(id)
  expect(await run("unseen")).toEqual([own, served])
})

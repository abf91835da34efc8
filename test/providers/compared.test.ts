import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { expectPromises } from "../harness/promises.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { TestClient } from "../harness/world.ts"

const IDS = ["a", "b", "c"]
const MINUTE = 60_000
const fine = { words: ["Fine."] }

let world: RoutedWorld
let client: TestClient
let space: string
let admin: Awaited<ReturnType<typeof signInAdmin>>
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
  admin = await signInAdmin(world)
})
beforeEach(() => resetAccounts(world, IDS))
afterAll(() => world.close())

async function stateOf(id: string) {
  await world.settled()
  const [, { items }] = await admin.json("GET", "/api/admin/providers")
  return items.find(({ provider_id }: { provider_id: string }) => provider_id === id)
}

let conversations = 0
const run = () => world.runTurn(client, { space, conversation: `compared-${conversations++}`, timeout_seconds: 600 })

/** Words that no list has. */
const WORDS: [status: number, message: string][] = [
  [400, "This credential is only authorized for use with Claude Code and cannot be used for other API requests."],
  [400, "Your workspace has been archived by its owner."],
  [422, "Dieses Konto ist für die API nicht freigeschaltet."],
  [451, ""],
]

test.each(WORDS)(
  "Turns succeed while one account answers %i %j, and it is suspended after three",
  async (status, message) => {
    const called = world.script((account) => (account === "a" ? { status, message } : fine))
    for (let n = 0; n < 60; n++) {
      const before = called.length
      expect(await run(), `turn ${n}`).toMatchObject({ state: "done", result: "Fine." })
      expect(called.length - before).toBeLessThanOrEqual(2)
    }
    expect(called.filter(({ account }) => account === "a")).toHaveLength(3)
    expect(await stateOf("a")).toMatchObject({
      state: "suspended",
      suspended_reason: "rejects_calls",
      cool_reason: "rejected",
      disabled_at: null,
    })
    await expectPromises(world, client.userId)

    // The probes after ten and after twenty minutes are rejected too, and then the account serves again.
    await world.advance(10 * MINUTE)
    for (let n = 0; n < 20; n++) expect(await run()).toMatchObject({ state: "done" })
    expect(called.filter(({ account }) => account === "a")).toHaveLength(4)
    expect((await stateOf("a")).cool_until).toBe(new Date(world.clock.ms() + 20 * MINUTE).toISOString())
    world.script(() => fine)
    await world.advance(20 * MINUTE)
    for (let n = 0; n < 20; n++) expect(await run()).toMatchObject({ state: "done" })
    expect(await stateOf("a")).toMatchObject({ state: "usable", suspended_at: null })
  },
)

test("A request that two accounts reject is refused, is tried at no third, costs nothing and blames none", async () => {
  const called = world.script(() => ({ status: 400, message: "Unsupported parameter: 'top_p' is not supported." }))
  for (let n = 1; n <= 5; n++) {
    expect(await run()).toMatchObject({ state: "failed", error: { code: "PARAMETER_REJECTED" }, billed_cost_usd: 0 })
    expect(called).toHaveLength(2 * n)
    expect(new Set(called.slice(-2).map(({ account }) => account)).size, "two accounts").toBe(2)
  }
  for (const id of IDS) expect(await stateOf(id)).toMatchObject({ state: "usable", suspended_at: null })
  expect(await world.sql("select from provider_states where rejections > 0")).toEqual([])
  await expectPromises(world, client.userId)
})

test("A success forgets the rejections of an account", async () => {
  let rejects = true
  const called = world.script((account) => (account === "a" && rejects ? { status: 400, message: "No." } : fine))
  const callsOfA = () => called.filter(({ account }) => account === "a").length
  for (let round = 0; round < 3; round++) {
    rejects = true
    const before = callsOfA()
    for (let n = 0; callsOfA() < before + 2 && n < 200; n++) expect(await run()).toMatchObject({ state: "done" })
    expect(callsOfA()).toBe(before + 2)
    rejects = false
    for (let n = 0; callsOfA() < before + 3 && n < 200; n++) expect(await run()).toMatchObject({ state: "done" })
    expect(await world.sql("select from provider_states where provider_id = 'a' and rejections > 0")).toEqual([])
  }
  expect(await stateOf("a")).toMatchObject({ state: "usable", suspended_at: null })
})

test("The only account is not suspended for a request that it rejects", async () => {
  await resetAccounts(world, ["a"])
  const called = world.script(() => ({
    status: 400,
    message: "This credential is only authorized for another client.",
  }))
  for (let n = 1; n <= 4; n++) {
    expect(await run()).toMatchObject({ state: "failed", error: { code: "MODEL_REJECTED" }, billed_cost_usd: 0 })
    expect(called).toHaveLength(n)
  }
  expect(await stateOf("a")).toMatchObject({ state: "usable", suspended_at: null })
})

test("If the other account is unavailable, a third one is asked, and the first one is blamed only after a success", async () => {
  const answers = { a: { status: 400, message: "No." }, b: { status: 503 }, c: fine }
  const called = world.script((account) => answers[account as keyof typeof answers])
  for (let n = 0; n < 12; n++) expect(await run()).toMatchObject({ state: "done", result: "Fine." })
  expect(called.filter(({ account }) => account === "a").length).toBeLessThanOrEqual(3)
  await expectPromises(world, client.userId)
})

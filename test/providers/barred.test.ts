import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { accountFacts, startAccounts } from "../harness/accounts.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { TestClient } from "../harness/world.ts"

const IDS = ["a", "b", "c", "d", "e"]
const ANSWERS = {
  "402": { status: 402 },
  "403 permission_error": { status: 403, message: "Your account does not have permission." },
  "400 of a disabled organization": { status: 400, message: "This organization has been disabled." },
}

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(() => world.close())
beforeEach(() => startAccounts(world, IDS))

describe.each(Object.entries(ANSWERS))("accounts that are barred by %s", (_name, answer) => {
  test("one after the other: no turn fails while one serves, and none takes more than two calls", async () => {
    const barred = new Set<string>()
    const called = world.script((account) => (barred.has(account) ? answer : { words: ["Fine."] }))
    for (let n = 0; n < 34; n++) {
      if (n % 8 === 4 && barred.size < 4) barred.add(IDS[barred.size] as string)
      const before = called.length
      const turn = await world.runTurn(client, { space, conversation: `c${n % 7}`, timeout_seconds: 600 })
      expect(turn, `turn ${n}, ${barred.size} barred`).toMatchObject({ state: "done", result: "Fine." })
      expect(called.length - before).toBeLessThanOrEqual(2)
    }
    expect(barred.size).toBe(4)
    await expectPromises(world, client.userId)
  })

  test("is out of use for ten minutes with its reason, and then one call tries it", async () => {
    let isBarred = true
    const called = world.script((account) => (account === "a" && isBarred ? answer : { words: ["Fine."] }))
    const run = async (conversation: string) => {
      expect(await world.runTurn(client, { space, conversation, timeout_seconds: 600 })).toMatchObject({
        state: "done",
      })
    }
    for (let n = 0; !called.some(({ account }) => account === "a"); n++) await run(`first-${n}`)
    expect(await accountFacts(world, "a")).toMatchObject({ cool_reason: "forbidden" })
    const callsOfA = () => called.filter(({ account }) => account === "a").length
    for (let n = 0; n < 10; n++) await run(`more-${n}`)
    expect(callsOfA()).toBe(1)
    await world.advance(10 * 60_000)
    isBarred = false
    for (let n = 0; callsOfA() === 1; n++) await run(`later-${n}`)
    expect(await accountFacts(world, "a")).toMatchObject({ cool_until: null, cool_reason: null })
  })

  test("all at once: the turn waits, and is served by the first that serves again", async () => {
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

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { STATEMENTS } from "../../src/platform/time-limits.ts"
import { renewLease } from "../../src/runs/commit-step.ts"
import { growHold } from "../../src/runs/grow-hold.ts"
import { CHEAP, cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { isThorough } from "../harness/crash.ts"
import { BARE } from "../harness/customer.ts"
import { untilCalled } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { giveShards } from "../harness/shards.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const AT_ONCE = isThorough ? 40 : 24

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** Sends requests at once and counts their statuses. A rejection may not cost a connection of the database. */
async function storm(send: (n: number) => Promise<Response>): Promise<Record<number, number>> {
  const before = await world.connections()
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => send(n)))
  await world.settled()
  const after = await world.connections()
  const errors = Object.entries(after.errors).filter(([kind, times]) => times !== before.errors[kind])
  expect(errors, "statements that failed").toEqual([])
  expect(after.dropped).toBe(before.dropped)
  return countsOf(answers.map(({ status }) => status))
}

function countsOf(statuses: number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const turns =
  (client: TestClient, space: string, more: object = {}) =>
  (n: number) =>
    client.sendTurn({ space, end_user_ref: `c${n}`, text: CHEAP, ...more })

test("Many requests of one key at once use a few connections, and each is accepted once they are free", async () => {
  const client = await world.createAccount()
  const space = await client.space(BARE)
  // Places are given back after a time, and the machine may be slow.
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  await world.plan([{ service: "pg", call: 1, times: AT_ONCE, action: "hold", when: "before" }])
  const stormed = storm(turns(client, space))
  await untilCalled(world, { count: STATEMENTS.atOnce, request: stormed })
  expect(await world.isCalm(60_000)).toBe(true)
  expect(await world.calls(), "no other statement is sent while these have no answer").toHaveLength(STATEMENTS.atOnce)
  await world.clearFaults()
  expect(await stormed).toEqual({ 202: AT_ONCE })
  await world.drain()
  await expectPromises(world, client.userId)
})

describe("A storm of refusals costs no connection of the database", () => {
  test.each([
    ["a small account", 0],
    ["an account with shards", 8],
  ])("The balance of %s lasts for a few of many turns at once, again and again", async (_name, shards) => {
    const hold = 20_000
    const client = await world.createAccount({ usd: (5 * hold) / 1e7 })
    if (shards > 0) await giveShards(world, client, hold, shards)
    const space = await client.space(BARE)
    const seen = await storm(turns(client, space, { max_cost_usd: hold / 1e7 }))
    expect(seen).toEqual({ 202: 5, 402: AT_ONCE - 5 })
    await world.drain()
    await storm(turns(client, space, { max_cost_usd: hold / 1e7 }))
    await world.drain()
    await expectPromises(world, client.userId)
  })

  test("A key's cap lasts for a few of many turns at once, while others of it are cancelled", async () => {
    const { client, space, userId } = await cappedAccount(world, { caps: { daily_usd: 20 * NEEDED_USD } })
    const limit = { max_cost_usd: 4 * NEEDED_USD, text: "hello" }
    for (let round = 0; round < 3; round++) {
      const open = await world.sql<{ turn_id: string }>("select turn_id from open_turns where user_id = $1", [userId])
      const cancels = open.map(
        ({ turn_id }) =>
          () =>
            client.call("POST", `/v1/turns/${turn_id}/cancel`),
      )
      const seen = await storm((n) => cancels[n]?.() ?? turns(client, space, limit)(n))
      expect(Object.keys(seen).map(Number), JSON.stringify(seen)).toEqual(expect.arrayContaining([202, 429]))
    }
    await world.drain()
    await expectPromises(world, userId)
  })

  test("Many turns of one Idempotency-Key differ, so one is accepted and all others are refused", async () => {
    const client = await world.createAccount()
    const space = await client.space(BARE)
    const seen = await storm((n) => client.sendTurn({ space, text: `Number ${n}` }, "same"))
    expect(seen).toEqual({ 202: 1, 422: AT_ONCE - 1 })
    const spaces = await storm((n) =>
      client.call("POST", "/v1/spaces", { title: `Number ${n}` }, { "idempotency-key": "same" }),
    )
    expect(spaces).toEqual({ 201: 1, 422: AT_ONCE - 1 })
  })

  test("A test account has enough open turns", async () => {
    const client = await world.createAccount({ test: true })
    const space = await client.space(BARE)
    await world.sql("insert into settings (key, value) values ('max_open_test_turns', '3')")
    expect(await storm(turns(client, space))).toEqual({ 202: 3, 429: AT_ONCE - 3 })
  })

  test.each([
    ["an unknown space", 404, { space: "nowhere" }],
    ["a file that is not there", 404, { files: ["file_00000000000000000000000000"] }],
    ["a conversation that is not there", 404, { conversation: "conv_00000000000000000000000000" }],
    ["a model that is not there", 422, { model: "rehearsal/unknown" }],
    ["a limit below the first call", 422, { max_cost_usd: 0.0000001 }],
    ["texts with a null character, which PostgreSQL cannot keep", 422, { text: "a\u0000b" }],
    ["names with half a character", 422, { end_user_ref: "a\ud800b" }],
  ])("Turns are refused that name %s", async (_name, status, more) => {
    const client = await world.createAccount()
    const space = await client.space(BARE)
    expect(Object.keys(await storm(turns(client, space, more)))).toEqual([String(status)])
  })

  test("Cancels of a turn that has ended, archived spaces, blocked end users and revoked keys are refused", async () => {
    const { client, space } = await cappedAccount(world)
    const { turn_id } = await client.runTurn({ space })
    expect(await storm(() => client.call("POST", `/v1/turns/${turn_id}/cancel`))).toEqual({ 409: AT_ONCE })
    const limits = { daily_usd: null, monthly_usd: null, blocked: true }
    expect((await client.call("PUT", "/v1/end-users/c0/limits", limits)).status).toBe(200)
    expect(await storm(() => turns(client, space)(0))).toEqual({ 403: AT_ONCE })
    await world.sql("update spaces set archived_at = now() where slug = $1", [space])
    expect(await storm(turns(client, space))).toEqual({ 409: AT_ONCE })
    await world.sql("update api_keys set revoked_at = created_at where user_id = $1", [client.userId])
    expect(await storm(turns(client, space))).toEqual({ 401: AT_ONCE })
  })

  test("Workers whose claim is stale are told so", async () => {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(BARE) }))
    await world.settled()
    const ctx = contextOf(world)
    const claim = await claimTurn(ctx, turn_id)
    if (!claim) throw new Error("not claimed")
    await world.advance(151_000)
    expect(await claimTurn(ctx, turn_id)).not.toBeNull()
    const stale = claim.turn
    await storm(async (n) => {
      if (n % 3 === 0) expect(await growHold(ctx, stale, 1000)).toBeNull()
      else await renewLease(ctx, stale)
      return new Response()
    })
  })

  test("Holds of a busy account's turns that have a cap grow", async () => {
    const { client, space, userId } = await cappedAccount(world, { usd: 10_000, caps: { daily_usd: 1000 } })
    await giveShards(world, client as TestClient)
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    await world.settled()
    const ctx = contextOf(world)
    const claim = await claimTurn(ctx, turn_id)
    if (!claim) throw new Error("not claimed")
    await storm(async () => {
      expect(await growHold(ctx, claim.turn, 1000)).toMatchObject({ boundBy: null })
      return new Response()
    })
    await world.sql("update api_keys set daily_credit_micros = null where user_id = $1", [userId])
    await world.sql("update wallet_shards set balance_credit_micros = 30000 where user_id = $1 and shard = 0", [userId])
    await storm(async () => {
      await growHold(ctx, claim.turn, 100)
      return new Response()
    })
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectPromises } from "../harness/promises.ts"
import { deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("Outcomes", () => {
  test("Multi-step turns are billed for each call, and turns that fail because of us are not billed", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const use = "[use input=1000 cached=400 output=100]"
    const call = (600 * 10 + 400 * 1 + 100 * 50) / 10_000_000
    const done = await client.runTurn({ space, text: `[steps 3]\n${use}` })
    expect(done).toMatchObject({
      state: "done",
      billed_cost_usd: 3 * call,
      usage: { model_calls: 3, tokens_input: 3000, tokens_cached: 1200, tokens_output: 300 },
    })
    expect(await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })).toMatchObject({
      state: "failed",
      error: { code: "OUT_OF_STOCK" },
      billed_cost_usd: 0,
    })
    expect(await client.runTurn({ space, text: "[fail MODEL_REJECTED]" })).toMatchObject({
      state: "failed",
      error: { code: "MODEL_REJECTED" },
      billed_cost_usd: 0,
    })
    await expectPromises(world, client.userId)
  })

  test("A call of a model that does not answer is tried five times, then the turn fails unbilled", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await turnOf(await client.sendTurn({ space, text: "[fail MODEL_UNAVAILABLE]" }))
    const saved = await turnOf(
      await client.sendTurn({ space, end_user_ref: "other", text: "[fail MODEL_UNAVAILABLE times=2]" }),
    )
    for (let round = 0; round < 8; round++) {
      await world.drain()
      await world.advance(35_000)
    }
    await world.drain()
    expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "failed", error: { code: "MODEL_UNAVAILABLE" } })
    expect(await client.getTurn(saved.turn_id)).toMatchObject({ state: "done" })
    await expectPromises(world, client.userId)
  })

  test("The limit max_cost_usd bounds the answer and the bill", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const turn = await client.runTurn({ space, text: "[long 100000]", max_cost_usd: 0.005 })
    expect(turn).toMatchObject({ state: "failed", error: { code: "COST_LIMIT_REACHED" } })
    expect(turn.result).toMatch(/^long long/)
    expect(turn.billed_cost_usd).toBeLessThanOrEqual(0.005)
    await expectPromises(world, client.userId)
  })

  test("A hold that is too small grows as far as the balance allows", async () => {
    const client = await world.createAccount({ usd: 1 })
    const space = await client.space()
    await world.sql("update model_catalog set max_output_tokens = 100000 where pin = 'rehearsal/standard'")
    const turn = await client.runTurn({ space, text: "[use input=100 output=60000]" })
    await world.sql("update model_catalog set max_output_tokens = 8192 where pin = 'rehearsal/standard'")
    expect(turn).toMatchObject({ state: "done", billed_cost_usd: 0.3001 })
    await expectPromises(world, client.userId)
  })

  test("The limits of steps and of time end a turn with its partial result", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { max_steps: 2 } })
    const limited = await client.runTurn({ space, text: "[steps 9]" })
    expect(limited).toMatchObject({ state: "failed", error: { code: "STEP_LIMIT_REACHED" }, usage: { model_calls: 2 } })
    expect(limited.billed_cost_usd).toBeGreaterThan(0)
    expect(limited.result).toBe("Step 1 of 9.\n\nStep 2 of 9.")

    const slow = await turnOf(await client.sendTurn({ space, text: "[think 35000 ms]", timeout_seconds: 10 }))
    const running = world.drain()
    await world.clock.sleeping(1, 35_000)
    await world.advance(10_000)
    await running
    expect(await client.getTurn(slow.turn_id)).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
    await expectPromises(world, client.userId)
  })

  test("A long turn is handed from callback to callback", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await turnOf(await client.sendTurn({ space, text: "[steps 4]\n[think 15000 ms]" }))
    const running = world.drain()
    for (let step = 0; step < 4; step++) {
      await world.clock.sleeping(1, 15_000)
      await world.advance(15_000)
    }
    await running
    expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "done", usage: { model_calls: 4 } })
    const [row] = await world.sql<{ epoch: number }>("select epoch from turns where turn_id = $1", [sent.turn_id])
    expect(row?.epoch, "two callbacks").toBe(2)
    await expectPromises(world, client.userId)
  })

  test("A turn that no worker starts within an hour is cancelled as expired", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await turnOf(await client.sendTurn({ space }))
    await world.settled()
    await world.qstash.reset()
    await world.advance(3_600_000)
    await world.sweep()
    expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "cancelled", status_reason: "expired" })
    await expectPromises(world, client.userId)
  })

  test("A turn whose worker dies five times fails as lost, unbilled", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const sent = await turnOf(await client.sendTurn({ space, timeout_seconds: 3600 }))
    await world.settled()
    await world.plan([{ service: "pg", match: "settle_turn", call: 1, times: 99, action: "fail", when: "before" }])
    for (let round = 0; round < 30; round++) {
      await deliverWhileCommitsFail(world)
      await world.advance(160_000)
      await world.sweep()
    }
    await world.clearFaults()
    await world.sweep()
    expect(await client.getTurn(sent.turn_id)).toMatchObject({
      state: "failed",
      error: { code: "ENGINE_LOST" },
      billed_cost_usd: 0,
    })
    await expectPromises(world, client.userId)
  })
})

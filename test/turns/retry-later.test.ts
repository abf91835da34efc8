import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let calls = 0
let refusal: () => Response
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  world.serve("model.test", () => {
    calls++
    return refusal()
  })
})
afterAll(() => world.close())

const refuse = (status: number, headers: Record<string, string>) => () =>
  Response.json({ error: { message: "slow down", type: "rate_limit_error" } }, { status, headers })

/** Sends a turn of 30 s, and runs it until nothing is due. */
async function send(client: TestClient) {
  calls = 0
  const { turn_id } = await turnOf(
    await client.sendTurn({ space: await client.space(), model: PROVIDED_PIN, timeout_seconds: 30 }),
  )
  await world.settled()
  await world.drain()
  return turn_id
}

describe("A provider that asks for more time than the turn has", () => {
  test.each<[string, () => Response, string]>([
    ["429 and seconds", refuse(429, { "retry-after": "120" }), "120 s (HTTP 429)"],
    ["429 and milliseconds", refuse(429, { "retry-after-ms": "45500" }), "46 s (HTTP 429)"],
    [
      "503 and a date",
      refuse(503, { "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }),
      "3600 s (HTTP 503)",
    ],
    ["529 and hours", refuse(529, { "retry-after": "86400" }), "86400 s (HTTP 529)"],
  ])("The turn ends at once and says what the provider asked for: %s", async (_what, answer, said) => {
    refusal = answer
    const client = await world.createAccount()
    const sentAt = world.clock.now().getTime()
    const turn = await client.getTurn(await send(client))
    expect(turn).toMatchObject({
      state: "failed",
      error: { code: "MODEL_UNAVAILABLE" },
      held_usd: 0,
      billed_cost_usd: 0,
    })
    expect(turn.error?.message).toContain(said)
    expect(new Date(turn.finished_at as string).getTime() - sentAt).toBeLessThan(1000)
    expect(calls).toBe(1)
    await expectPromises(world, client.userId)
  })

  test("A turn with enough time waits as long as the provider asks", async () => {
    refusal = refuse(429, { "retry-after": "20" })
    const client = await world.createAccount()
    const turnId = await send(client)
    expect((await client.getTurn(turnId)).finished_at).toBeNull()
    await world.advance(19_000)
    await world.drain()
    expect(calls).toBe(1)
    await world.advance(2_000)
    await world.drain()
    expect(calls).toBe(2)
    // The second refusal leaves less than 20 s.
    expect((await client.getTurn(turnId)).error?.code).toBe("MODEL_UNAVAILABLE")
  })

  test("A wait that the provider does not ask for ends with the turn's time", async () => {
    refusal = refuse(503, {})
    const client = await world.createAccount()
    const turnId = await send(client)
    // Waits of 2, 4, 8 and 16 s: the last one is cut to the time that is left.
    for (const ms of [2_000, 4_000, 8_000, 16_000]) {
      await world.advance(ms)
      await world.drain()
    }
    const turn = await client.getTurn(turnId)
    expect(turn).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
    await expectPromises(world, client.userId)
  })
})

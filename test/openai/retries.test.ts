import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { OPENAI_POLICY } from "../../src/openai/policies.ts"
import { losing, openAiOf, turnCount } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function begin({ usd = 10 } = {}) {
  const client = await world.createAccount({ usd })
  return { client, model: await client.space() }
}

describe("A retry of OpenAI's client after a lost answer", () => {
  test("It sends no second turn, without any key of the caller", async () => {
    const { client, model } = await begin()
    const { through, seen } = losing(world, 1)
    const openai = openAiOf(world, client, { through })
    const response = await openai.responses.create({ model, input: "Hello", user: "customer-1" })
    expect(response.output_text).toBe("You said: Hello")
    expect(seen.map(({ headers }) => headers.get("x-stainless-retry-count"))).toEqual(["0", "1"])
    expect(seen.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null, null])
    expect(await turnCount(world, client)).toBe(1)
    await expectPromises(world, client.userId)
  })

  test("With an Idempotency-Key it sends no second turn, and /v1/turns knows the same key", async () => {
    const { client, model } = await begin()
    const openai = openAiOf(world, client, losing(world, 2))
    const body = {
      model,
      user: "customer-1",
      messages: [{ role: "user" as const, content: "Hello" }],
      conversation: "c",
    }
    await openai.chat.completions.create(body, { headers: { "Idempotency-Key": "order-1" } })
    expect(await turnCount(world, client)).toBe(1)
    const again = await client.sendTurn({ space: model, text: "Hello", conversation: "c" }, "order-1")
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
    const other = await client.sendTurn({ space: model, text: "Other", conversation: "c" }, "order-1")
    expect(other.status).toBe(422)
  })

  test("Two equal requests that are no retries are two turns", async () => {
    const { client, model } = await begin()
    const openai = openAiOf(world, client)
    for (let n = 0; n < 2; n++) await openai.responses.create({ model, input: "Hello", user: "customer-1" })
    expect(await turnCount(world, client)).toBe(2)
  })

  test("An equal request of another end user, or one that ended earlier, is no first try", async () => {
    const { client, model } = await begin()
    const openai = openAiOf(world, client)
    const retry = { headers: { "X-Stainless-Retry-Count": "1" } }
    const first = await openai.responses.create({ model, input: "Hello", user: "customer-1" })
    const others = await openai.responses.create({ model, input: "Hello", user: "customer-2" }, retry)
    expect(others.id).not.toBe(first.id)
    expect((await openai.responses.create({ model, input: "Hello", user: "customer-1" }, retry)).id).toBe(first.id)
    await world.advance(OPENAI_POLICY.firstTryMs + 1)
    expect((await openai.responses.create({ model, input: "Hello", user: "customer-1" }, retry)).id).not.toBe(first.id)
  })
})

describe("A refusal", () => {
  test("An empty balance is 402 and a cap that resets in hours is 429, and the client retries neither", async () => {
    const { client, model } = await begin({ usd: 0 })
    const { through, seen } = losing(world, 0)
    const openai = openAiOf(world, client, { through })
    await expect(openai.responses.create({ model, input: "Hello", user: "customer-1" })).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_CREDITS",
      type: "insufficient_quota",
    })
    expect(seen.length).toBe(1)

    const capped = await begin()
    await world.sql("update api_keys set daily_credit_micros = 100000 where user_id = $1", [capped.client.userId])
    const second = losing(world, 0)
    const asking = openAiOf(world, capped.client, second)
    const body = { model: capped.model, user: "customer-1" }
    await asking.responses.create({ ...body, input: "[use input=1000 output=1000000]\nHello" })
    const refused = await asking.responses.create({ ...body, input: "Hello" }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED", type: "rate_limit_error" })
    expect(Number((refused as { headers: Headers }).headers.get("retry-after"))).toBeGreaterThan(60)
    expect(second.seen.length).toBe(2)
  })
})

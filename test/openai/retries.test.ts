import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DIALECT_POLICY } from "../../src/dialects/policies.ts"
import { losing, openAiOf, turnCount } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

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
    await world.advance(DIALECT_POLICY.firstTryMs + 1)
    expect((await openai.responses.create({ model, input: "Hello", user: "customer-1" }, retry)).id).not.toBe(first.id)
  })
})

describe("A request that equals one that still runs", () => {
  /** A client for requests in the background, during which no time passes. */
  const still = (client: TestClient) => openAiOf(world, client, { through: (request) => world.invoke(request) })
  const SLOW = "[think 60000 ms]\nHello"
  const chat = (model: string, content = SLOW) => ({
    model,
    user: "customer-1",
    messages: [{ role: "user" as const, content }],
  })

  test("It joins the running turn, whatever the framework says about its retries", async () => {
    const { client, model } = await begin()
    const openai = still(client)
    const background = { model, input: SLOW, user: "customer-1", background: true }
    const first = await openai.responses.create(background)
    const again = await openai.responses.create(background)
    expect(again.id).toBe(first.id)
    const calls = await Promise.all(Array.from({ length: 6 }, () => openai.responses.create(background)))
    expect(new Set(calls.map(({ id }) => id))).toEqual(new Set([first.id]))
    expect(await turnCount(world, client)).toBe(1)
  })

  test("Equal requests at the same moment are one turn", async () => {
    const { client, model } = await begin()
    const openai = still(client)
    const background = { model, input: SLOW, user: "customer-1", background: true }
    const made = await Promise.all(Array.from({ length: 8 }, () => openai.responses.create(background)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await turnCount(world, client)).toBe(1)
  })

  test("A request of another key, end user or text is a turn of its own", async () => {
    const { client, model } = await begin()
    const openai = still(client)
    const background = { model, input: SLOW, user: "customer-1", background: true }
    await openai.responses.create(background)
    await openai.responses.create({ ...background, user: "customer-2" })
    await openai.responses.create({ ...background, input: `${SLOW}!` })
    await openai.responses.create(background, { headers: { "Idempotency-Key": "own" } })
    const { value } = await world.makeKey(client.userId, { scope: "all" })
    await still(world.createClient(client.userId, value)).responses.create(background)
    expect(await turnCount(world, client)).toBe(5)
  })

  test("After the running turn is cancelled, an equal request is a new turn", async () => {
    const { client, model } = await begin()
    const openai = still(client)
    const background = { model, input: SLOW, user: "customer-1", background: true }
    const first = await openai.responses.create(background)
    await openai.responses.cancel(first.id)
    expect((await openai.responses.create(background)).id).not.toBe(first.id)
    expect(await turnCount(world, client)).toBe(2)
  })

  test("A client that gave up waiting and asks again gets the answer of the first turn", async () => {
    const { client, model } = await begin()
    const openai = openAiOf(world, client)
    const given = openai.chat.completions.create(chat(model, "Hello"))
    const answers = await Promise.all([given, openai.chat.completions.create(chat(model, "Hello"))])
    expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(["You said: Hello", "You said: Hello"])
    expect(new Set(answers.map(({ id }) => id)).size).toBe(await turnCount(world, client))
  })
})

test.each(["", "   ", []])("A last message without text and files is refused: %j", async (content) => {
  const { client, model } = await begin()
  const openai = openAiOf(world, client)
  const messages = [{ role: "user" as const, content: content as string }]
  await expect(openai.chat.completions.create({ model, user: "customer-1", messages })).rejects.toMatchObject({
    status: 400,
    code: "VALIDATION_FAILED",
    param: "messages",
  })
  expect(await turnCount(world, client)).toBe(0)
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

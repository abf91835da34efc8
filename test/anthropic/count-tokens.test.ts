import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { turnCount } from "../harness/openai-clients.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let anthropic: Anthropic
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  anthropic = anthropicOf(world, client)
})
afterAll(() => world.close())

test("An estimate counts four bytes as a token, of the space, the chat and its tools, and sends no turn", async () => {
  const [bare, told] = await Promise.all([
    client.space({ manifest: { builtin_tools: [] } }),
    client.space({ manifest: { builtin_tools: [], instructions: "x".repeat(400) } }),
  ])
  const count = async (model: string, content: string, more: object = {}) =>
    (await anthropic.messages.countTokens({ model, messages: [{ role: "user", content }], ...more })).input_tokens
  expect(await count(bare, "y".repeat(400))).toBe(100)
  expect(await count(told, "y".repeat(400))).toBe(200)
  expect(await count(bare, "y".repeat(400), { system: "z".repeat(80) })).toBe(120)
  const input_schema = { type: "object" as const, properties: {} }
  expect(
    await count(bare, "y", { tools: [{ name: "look", description: "d".repeat(400), input_schema }] }),
  ).toBeGreaterThan(100)
  expect(await turnCount(world, client)).toBe(0)
})

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { MemoryBudget } from "../../src/platform/memory.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"

let world: RoutedWorld
beforeAll(async () => {
  world = await createRoutedWorld()
})
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAADklEQVR4nGNYxRDKgIQBIUQD/Ssjb98AAAAASUVORK5CYII="

test("a turn whose picture finds no memory waits for it, however often: it is not lost to what others hold", async () => {
  world.rebind({ OPENAI_BASE_URL: "https://model.test/v1", OPENAI_API_KEY: "canary-none" })
  const client = await world.createAccount()
  const space = await client.space()
  const bytes = Uint8Array.from(Buffer.from(PNG, "base64"))
  const upload = await world.invoke(
    new Request(`https://api.test/v1/spaces/${space}/files?name=a.png`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}`, "content-type": "image/png" },
      body: bytes,
    }),
  )
  const { file_id } = (await upload.json()) as { file_id: string }
  let asked = 0
  const borrow = vi.spyOn(MemoryBudget.prototype, "borrow").mockImplementation(async () => {
    asked++
    return null
  })
  const turnId = await world.begin(client, { space, files: [file_id] })
  for (let n = 0; n < TURN_POLICY.maxAttempts + 3; n++) {
    await world.drain()
    await world.advance(10_000)
    await world.sweep()
  }
  expect(asked).toBeGreaterThan(TURN_POLICY.maxAttempts)
  expect(await client.getTurn(turnId)).toMatchObject({ state: "running", error: null })
  borrow.mockRestore()
  await world.advance(60_000)
  await world.drain()
  expect(await client.getTurn(turnId)).toMatchObject({ state: "done", result: "Fine." })
})

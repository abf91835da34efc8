import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { MEMORY, MemoryBudget } from "../../src/platform/memory.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { lendNoAnswerMemory } from "../harness/answer-memory.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { passTime } from "../harness/time.ts"

let world: RoutedWorld
beforeAll(async () => {
  world = await createRoutedWorld()
})
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAADklEQVR4nGNYxRDKgIQBIUQD/Ssjb98AAAAASUVORK5CYII="

/** A space of a new account that contains a picture. */
async function pictured() {
  world.rebind({ OPENAI_BASE_URL: "https://model.test/v1", OPENAI_API_KEY: "canary-none" })
  const client = await world.createAccount()
  const space = await client.space()
  const upload = await world.invoke(
    new Request(`https://api.test/v1/spaces/${space}/files?name=a.png`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.key}`, "content-type": "image/png" },
      body: Uint8Array.from(Buffer.from(PNG, "base64")),
    }),
  )
  const { file_id } = (await upload.json()) as { file_id: string }
  return { client, body: { space, files: [file_id] } }
}

test("A turn that finds no memory for its picture waits for it, and other callers never cause it to be lost", async () => {
  const { client, body } = await pictured()
  let asked = 0
  const borrow = vi.spyOn(MemoryBudget.prototype, "borrow").mockImplementation(async () => {
    asked++
    return null
  })
  const turnId = await world.begin(client, body)
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

test("Memory that a long call holds is not lent to others until the call ends", async () => {
  const { client, body } = await pictured()
  let budget: MemoryBudget | null = null
  const real = MemoryBudget.prototype.borrow
  vi.spyOn(MemoryBudget.prototype, "borrow").mockImplementation(function (this: MemoryBudget, ...asked) {
    budget = this
    return real.apply(this, asked)
  })
  /** True if another call could borrow all memory for pictures. */
  const isFree = () => {
    const loan = budget?.open(MEMORY.shares.object, "another", world.clock)
    const grown = loan?.grow(MEMORY.shares.object.all / MEMORY.shares.object.copies)
    loan?.close()
    return grown
  }
  const free: unknown[] = []
  world.script(() => {
    free.push(isFree())
    world.clock.after(350_000, () => free.push(isFree()))
    return { words: Array.from({ length: 8 }, () => "On. "), pauseMs: 50_000 }
  })
  const turnId = await world.begin(client, { ...body, timeout_seconds: 600 })
  await passTime(world, world.drain(), 10_000)
  free.push(isFree())
  expect(await client.getTurn(turnId)).toMatchObject({ state: "done" })
  expect(free).toEqual([false, false, true])
})

test("A model's kept answer uses the worker's memory; if none is left, the call is cut and continues later", async () => {
  world.rebind({ OPENAI_BASE_URL: "https://model.test/v1", OPENAI_API_KEY: "canary-none" })
  const client = await world.createAccount()
  const open = lendNoAnswerMemory()
  const called = world.script(() => ({ words: Array.from({ length: 40 }, () => "x".repeat(MEMORY.smallBytes / 32)) }))
  const turnId = await world.begin(client, { space: await client.space(), max_cost_usd: 5 })
  await world.drain()
  expect(called.length).toBeGreaterThan(0)
  expect((await client.getTurn(turnId)).state).not.toBe("done")
  open.mockRestore()
  world.script(() => ({ words: ["Fine."] }))
  await world.advance(60_000)
  await world.drain()
  expect((await client.getTurn(turnId)).state).toBe("done")
})

test("Many concurrent long answers count by the text that they keep, not by the bytes of their frames", async () => {
  world.rebind({ OPENAI_BASE_URL: "https://model.test/v1", OPENAI_API_KEY: "canary-none" })
  const client = await world.createAccount()
  const space = await client.space()
  const [TURNS, CHUNKS] = [16, 400]
  const chunk = (delta: object, more: object = {}) => {
    const frame = { id: "c".repeat(4_000), created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] }
    return `data: ${JSON.stringify({ ...frame, ...more })}\n\n`
  }
  const text = new TextEncoder().encode(chunk({ content: "On. " }).repeat(10))
  expect(TURNS * (text.length / 10) * CHUNKS * MEMORY.shares.answer.copies).toBeGreaterThan(MEMORY.shares.answer.all)
  const last = chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
  let there = 0
  let open = () => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  /** Each answer ends once all of them have sent this much text or were abandoned. */
  const arrived = () => {
    if (++there === TURNS) open()
  }
  const provide = () => {
    let sent = 0
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent++ < CHUNKS / 10) return controller.enqueue(text)
        arrived()
        await all
        controller.enqueue(new TextEncoder().encode(`${last}data: [DONE]\n\n`))
        controller.close()
      },
      cancel: arrived,
    })
  }
  world.serve("model.test", () => new Response(provide(), { headers: { "content-type": "text/event-stream" } }))
  const ids = await Promise.all(
    Array.from({ length: TURNS }, (_, n) => world.begin(client, { space, conversation: `c${n}`, max_cost_usd: 0.5 })),
  )
  await world.drain()
  const turns = await Promise.all(ids.map((id) => client.getTurn(id)))
  expect(turns.map(({ state }) => state)).toEqual(ids.map(() => "done"))
})

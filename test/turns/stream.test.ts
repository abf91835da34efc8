import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { STREAM_POLICY } from "../../src/turns/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { logOf, readEventStream } from "../harness/event-stream.ts"
import { untilCalled } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface SeenEvent {
  seq: number
  type: string
  data: { step?: number; text?: string; name?: string; duration_ms?: number }
}

/** Reads a turn's events after the one with `lastId`. `onEvent` can stop the reader. */
async function read(
  client: TestClient,
  turnId: string,
  {
    lastId,
    onEvent = () => true,
    onComment = () => {},
  }: { lastId?: string; onEvent?: (event: SeenEvent, id: string) => boolean; onComment?: () => void },
): Promise<SeenEvent[]> {
  const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) }
  const response = await client.call("GET", `/v1/turns/${turnId}/events`, undefined, headers)
  return readEventStream<SeenEvent>(response, { onEvent, onComment })
}

const types = (events: SeenEvent[]) => events.map(({ type }) => type)
const textOf = (events: SeenEvent[]) =>
  events.map(({ type, data }) => (type === "text.delta" ? data.text : "")).join("")

describe("The event log as server-sent events", () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ")
  const text = `[call lookup_order {"id":"1"}]\n[stream 100 ms]\n[reply ${words}]`

  /** `toolMs` is the time, on the test's clock, that the customer's server takes for the tool's call. */
  async function begin({ toolMs = 0 } = {}) {
    const client = await world.createAccount()
    serveCustomer(world, {
      answer: async () => {
        if (toolMs > 0) await world.clock.sleep(toolMs)
        return Response.json({ status: "shipped" })
      },
    })
    const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
    const sent = await turnOf(await client.sendTurn({ space, text }))
    await world.settled()
    return { client, turnId: sent.turn_id }
  }

  test("The stream has transitions, steps, tool calls with their duration, and text during its generation", async () => {
    const { client, turnId } = await begin({ toolMs: 700 })
    const began = world.clock.now().getTime()
    await world.plan([])
    const reading = read(client, turnId, {})
    const running = world.drain()
    // A newly deployed worker may be slow, and the message's signature expires after five minutes, so
    // time may pass only once the turn is claimed.
    await untilCalled(world, { match: "claim_turn", request: running })
    const events = await passTime(
      world,
      Promise.all([reading, running]).then(([seen]) => seen),
    )
    const turn = await client.getTurn(turnId)
    expect(turn).toMatchObject({ state: "done", result: words })
    const log = logOf(events)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    const once = types(events).filter((type) => type !== "text.delta")
    expect(once).toEqual([
      "turn.queued",
      "turn.running",
      "step.started",
      "step.ended",
      "tool.started",
      "tool.ended",
      "step.started",
      "step.ended",
      "turn.done",
    ])
    expect(textOf(events)).toBe(words)
    const deltas = events.filter(({ type, data }) => type === "text.delta" && data.text !== "").length
    expect(deltas, "as the text is generated").toBeGreaterThan(5)
    const logged = log.filter(({ type }) => type === "text.delta").length
    expect(logged, "batches instead of single words").toBeLessThan(40)
    const called = events.find(({ type }) => type === "tool.ended")?.data
    expect(called).toMatchObject({ name: "lookup_order", ok: true })
    expect(called?.duration_ms).toBeGreaterThanOrEqual(700)
    expect(called?.duration_ms, "the number of the call, not of the turn").toBeLessThan(
      world.clock.now().getTime() - began - 4000,
    )
    expect(events.length, "pieces came before the log had them").toBeGreaterThan(log.length)
    const json = (await (await client.call("GET", `/v1/turns/${turnId}/events?limit=100`)).json()) as {
      data: SeenEvent[]
    }
    expect(logOf(json.data), "the JSON log is the same").toEqual(log)
    await expectPromises(world, client.userId)
  })

  test("A reader that is cut off 20 times at random sees each seq once, in order, to the end", async () => {
    const random = createRandom("cut readers")
    const { client, turnId } = await begin()
    const running = world.drain()
    const seen: SeenEvent[] = []
    let lastId: string | undefined
    const reading = (async () => {
      for (let cuts = 0; ; cuts++) {
        let left = cuts < 20 ? 1 + random.int(2) : Number.POSITIVE_INFINITY
        const onEvent = (_: SeenEvent, id: string) => {
          lastId = id
          return --left > 0
        }
        const options = { onEvent, ...(lastId !== undefined && { lastId }) }
        seen.push(...(await read(client, turnId, options)))
        if (seen.at(-1)?.type.startsWith("turn.") && seen.at(-1)?.type === "turn.done") return cuts
      }
    })()
    const [cuts] = await passTime(world, Promise.all([reading, running]))
    console.log(`cut off ${cuts} times, ${seen.length} events, seed ${random.seed}`)
    expect(cuts).toBeGreaterThanOrEqual(10)
    const log = logOf(seen)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    expect(textOf(seen)).toBe(words)
  })

  test("Without readers no text is written, and a plain turn needs no statement for it", async () => {
    const { client, turnId } = await begin()
    await passTime(world, world.drain())
    const { data } = (await (await client.call("GET", `/v1/turns/${turnId}/events?limit=100`)).json()) as {
      data: SeenEvent[]
    }
    expect(types(data)).not.toContain("text.delta")
    expect(types(data).at(-1)).toBe("turn.done")
  })

  test("A turn that has ended is streamed completely at once, and the stream ends", async () => {
    const { client, turnId } = await begin()
    await passTime(world, world.drain())
    expect(types(await read(client, turnId, {})).at(-1)).toBe("turn.done")
    expect(await read(client, turnId, { lastId: "8" })).toMatchObject([{ seq: 9, type: "turn.done" }])
    const again = await client.call("GET", `/v1/turns/${turnId}/events`, undefined, {
      accept: "text/event-stream",
      "last-event-id": "9",
    })
    expect([again.status, await again.text()]).toEqual([204, ""])
  })

  test("The stream sends keep-alive comments while no events happen", async () => {
    const client = await world.createAccount()
    const sent = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.settled()
    let comments = 0
    const reading = read(client, sent.turn_id, {
      onComment: () => {
        comments++
      },
    })
    while (comments === 0) {
      await world.clock.sleeping(1)
      await world.advance(STREAM_POLICY.heartbeatMs / 4)
      await world.sql("select 1")
    }
    await passTime(world, Promise.all([reading, world.drain()]))
    expect(comments).toBeGreaterThan(0)
  })

  test("A flush whose answer is lost after its effect is not shown twice", async () => {
    const { client, turnId } = await begin()
    await world.plan([{ service: "pg", match: "write_for_reader", call: 2, action: "cut", when: "after" }])
    const reading = read(client, turnId, {})
    const running = world.drain()
    await untilCalled(world, { match: "claim_turn", request: running })
    const events = await passTime(
      world,
      Promise.all([reading, running]).then(([seen]) => seen),
    )
    await world.clearFaults()
    expect(textOf(events)).toBe(words)
    const log = logOf(events)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    await expectPromises(world, client.userId)
  })

  test("A turn whose worker dies during a text repeats the step and announces that", async () => {
    const { client, turnId } = await begin()
    let began = 0
    const reading = read(client, turnId, {
      onEvent({ type, data }) {
        if (type === "step.started" && data.step === 1) began++
        return true
      },
    })
    // Every commit of the worker fails for a while. It gives up, and another worker takes the turn over.
    await world.plan([{ service: "pg", match: "settle_turn", call: 1, times: 99, action: "fail", when: "before" }])
    const work = (async () => {
      await world.drain()
      await world.clearFaults()
      for (let round = 0; (await client.getTurn(turnId)).state === "running" && round < 20; round++) {
        await world.advance(60_000)
        await world.sweep()
        await world.drain()
      }
    })()
    const [events] = await passTime(world, Promise.all([reading, work]))
    expect(began).toBe(2)
    const last = events.findLastIndex(({ type }) => type === "step.started")
    expect(textOf(events.slice(last))).toBe(words)
    const log = logOf(events)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  })

  test("A wrong Last-Event-ID and an unknown turn are rejected before the stream begins", async () => {
    const client = await world.createAccount()
    const accept = "text/event-stream"
    const wrong = await client.call("GET", "/v1/turns/turn_x/events", undefined, { accept, "last-event-id": "abc" })
    expect(wrong.status).toBe(422)
    const absent = await client.call("GET", "/v1/turns/turn_x/events", undefined, { accept })
    expect(absent.status).toBe(404)
    expect(absent.headers.get("content-type")).toContain("application/json")
  })
})

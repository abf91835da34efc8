import { afterAll, beforeAll, expect, test } from "vitest"
import { IN_PLACE_POLICY } from "../../src/turns/policies.ts"
import { logOf, readEventStream } from "../harness/event-stream.ts"
import { expectPromises } from "../harness/promises.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Seen {
  id: string
  seq: number
  type: string
  data: { step?: number; text?: string }
}

const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ")
const textOf = (events: readonly Seen[]) =>
  events.map(({ type, data }) => (type === "text.delta" ? data.text : "")).join("")

const stream = (client: TestClient, body: object, key: string = crypto.randomUUID()) =>
  client.call(
    "POST",
    "/v1/turns",
    { end_user_ref: "customer-1", ...body },
    { "idempotency-key": key, accept: "text/event-stream" },
  )

const idOf = (response: Response) => (response.headers.get("location") ?? "").replace("/v1/turns/", "")

const callsOf = async (service: string) => (await world.calls()).filter((call) => call.service === service)

test("A request for events runs its turn, and shows each piece of its text as it comes, without a message", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  await world.plan([])
  const at: number[] = []
  const sending = stream(client, { space, text: `[stream 100 ms]\n[reply ${words}]` })
  const reading = sending.then((response) =>
    readEventStream<Seen>(response, {
      onEvent: ({ type }) => {
        if (type === "text.delta") at.push(world.clock.ms())
        return true
      },
    }),
  )
  const seen = await passTime(world, reading, 10)
  await world.settled()
  expect(textOf(seen)).toBe(words)
  expect([seen[0]?.type, seen.at(-1)?.type]).toEqual(["turn.queued", "turn.done"])
  expect(at.length).toBeGreaterThan(25)
  const gaps = at.slice(1).map((one, nth) => one - (at[nth] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(150)
  expect(await callsOf("qstash")).toEqual([])
  const [bill] = await expectPromises(world, client.userId)
  expect(bill?.state).toBe("done")
  await world.clearFaults()
})

test("A follower of a turn in place sees the same text, and the log is the same for both", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const response = await stream(client, { space, text: `[stream 100 ms]\n[reply ${words}]` })
  const follow = client.call("GET", `/v1/turns/${idOf(response)}/events`, undefined, { accept: "text/event-stream" })
  const [own, follower] = await passTime(
    world,
    Promise.all([readEventStream<Seen>(response), follow.then((answer) => readEventStream<Seen>(answer))]),
    10,
  )
  expect([textOf(own), textOf(follower)]).toEqual([words, words])
  expect(follower.filter(({ type }) => type === "text.delta").length).toBeGreaterThan(10)
})

test("After its client has left, a run is cut at a piece, and a runner continues from its text", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const response = await stream(client, { space, text: `[stream 1500 ms]\n[reply ${words}]` })
  await passTime(world, readEventStream<Seen>(response, { onEvent: ({ type }) => type !== "text.delta" }))
  await passTime(world, world.settled(), IN_PLACE_POLICY.cutMs / 20)
  expect((await client.getTurn(idOf(response))).state).toBe("running")
  expect(await passTime(world, world.drain())).toBe(1)
  const turn = await client.getTurn(idOf(response))
  expect([turn.state, turn.result, turn.usage.model_calls]).toEqual(["done", words, 2])
})

test("A reader continues with another worker's text after its run was handed over", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const text = `[steps 3]\n[stream 700 ms]\n[reply ${words}]`
  const response = await stream(client, { space, text })
  const reading = readEventStream<Seen>(response)
  const seen = await world.untilAnswered(reading)
  const turn = await client.getTurn(idOf(response))
  expect([turn.state, seen.at(-1)?.type]).toEqual(["done", "turn.done"])
  expect(textOf(seen).endsWith(turn.result ?? "none")).toBe(true)
})

test("A turn that cannot start at once is queued, and its request streams it from a runner", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const first = await stream(client, { space, text: `[stream 200 ms]\n[reply ${words}]` })
  const second = await stream(client, { space, text: "[reply Second.]" })
  const both = Promise.all([readEventStream<Seen>(first), readEventStream<Seen>(second)])
  const [one, two] = await world.untilAnswered(both)
  expect([textOf(one), textOf(two)]).toEqual([words, "Second."])
})

test("The same request again streams the same turn, and runs nothing", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const body = { space, text: "[reply Once.]" }
  const first = await stream(client, body, "once")
  const seen = await passTime(world, readEventStream<Seen>(first))
  const again = await stream(client, body, "once")
  expect([idOf(again), again.headers.get("idempotent-replayed")]).toEqual([idOf(first), "true"])
  expect(logOf(await passTime(world, readEventStream<Seen>(again)))).toEqual(logOf(seen))
})

test.each([
  ["of its events", "/v1/turns"],
  ["of its text for OpenAI's clients", "/v1/openai/chat/completions"],
])("A stream %s begins although its first looks find the database too busy", async (_, path) => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  const text = `[stream 100 ms]\n[reply ${words}]`
  const body = path.includes("openai")
    ? { stream: true, model: space, user: "customer-1", messages: [{ role: "user", content: text }] }
    : { space, end_user_ref: "customer-1", text }
  await world.plan([{ service: "pg", match: "read_turn_events", call: 1, times: 3, action: "fail", when: "before" }])
  const headers = { "idempotency-key": crypto.randomUUID(), accept: "text/event-stream" }
  const response = await passTime(world, client.call("POST", path, body, headers))
  expect(response.status).toBe(200)
  const answer = await passTime(world, response.text())
  expect(answer).toContain("word29")
  await world.clearFaults()
  const [bill] = await expectPromises(world, client.userId)
  expect(bill?.state).toBe("done")
})

test("A stream whose turn cannot be read for long ends, and its client continues with the turn's id", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  await world.plan([{ service: "pg", match: "read_turn_events", call: 1, times: 99, action: "fail", when: "before" }])
  const response = await stream(client, { space, text: "[reply Late.]" })
  expect([response.status, idOf(response)]).toEqual([200, expect.stringMatching(/^turn_/)])
  expect(await passTime(world, readEventStream<Seen>(response), 100)).toEqual([])
  await world.clearFaults()
  const again = await client.call("GET", `/v1/turns/${idOf(response)}/events`, undefined, {
    accept: "text/event-stream",
  })
  expect(textOf(await passTime(world, readEventStream<Seen>(again)))).toBe("Late.")
})

test("A stream of /v1/openai whose turn cannot be read says that the turn was accepted, and how to read it", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  await world.plan([{ service: "pg", match: "read_turn_events", call: 1, times: 99, action: "fail", when: "before" }])
  const body = {
    model: space,
    user: "customer-1",
    stream: true,
    messages: [{ role: "user", content: "[reply Late.]" }],
  }
  const response = await client.call("POST", "/v1/openai/chat/completions", body)
  const answer = await passTime(world, response.text(), 100)
  await world.clearFaults()
  const [turn] = await world.sql<{ turn_id: string }>("select turn_id from turns where user_id = $1", [client.userId])
  expect(answer).toContain(`The turn ${turn?.turn_id} was accepted, but cannot be read at this moment.`)
  expect(answer).toContain(`GET /v1/turns/${turn?.turn_id}`)
})

test("A refused turn has the usual error instead of a stream", async () => {
  const client = await world.createAccount({ usd: 0 })
  const response = await stream(client, { space: await client.space(), text: "hello" })
  expect([response.status, response.headers.get("content-type")]).toEqual([402, "application/json"])
})

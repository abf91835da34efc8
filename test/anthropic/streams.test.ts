import type Anthropic from "@anthropic-ai/sdk"
import { createParser } from "eventsource-parser"
import { afterAll, beforeAll, expect, test } from "vitest"
import { failureOf } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let anthropic: Anthropic
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  anthropic = anthropicOf(world, client)
  model = await client.space()
})
afterAll(() => world.close())

const asked = (content: string) => ({ model, max_tokens: 1_000, messages: [{ role: "user" as const, content }] })

interface Event {
  type: string
  turn?: { turn_id: string; state: string; waiting: object | null }
  [field: string]: unknown
}

/** The events of a streamed answer, without pings. */
async function eventsOf(content: string): Promise<Event[]> {
  const response = await client.call("POST", "/v1/anthropic/v1/messages", { ...asked(content), stream: true })
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  return eventsIn(await response.text()).filter(({ type }) => type !== "ping")
}

function eventsIn(text: string): Event[] {
  const events: Event[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const read = JSON.parse(data) as Event
      expect(read.type).toBe(event)
      events.push(read)
    },
  })
  parser.feed(text)
  return events
}

test("Its events have the message, its block of text, the reason to stop and the tokens", async () => {
  const events = await eventsOf("[use input=100 output=20]\n[reply one two]")
  const text = events.flatMap(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "").join("")
  expect(text).toBe("one two")
  expect(events.filter(({ type }) => type !== "content_block_delta")).toMatchObject([
    { type: "message_start", message: { type: "message", model, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 100, output_tokens: 20 },
      turn: { state: "done" },
    },
    { type: "message_stop" },
  ])
})

test("The client's helper gets the same message as a request without a stream", async () => {
  const streamed = await anthropic.messages.stream(asked("Hello")).finalMessage()
  const { id, turn, ...whole } = (await anthropic.messages.create(asked("Hello"))) as Anthropic.Message & {
    turn: object
  }
  expect(streamed).toMatchObject(whole)
  expect([id, turn]).toEqual([expect.stringMatching(/^msg_/), expect.anything()])
})

test("A failed turn ends the stream with an error in Anthropic's form", async () => {
  expect((await eventsOf("[fail OUT_OF_STOCK]")).at(-1)).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", code: "TURN_FAILED", message: expect.stringContaining("OUT_OF_STOCK") },
    request_id: expect.stringMatching(/^req_/),
  })
  const error = await failureOf(anthropic.messages.stream(asked("[fail OUT_OF_STOCK]")).finalMessage())
  expect(error).toMatchObject({ error: { error: { code: "TURN_FAILED" } } })
})

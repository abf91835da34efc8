import { createParser } from "eventsource-parser"
import { expect, test } from "vitest"
import { streamMessage } from "../../src/anthropic/stream-message.ts"
import type { TextPiece } from "../../src/dialects/turn-text.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { ENDED_TURN } from "../harness/ended-turn.ts"

const turn: TurnRow = {
  ...ENDED_TURN,
  tokens_input: 100,
  tokens_cached: 60,
  tokens_cache_written: 30,
  tokens_output: 5,
}

const ended = { kind: "ended" as const, turn }
const say = (text: string) => ({ kind: "delta" as const, text })

interface Event {
  type: string
  index?: number
  content_block?: { type: string }
  delta?: { text?: string; partial_json?: string }
  [field: string]: unknown
}

async function eventsOf(pieces: TextPiece[], failure?: Error): Promise<Event[]> {
  async function* all(): AsyncGenerator<TextPiece> {
    yield* pieces
    if (failure) throw failure
  }
  const events: Event[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data) as Event) })
  for await (const text of streamMessage(all(), { turn, requestId: "req_1", log: () => {} })) parser.feed(text)
  return events
}

/** The blocks of a stream: the type and the text or input of each. */
function blocksIn(events: Event[]): string[][] {
  const blocks: string[][] = []
  for (const { type, index = 0, content_block: block, delta } of events) {
    if (type === "content_block_start") blocks[index] = [block?.type ?? "", ""]
    if (type === "content_block_delta") (blocks[index] as string[])[1] += delta?.text ?? delta?.partial_json ?? ""
  }
  return blocks
}

test("Text before a call of the space's own tool, and void text, are blocks of their own", async () => {
  const events = await eventsOf([
    say("Let me "),
    say("look."),
    { kind: "closed", whole: true },
    say("It is"),
    { kind: "closed", whole: false },
    { kind: "restarted", logged: "" },
    say("It left."),
    ended,
  ])
  expect(blocksIn(events)).toEqual([
    ["text", "Let me look."],
    ["text", "It is"],
    ["text", "It left."],
  ])
  const stops = events.filter(({ type }) => type === "content_block_stop").map(({ index }) => index)
  expect(stops).toEqual([0, 1, 2])
})

test("Calls follow the text, and the end has the tokens by their kind", async () => {
  const calls = [
    { id: "call_1", name: "find", input: { id: "A-1" } },
    { id: "call_2", name: "find", input: {} },
  ]
  const events = await eventsOf([say("I look."), { kind: "ended", turn: { ...turn, calls } as TurnRow }])
  expect(blocksIn(events)).toEqual([
    ["text", "I look."],
    ["tool_use", '{"id":"A-1"}'],
    ["tool_use", "{}"],
  ])
  expect(events.at(-2)).toMatchObject({
    type: "message_delta",
    delta: { stop_reason: "tool_use" },
    usage: { input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 5 },
  })
  expect(events.at(-1)).toEqual({ type: "message_stop" })
})

test("A ping is a sign of life, and tells that the turn waits", async () => {
  const waiting = {
    for: "approval",
    since: "2026-01-15T09:30:00.000Z",
    expires_at: "2026-01-16T09:30:00.000Z",
    limit: null,
    calls: [],
  } as never
  const events = await eventsOf([{ kind: "quiet" }, { kind: "waits", waiting }, { kind: "behind", turn }, ended])
  const pings = events.filter(({ type }) => type === "ping")
  const waits = pings.map(({ turn }) => (turn as { waiting: { for: string } | null } | undefined)?.waiting?.for)
  expect(waits).toEqual([undefined, undefined, "approval", undefined])
})

test("A failure of ours during a stream is an error without details", async () => {
  const events = await eventsOf([say("It")], new Error("secret"))
  expect(events.at(-1)).toMatchObject({
    type: "error",
    error: { type: "api_error", code: "INTERNAL" },
    request_id: "req_1",
  })
  expect(JSON.stringify(events)).not.toContain("secret")
})

import { createParser } from "eventsource-parser"
import { expect, test } from "vitest"
import { type TextPiece, TurnText } from "../../src/dialects/turn-text.ts"
import { streamChatCompletion } from "../../src/openai/stream-chat-completion.ts"
import { streamResponse } from "../../src/openai/stream-response.ts"
import { TextChunks } from "../../src/openai/text-chunks.ts"
import { type ShownEvent, ShownText } from "../../src/turns/shown-text.ts"
import type { TurnEventRow } from "../../src/turns/turn-event.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { ENDED_TURN } from "../harness/ended-turn.ts"
import { createRandom } from "../harness/random.ts"

const turn = ENDED_TURN

const log = () => {}
const event = (type: string, data: object) => ({ type, data }) as TurnEventRow

/** The pieces of a log, up to the end of its turn. */
function piecesOf(events: TurnEventRow[], result: string | null): TextPiece[] {
  const text = new TurnText()
  return [...events.flatMap((one) => [...text.read(one)]), ...text.end(result), { kind: "ended", turn }]
}

async function* streamOf(pieces: TextPiece[]): AsyncGenerator<TextPiece> {
  yield* pieces
}

async function eventsIn(stream: AsyncGenerator<string>): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = []
  const parser = createParser({ onEvent: ({ data }) => data !== "[DONE]" && events.push(JSON.parse(data)) })
  for await (const text of stream) parser.feed(text)
  return events
}

const delta = (step: number, text: string) => event("text.delta", { step, text })
const started = (step: number) => event("step.started", { step })
const ended = (step: number, finish: string) => event("step.ended", { step, finish })

const LOGS: Record<
  string,
  { events: TurnEventRow[]; messages: [text: string, status: string, phase: string][]; chat: string }
> = {
  "Text before a tool call is a message of its own": {
    events: [
      started(1),
      delta(1, "Let me look."),
      ended(1, "tool_calls"),
      started(2),
      delta(2, "It "),
      delta(2, "left."),
    ],
    messages: [
      ["Let me look.", "completed", "commentary"],
      ["It left.", "completed", "final_answer"],
    ],
    chat: "Let me look.\n\nIt left.",
  },
  "The text of a lost worker is an incomplete message, and the next worker's is whole": {
    events: [started(1), delta(1, "It is"), started(1), delta(1, "It left.")],
    messages: [
      ["It is", "incomplete", "commentary"],
      ["It left.", "completed", "final_answer"],
    ],
    chat: "It is\n\nIt left.",
  },
  "The text of a call that was cut off continues in the next step": {
    events: [started(1), delta(1, "It "), ended(1, "aborted"), started(2), delta(2, "left.")],
    messages: [["It left.", "completed", "final_answer"]],
    chat: "It left.",
  },
  "Text that is missing in the log is sent at the end": {
    events: [started(1), delta(1, "It ")],
    messages: [["It left.", "completed", "final_answer"]],
    chat: "It left.",
  },
  "The text of a sub-agent is not part of the reply": {
    events: [
      event("step.started", { step: 2, agent: "researcher" }),
      event("text.delta", { step: 2, agent: "researcher", text: "Hm" }),
    ],
    messages: [["It left.", "completed", "final_answer"]],
    chat: "It left.",
  },
}

test.each(Object.entries(LOGS))(
  "A log is streamed as its readers expect: %s",
  async (_name, { events, messages, chat }) => {
    const pieces = piecesOf(events, "It left.")
    const streamed = await eventsIn(streamResponse(streamOf(pieces), { turn, asked: null, after: -1, log }))
    const items = streamed.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []))
    const shown = (items as { content: { text: string }[]; status: string; phase: string }[]).map(
      ({ content, status, phase }) => [content[0]?.text, status, phase],
    )
    expect(shown).toEqual(messages)
    const { response } = streamed.at(-1) as { response: { output: unknown } }
    expect(response.output).toEqual(items)

    const chunks = await eventsIn(streamChatCompletion(streamOf(pieces), { turn, includesUsage: false, log }))
    const deltas = chunks.map(({ choices }) => (choices as { delta: { content?: string } }[])[0]?.delta.content ?? "")
    expect(deltas.join("")).toBe(chat)
  },
)

test("A failure during a stream is an event with its code, and a failure of ours shows no details", async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first piece
  async function* broken(): AsyncGenerator<TextPiece> {
    throw new Error("secret")
  }
  const responses = await eventsIn(streamResponse(broken(), { turn, asked: null, after: -1, log }))
  expect(responses.at(-1)).toMatchObject({
    type: "error",
    code: "INTERNAL",
    sequence_number: 2,
    error: { code: "INTERNAL", type: "server_error" },
  })
  const chunks = await eventsIn(streamChatCompletion(broken(), { turn, includesUsage: false, log }))
  expect(chunks.at(-1)).toMatchObject({ error: { code: "INTERNAL", type: "server_error" } })
  expect(JSON.stringify([responses, chunks])).not.toContain("secret")
})

/** The events of a log as one reader gets them: `ahead` characters of each call come before the log has them. */
function shownTo(rows: TurnEventRow[], ahead: (call: number) => number): ShownEvent[] {
  const shown = new ShownText("turn_1", { seq: 0 })
  let calls = 0
  return rows.flatMap((row, at) => {
    const events = shown.read({ ...row, seq: at + 1 })
    if (row.type !== "step.started") return events
    const text = TEXT.slice(0, ahead(calls++))
    const cut = Math.floor(text.length / 2)
    const piece = { of: row.event_id, step: 1, time: 0 }
    return [
      ...events,
      ...shown.take({ ...piece, id: "piece_1", at: 0, text: text.slice(0, cut) }),
      ...shown.take({ ...piece, id: "piece_2", at: cut, text: text.slice(cut) }),
    ]
  })
}

const TEXT = Array.from({ length: 30 }, (_, at) => `w${at}${"ord".slice(0, at % 4)} `).join("")

test("A reader who comes back after any event sees the rest of the text once, though it was pushed in other pieces", async () => {
  const random = createRandom("numbered responses")
  for (let sequence = 0; sequence < 300; sequence++) {
    const calls = 1 + random.int(3)
    const rows: TurnEventRow[] = []
    for (let call = 0; call < calls; call++) {
      const row = (type: string, data: object) =>
        rows.push({ event_id: `evt_${call}`, type, data, turn_id: "turn_1", created_at: "" } as unknown as TurnEventRow)
      row("step.started", { step: 1 })
      // The log of a lost call has less of its text than its readers have seen, perhaps none.
      const most = call === calls - 1 ? TEXT.length : random.int(TEXT.length)
      for (let at = 0; at < most && random.int(4) > 0; ) {
        const text = TEXT.slice(at, at + 1 + random.int(most - at))
        row("text.delta", { step: 1, text, part: { of: `evt_${call}`, at } })
        at += text.length
      }
    }
    const done = { ...turn, result: TEXT } as TurnRow
    const read = (ahead: (call: number) => number, after: number) => {
      const text = new TurnText()
      const pieces = shownTo(rows, ahead).flatMap((one) => [...text.read(one)])
      const all: TextPiece[] = [...pieces, ...text.end(TEXT), { kind: "ended", turn: done }]
      return eventsIn(streamResponse(streamOf(all), { turn: done, asked: null, after, log }))
    }
    const first = await read(() => random.int(TEXT.length), -1)
    const numbers = first.map(({ sequence_number }) => Number(sequence_number))
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers)
    const seen = first.slice(0, 1 + random.int(first.length))
    const rest = await read(() => random.int(TEXT.length), Number(seen.at(-1)?.sequence_number))
    let eye = ""
    for (const { type, delta } of [...seen, ...rest]) {
      if (type === "response.output_item.added") eye = ""
      if (type === "response.output_text.delta") eye += delta
    }
    expect(eye, `sequence ${sequence}`).toBe(TEXT)
    const ends = [...seen, ...rest].filter(({ type }) => type === "response.completed")
    expect(ends).toHaveLength(1)
  }
})

test("A text has the same chunks in whatever pieces it arrives, and no character is cut in two", () => {
  const random = createRandom("chunks")
  const text = "Smile 😀😀😀😀😀😀😀😀😀😀 with 漢字漢字漢字漢字漢字漢字漢字漢字漢字, a b c d."
  const whole = new TextChunks()
  const chunks = [...whole.add(text), ...whole.end()]
  expect(chunks.join("")).toBe(text)
  for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true)
  for (let run = 0; run < 100; run++) {
    const cut = new TextChunks()
    const found: string[] = []
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random.int(9)
      found.push(...cut.add(text.slice(at, end)))
      at = end
    }
    expect([...found, ...cut.end()]).toEqual(chunks)
  }
})

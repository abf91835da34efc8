import { expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { hurried } from "./faults.ts"

const message = (id: string, type: string, text = "") => {
  const [seq = ""] = id.split(".")
  const event = { id: `evt_${id}`, seq: Number(seq), type, data: { step: 0, text }, created_at: "2026-01-15T09:30:00Z" }
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** A stream that breaks after these messages, or ends. */
const streamOf = (messages: string[], { breaks }: { breaks: boolean }) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(messages.join(""))),
      pull: (controller) => (breaks ? controller.error(new Error("broken")) : controller.close()),
    }),
    { headers: { "content-type": "text/event-stream" } },
  )

test("Pieces of text with the same number come once each, and a broken stream continues after the last of them", async () => {
  const asked: (string | undefined)[] = []
  const streams = [
    streamOf([message("1", "turn.running"), message("2", "step.started"), message("2.4", "text.delta", "Hell")], {
      breaks: true,
    }),
    streamOf(
      [
        message("2.4", "text.delta", "Hell"),
        message("2.9", "text.delta", "o you"),
        message("3", "text.delta", ""),
        message("4", "turn.done"),
      ],
      { breaks: false },
    ),
  ]
  const turnpike = new Turnpike({
    apiKey: "turnpike_test_x",
    baseUrl: "https://api.test",
    runtime: hurried,
    async fetch(_url, init) {
      asked.push((init.headers as Record<string, string>)["last-event-id"])
      return streams.shift() as Response
    },
  })
  const seen: [number, unknown][] = []
  for await (const { seq, data } of turnpike.turns.events("turn_1")) seen.push([seq, data.text])
  expect(seen).toEqual([
    [1, ""],
    [2, ""],
    [2, "Hell"],
    [2, "o you"],
    [3, ""],
    [4, ""],
  ])
  expect(asked).toEqual([undefined, "2.4"])
})

import { createParser } from "eventsource-parser"
import fc from "fast-check"
import { expect, test } from "vitest"
import { readEventStream, type StreamMessage } from "../../client/src/event-stream.ts"

async function read(text: string, cuts: number[]) {
  const bytes = new TextEncoder().encode(text)
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const chunks = (async function* () {
    for (const [index, cut] of [0, ...at].entries()) yield bytes.slice(cut, [...at, bytes.length][index])
  })()
  const messages: StreamMessage[] = []
  for await (const message of readEventStream(chunks)) messages.push(message)
  return messages
}

function readByPackage(text: string) {
  const messages: { event: string; data: string; id: string | undefined }[] = []
  const parser = createParser({
    onEvent: ({ event, data, id }) => messages.push({ event: event ?? "message", data, id }),
  })
  parser.feed(text)
  return messages
}

const field = fc.constantFrom("data", "event", "id", "retry", "", "other", "data ")
const value = fc.constantFrom("", "a", " b", "ü €", "{}", "12", ":", "x: y")
const line = fc.oneof(
  fc.tuple(field, fc.constantFrom(":", ": "), value).map((parts) => parts.join("")),
  fc.constantFrom("", "", "data", "event"),
)

test("A stream split at any point, with any line ends, is parsed as the public parser parses it whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.constantFrom("\n", "\r\n"),
      fc.array(fc.nat(500), { maxLength: 20 }),
      async (lines, end, cuts) => {
        const text = `${lines.join(end)}${end}${end}`
        const expected = readByPackage(text)
        const found = await read(text, cuts)
        expect(found.map(({ event, data }) => ({ event, data }))).toEqual(
          expected.map(({ event, data }) => ({ event, data })),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test("A lone CR ends a line, a byte order mark is not text, and a cut event is dropped", async () => {
  expect(await read("\uFEFFid: 1\rdata: a\rdata: b\r\rdata: never", [])).toEqual([
    { event: "message", data: "a\nb", id: "1" },
  ])
})

import { createParser } from "eventsource-parser"
import { expect } from "vitest"

interface Numbered {
  seq: number
  type: string
}

/** Reads server-sent events until the stream ends, or `onEvent` returns false. Each must have its `seq` as its id. */
export async function readEventStream<Event extends Numbered>(
  response: Response,
  { onEvent = () => true, onComment = () => {} }: { onEvent?: (event: Event) => boolean; onComment?: () => void } = {},
): Promise<Event[]> {
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  const seen: Event[] = []
  let enough = false
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (enough) return
      const parsed = JSON.parse(data) as Event
      expect([id, event]).toEqual([String(parsed.seq), parsed.type])
      seen.push(parsed)
      enough = !onEvent(parsed)
    },
    onComment,
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return seen
    parser.feed(decoder.decode(value, { stream: true }))
    if (enough) {
      await reader.cancel()
      return seen
    }
  }
}

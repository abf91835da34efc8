import { createParser } from "eventsource-parser"
import { expect } from "vitest"

interface Numbered {
  seq: number
  type: string
}

interface Delta extends Numbered {
  id?: unknown
  data: { text?: string }
}

/**
 * The events of the log in a stream, or in a page of the log: pieces that were pushed are left out. Text that follows
 * each other is in its first event, because a stream shows it earlier than the log.
 */
export function logOf<Event extends Delta>(events: readonly Event[]): Event[] {
  const log: Event[] = []
  let first: Event | null = null
  let pushed = ""
  for (const event of events) {
    const text = event.type === "text.delta" ? (event.data.text ?? "") : ""
    // A piece has the number of the last event before it.
    if (event.seq === log.at(-1)?.seq) {
      pushed += text
      continue
    }
    const copy = { ...event, data: { ...event.data, ...(event.type === "text.delta" && { text: "" }) } }
    log.push(copy)
    if (event.type !== "text.delta") first = null
    else first ??= copy
    if (first) first.data.text += pushed + text
    pushed = first ? "" : pushed
  }
  return log
}

/**
 * Reads server-sent events until the stream ends, or `onEvent` returns false. The id of each is its `seq`, perhaps with
 * how much text was shown since.
 */
export async function readEventStream<Event extends Numbered>(
  response: Response,
  {
    onEvent = () => true,
    onComment = () => {},
  }: { onEvent?: (event: Event, id: string) => boolean; onComment?: () => void } = {},
): Promise<Event[]> {
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  const seen: Event[] = []
  let enough = false
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (enough) return
      const parsed = JSON.parse(data) as Event
      expect([id?.replace(/[.~].*$/, ""), event]).toEqual([String(parsed.seq), parsed.type])
      seen.push(parsed)
      enough = !onEvent(parsed, id ?? "")
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

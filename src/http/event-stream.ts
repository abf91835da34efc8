import { plainJson } from "../base/plain-json.ts"
import type { Clock } from "../platform/clock.ts"
import type { Log } from "../platform/log.ts"
import { describeError } from "../platform/log.ts"
import { untilTaken } from "./body-time.ts"

/** `id`: what a client sends back in Last-Event-ID to get the events after this one. */
interface StreamEvent {
  id: string
  event: { type: string }
}

const RETRY_MS = 1000

/**
 * Server-sent events (WHATWG HTML, section 9.2). An empty batch becomes a comment, which keeps the connection open. A
 * failure, or a client that reads nothing for half a minute, ends the stream; the client can reconnect and continue.
 */
export function eventStream(
  batches: AsyncGenerator<StreamEvent[]>,
  { log, clock, onCancel }: { log: Log; clock: Clock; onCancel: () => void },
): Response {
  const encoder = new TextEncoder()
  let opened = false
  let left = false
  let stalled = () => {}
  const reader = untilTaken(clock, () => stalled())
  const leave = () => {
    left = true
    reader.taken()
    onCancel()
    // Not awaited: it resolves only after the pending read.
    void batches.return(undefined)
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stalled = () => {
        leave()
        controller.close()
      }
    },
    async pull(controller) {
      reader.taken()
      if (!opened) {
        opened = true
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`))
        return reader.sent()
      }
      try {
        const { value, done } = await batches.next()
        if (left) return
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value.length > 0 ? value.map(format).join("") : ": still here\n\n"))
        reader.sent()
      } catch (error) {
        log("error", "stream.broken", { error: describeError(error) })
        controller.close()
      }
    },
    cancel: leave,
  })
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  })
}

function format({ id, event }: StreamEvent): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${plainJson(event)}\n\n`
}

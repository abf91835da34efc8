import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"
import { untilTaken } from "./body-time.ts"

/** Aborts when the client leaves: its request is aborted, or it cancels the body of the answer (`onCancel`). */
export function untilClientLeaves(request: AbortSignal): { signal: AbortSignal; onCancel: () => void } {
  const left = new AbortController()
  const signal = AbortSignal.any([request, left.signal])
  return { signal, onCancel: () => left.abort(new Error("the client has disconnected")) }
}

/**
 * Sends text while it is made. A failure breaks the connection, so that no client mistakes a part
 * for the whole. A client that reads nothing for half a minute is disconnected too. `onCancel` is called if the client
 * has left, so that a piece is not waited for.
 */
export function textStream(
  pieces: AsyncGenerator<string>,
  { log, clock }: Pick<Context, "log" | "clock">,
  headers: Record<string, string>,
  onCancel = () => {},
): Response {
  const encoder = new TextEncoder()
  let stalled = () => {}
  const reader = untilTaken(clock, () => stalled())
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stalled = () => {
        log("info", "stream.stalled")
        onCancel()
        controller.error(new Error("the reader has stalled"))
        void pieces.return(undefined)
      }
    },
    async pull(controller) {
      reader.taken()
      try {
        const { value, done } = await pieces.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
        reader.sent()
      } catch (error) {
        log("error", "stream.broken", { error: describeError(error) })
        controller.error(error)
      }
    },
    cancel() {
      reader.taken()
      onCancel()
      void pieces.return(undefined)
    },
  })
  return new Response(body, { headers: { "x-content-type-options": "nosniff", ...headers } })
}

import type { Log } from "../platform/log.ts"
import { describeError } from "../platform/log.ts"

/** A text that is made while it is sent. A failure breaks the connection, so nobody takes a part for the whole. */
export function textStream(pieces: AsyncGenerator<string>, log: Log, headers: Record<string, string>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      } catch (error) {
        log("error", "stream.broken", { error: describeError(error) })
        controller.error(error)
      }
    },
    cancel() {
      void pieces.return(undefined)
    },
  })
  return new Response(body, { headers: { "x-content-type-options": "nosniff", ...headers } })
}

import { call, type OperationId } from "../api/call.ts"
import type { Turn, TurnEvent } from "../api/operations.ts"

/** A stream of a turn that no part of the page has taken after this time is closed, in milliseconds. */
const KEPT_MS = 15_000

/** The operations to read again after a turn was sent. */
export const SENT_READS: OperationId[] = ["listChatTurns", "listTurns", "getTurnStats"]

type Stream = ReadableStreamDefaultReader<Uint8Array>

/** The streams of turns that this page has just sent, by turn. */
const streams = new Map<string, Stream>()

/**
 * Takes the answer to a new turn of the playground, which streams its events: the request itself runs the turn. The
 * stream is kept for the part of the page that shows the turn. Returns the turn.
 */
export async function keepSentTurn(response: Response, query: { test?: "true" | undefined }): Promise<Turn> {
  const turnId = response.headers.get("location")?.split("/").at(-1) ?? ""
  const stream = response.body?.getReader()
  if (stream) {
    streams.set(turnId, stream)
    setTimeout(() => void takeStream(turnId)?.cancel(), KEPT_MS)
  }
  return call("getChatTurn", { path: { turn_id: turnId }, query })
}

function takeStream(turnId: string): Stream | undefined {
  const stream = streams.get(turnId)
  streams.delete(turnId)
  return stream
}

/**
 * Hears the events of a turn that this page has sent. Returns how to stop, or undefined if there is no stream of it.
 * `onEnd`: the stream is over, perhaps before the turn.
 */
export function hearSentTurn(
  turnId: string,
  { hear, onEnd }: { hear: (event: TurnEvent) => void; onEnd: () => void },
): (() => void) | undefined {
  const stream = takeStream(turnId)
  if (!stream) return undefined
  let isStopped = false
  const read = async () => {
    const decoder = new TextDecoder()
    let rest = ""
    for (;;) {
      const { value, done } = await stream.read().catch(() => ({ value: undefined, done: true }))
      if (isStopped) return
      if (done) return onEnd()
      const messages = (rest + decoder.decode(value, { stream: true })).split("\n\n")
      rest = messages.pop() ?? ""
      for (const message of messages) {
        const data = message.split("\n").find((line) => line.startsWith("data: "))
        if (data) hear(JSON.parse(data.slice("data: ".length)) as TurnEvent)
      }
    }
  }
  void read()
  return () => {
    isStopped = true
    void stream.cancel()
  }
}

import { parseExact } from "../base/exact-json.ts"
import { type Fields, isFields } from "../base/fields.ts"
import type { REAL_ENGINES } from "../base/words.ts"
import { ChatFrames } from "./chat-frames.ts"
import type { Evidence } from "./evidence.ts"
import { MessageFrames } from "./message-frames.ts"
import { errorFrame, errorIn } from "./plain-frames.ts"
import { ResponseFrames } from "./response-frames.ts"
import { type StreamEvent, StreamEvents } from "./stream-events.ts"

type Engine = (typeof REAL_ENGINES)[number]

/** Converts the frames of one protocol to frames that the SDK accepts, and notes what else they say. */
export interface Frames {
  take(frame: Fields): Fields[]
}

const FRAMES: Record<Engine, new (evidence: Evidence) => Frames> = {
  anthropic: MessageFrames,
  openai: ResponseFrames,
  "openai-compatible": ChatFrames,
}

/**
 * Passes on the frames of a stream that are part of the engine's protocol, in the form that the SDK accepts. Frames of
 * no known kind are dropped; errors stay. `onCounts`: called when a frame has counted more tokens.
 */
export function knownFrames(
  response: Response,
  { engine, evidence, onCounts }: { engine: Engine; evidence: Evidence; onCounts: () => void },
): Response {
  if (!response.ok || !response.body) return response
  const encoder = new TextEncoder()
  const events = new StreamEvents()
  const frames = new FRAMES[engine](evidence)
  const known = (event: StreamEvent): Fields[] => {
    if (event.data.trim() === "[DONE]") evidence.isDone = true
    const frame = parsed(event.data)
    if (frame) {
      evidence.nameBy(frame)
      evidence.terms.take(frame)
    }
    if (frame && evidence.tokens.take(frame)) onCounts()
    const error = frame
      ? errorIn(frame, event.name)
      : event.name === "error"
        ? errorFrame({ message: event.data })
        : null
    evidence.hasFailed ||= error !== null
    return error ? [error] : frame ? frames.take(frame) : []
  }
  const lines = (found: StreamEvent[]) => found.flatMap(known).map(lineOf).join("")
  // Pulled, since a TransformStream costs a further turn of the event loop per piece.
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        const found = done ? events.end() : events.take(value)
        const text = lines(found)
        // A body that is one JSON text, and no piece of a stream, is whole if it can be parsed.
        evidence.isDone ||=
          done && events.isOneText && text !== "" && !/"chat\.completion\.chunk"/.test(found[0]?.data ?? "")
        if (text !== "") controller.enqueue(encoder.encode(text))
        if (done) return controller.close()
        if (text !== "") return
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const headers = new Headers(response.headers)
  headers.set("content-type", "text/event-stream")
  headers.delete("content-length")
  return new Response(body, { status: response.status, headers })
}

const lineOf = (frame: Fields) => `data: ${JSON.stringify(frame)}\n\n`

/** Matches frames that may contain a call, whose numbers keep all their digits. */
const MAYBE_CALL = /"(?:tool_calls|function_call|arguments|input|call_id)"/

function parsed(data: string): Fields | null {
  try {
    const value: unknown = MAYBE_CALL.test(data) ? parseExact(data) : JSON.parse(data)
    // Gemini sends an error as a list.
    const frame: unknown = Array.isArray(value) ? value[0] : value
    return isFields(frame) ? frame : null
  } catch {
    return null
  }
}

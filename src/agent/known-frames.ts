import { type Fields, isFields } from "../base/fields.ts"
import type { REAL_ENGINES } from "../base/words.ts"
import { errorFrame, isEndOfResponse, plainChunk, plainMessageEvent, plainResponseEvent } from "./plain-frames.ts"
import { plainLine } from "./sdk-calls.ts"

/**
 * The events and parts of Anthropic's Messages stream that the SDK supports.
 * It reports all others as errors.
 */
const ANTHROPIC = {
  events: [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
  ],
  blocks: ["text", "thinking", "redacted_thinking", "tool_use"],
  deltas: ["text_delta", "thinking_delta", "signature_delta", "input_json_delta"],
}

type Engine = (typeof REAL_ENGINES)[number]

/**
 * Removes frames from a stream that are not part of the engine's protocol. Errors stay. `onDone`:
 * called at the end of the answer (`[DONE]`, or its last event).
 */
export function knownFrames(response: Response, { engine, onDone }: { engine: Engine; onDone: () => void }): Response {
  if (!response.ok || !response.body) return response
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ""
  // Each further stream, such as a TextDecoderStream, would cost a turn of the event loop per piece.
  const lines = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      // The last line may continue in the next piece. A CR may be the first half of a CRLF.
      const parts = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?=[^\n])/)
      rest = parts.pop() ?? ""
      const known = parts.flatMap((line) => knownLine(line, engine, onDone))
      if (known.length > 0) controller.enqueue(encoder.encode(`${known.join("\n")}\n`))
    },
    flush(controller) {
      // A last frame without its empty line still counts if its JSON is complete.
      const last = (rest + decoder.decode()).replace(/\r$/, "")
      for (const line of knownLine(last, engine, onDone)) controller.enqueue(encoder.encode(`${line}\n\n`))
    },
  })
  return new Response(response.body.pipeThrough(lines), response)
}

function knownLine(line: string, engine: Engine, onDone: () => void): string[] {
  if (!line.startsWith("data:")) return [line]
  const data = line.slice("data:".length).trim()
  if (data === "[DONE]") {
    onDone()
    return [line]
  }
  const frame = parsed(data)
  const known = frame && (errorFrame(frame) ?? KNOWN[engine](frame))
  if (!known) return []
  if (known.type === "message_stop" || isEndOfResponse(known)) onDone()
  // An unchanged frame is passed on as it was sent, with all digits of its numbers.
  return [plainLine(known === frame ? line : `data: ${JSON.stringify(known)}`)]
}

/** Converts a frame to the form that the SDK accepts; null if the engine has no such frame. */
const KNOWN: Record<Engine, (frame: Fields) => Fields | null> = {
  anthropic: messageEvent,
  openai: (frame) => (typeof frame.type === "string" ? plainResponseEvent(frame) : null),
  "openai-compatible": plainChunk,
}

function parsed(data: string): Fields | null {
  try {
    const value: unknown = JSON.parse(data)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

function messageEvent(frame: Fields): Fields | null {
  const { type, content_block: block, delta } = frame
  if (!ANTHROPIC.events.includes(String(type))) return null
  if (type === "content_block_start") return isFields(block) && isOneOf(ANTHROPIC.blocks, block) ? frame : null
  if (type === "content_block_delta") return isFields(delta) && isOneOf(ANTHROPIC.deltas, delta) ? frame : null
  return plainMessageEvent(frame)
}

const isOneOf = (types: string[], { type }: Fields) => types.includes(String(type))

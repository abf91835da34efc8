/** The events and parts of Anthropic's Messages stream that the SDK reads. It reports all others as errors. */
const ANTHROPIC = {
  events: [
    ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop", "error"],
  ],
  blocks: ["text", "thinking", "redacted_thinking", "tool_use"],
  deltas: ["text_delta", "thinking_delta", "signature_delta", "input_json_delta"],
}

type Frame = Record<string, unknown>
type Engine = "anthropic" | "openai" | "openai-compatible"

/**
 * The same stream of events without frames that are no part of the engine's protocol. Real errors stay. `onDone`: the stream has said that
 * it is done (`[DONE]`).
 */
export function knownFrames(response: Response, { engine, onDone }: { engine: Engine; onDone: () => void }): Response {
  const isStream = response.headers.get("content-type")?.includes("text/event-stream")
  if (!response.ok || !response.body || !isStream) return response
  let rest = ""
  const lines = new TransformStream<string, string>({
    transform(piece, controller) {
      // The last line may go on in the next piece; a CR may be the first half of a CRLF.
      const parts = (rest + piece).split(/\r\n|\n|\r(?=[^\n])/)
      rest = parts.pop() ?? ""
      const known = parts.flatMap((line) => knownLine(line, engine, onDone))
      if (known.length > 0) controller.enqueue(`${known.join("\n")}\n`)
    },
    flush(controller) {
      // A frame without its empty line still counts, if its JSON is whole.
      for (const line of knownLine(rest.replace(/\r$/, ""), engine, onDone)) controller.enqueue(`${line}\n\n`)
    },
  })
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream())
  return new Response(body, { status: response.status, headers: response.headers })
}

function knownLine(line: string, engine: Engine, onDone: () => void): string[] {
  if (!line.startsWith("data:")) return [line]
  const data = line.slice("data:".length).trim()
  if (data === "[DONE]") {
    onDone()
    return [line]
  }
  const frame = parsed(data)
  if (!frame) return []
  const known = isObject(frame.error) ? frame : KNOWN[engine](frame)
  // What is not changed stays as it was sent, with all digits of its numbers.
  return known === frame ? [line] : known ? [`data: ${JSON.stringify(known)}`] : []
}

/** A frame as the SDK takes it; null when it is none of the engine's. */
const KNOWN: Record<Engine, (frame: Frame) => Frame | null> = {
  anthropic: messageEvent,
  openai: (frame) => (typeof frame.type === "string" ? frame : null),
  "openai-compatible": chatChunk,
}

function parsed(data: string): Frame | null {
  try {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Frame =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function messageEvent(frame: Frame): Frame | null {
  const { type, content_block: block, delta } = frame
  if (!ANTHROPIC.events.includes(String(type))) return null
  if (type === "content_block_start") return isObject(block) && isOneOf(ANTHROPIC.blocks, block) ? frame : null
  if (type === "content_block_delta") return isObject(delta) && isOneOf(ANTHROPIC.deltas, delta) ? frame : null
  return frame
}

const isOneOf = (types: string[], { type }: Frame) => types.includes(String(type))

/** A chunk of a chat completion. Some servers send usage without `choices`, or `error: null` in every chunk. */
function chatChunk(frame: Frame): Frame | null {
  const { error, ...rest } = frame
  if (error !== undefined && error !== null) return frame
  const known = Array.isArray(frame.choices) ? rest : isObject(frame.usage) ? { ...rest, choices: [] } : null
  return known && error === undefined && Array.isArray(frame.choices) ? frame : known
}

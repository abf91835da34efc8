import type { Fields } from "../base/fields.ts"
import type { Evidence } from "./evidence.ts"
import { isCutFor } from "./finish.ts"
import { fieldsIn, isString, listIn, numberIn } from "./plain-frames.ts"

/** The blocks and deltas of Anthropic's Messages stream that we read. The SDK reports all others as errors. */
const BLOCKS = ["text", "thinking", "redacted_thinking", "tool_use"]
const DELTAS: Record<string, string> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0 }

/** Frames of Anthropic's Messages API. */
export class MessageFrames {
  private readonly evidence: Evidence
  /** The ids of calls that have begun and were not closed, by their index. */
  private readonly open = new Map<number, string>()
  private calls = 0

  constructor(evidence: Evidence) {
    this.evidence = evidence
  }

  take(frame: Fields): Fields[] {
    const { type, message, delta } = frame
    const index = numberIn(frame.index) ?? 0
    switch (type) {
      case "message":
        return this.whole(frame)
      case "message_start":
        return this.start(fieldsIn(message))
      case "content_block_start":
        return this.begin(index, fieldsIn(frame.content_block))
      case "content_block_delta":
        return this.delta(index, fieldsIn(delta))
      case "content_block_stop":
        this.close(index)
        return [{ type, index }]
      case "message_delta":
        return this.end(fieldsIn(delta))
      case "message_stop":
        this.evidence.isDone = true
        return [{ type }]
      default:
        return []
    }
  }

  private start({ id, model, content, stop_reason }: Fields): Fields[] {
    this.evidence.endsFor(stop_reason)
    const message = { type: "message", id, model, role: "assistant", content: [], usage: NO_USAGE }
    const plain = { ...message, id: isString(id) ? id : "m", model: isString(model) ? model : "m" }
    return [{ type: "message_start", message: plain }, ...this.blocks(content)]
  }

  /** A message that was not streamed. */
  private whole({ content, stop_reason, ...message }: Fields): Fields[] {
    const blocks = this.blocks(content)
    return [...this.start(message), ...blocks, ...this.end({ stop_reason }), ...this.take({ type: "message_stop" })]
  }

  private blocks(content: unknown): Fields[] {
    return listIn(content).flatMap((block, index) => [
      ...this.begin(index, block),
      ...this.take({ type: "content_block_stop", index }),
    ])
  }

  private begin(index: number, block: Fields): Fields[] {
    const { type, text, thinking, signature, id } = block
    if (!isString(type) || !BLOCKS.includes(type)) {
      // A tool of the provider's own, which it has called itself.
      this.evidence.hasOwnCalls ||= isString(type) && type.endsWith("tool_use")
      return []
    }
    const begun = (content_block: Fields) => ({ type: "content_block_start", index, content_block })
    // Some servers send the text of a block with its beginning.
    if (type === "text") return [begun({ type, text: "" }), ...this.delta(index, { type: "text_delta", text })]
    if (type === "thinking") {
      return [
        begun({ type, thinking: "" }),
        ...this.delta(index, { type: "thinking_delta", thinking }),
        ...this.delta(index, { type: "signature_delta", signature }),
      ]
    }
    if (type === "redacted_thinking") return [begun(block)]
    const callId = isString(id) && id !== "" ? id : `call_${this.calls++}`
    this.open.set(index, callId)
    this.evidence.hasOpenCall = true
    this.evidence.unwritten.add(callId)
    const input = fieldsIn(block.input)
    const partial_json = Object.keys(input).length > 0 ? JSON.stringify(input) : ""
    const start = begun({ type, id: callId, name: block.name, input: {} })
    return [start, ...this.delta(index, { type: "input_json_delta", partial_json })]
  }

  private delta(index: number, delta: Fields): Fields[] {
    const { type } = delta
    const member = isString(type) ? DELTAS[type] : undefined
    const piece = member === undefined ? undefined : delta[member]
    if (!isString(piece) || piece === "" || member === undefined) return []
    if (type === "input_json_delta") this.evidence.unwritten.delete(this.open.get(index) ?? "")
    return [{ type: "content_block_delta", index, delta: { type, [member]: piece } }]
  }

  private end({ stop_reason }: Fields): Fields[] {
    this.evidence.endsFor(stop_reason)
    // The limit may cut an answer within a call. The model is told so.
    const isCut = this.evidence.reasons.some(isCutFor)
    const stops = isCut
      ? [...this.open.keys()].flatMap((index) => this.take({ type: "content_block_stop", index }))
      : []
    return [...stops, { type: "message_delta", delta: { stop_reason }, usage: NO_USAGE }]
  }

  private close(index: number): void {
    this.open.delete(index)
    this.evidence.hasOpenCall = this.open.size > 0
  }
}

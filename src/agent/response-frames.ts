import { type Fields, isFields } from "../base/fields.ts"
import type { Evidence } from "./evidence.ts"
import { fieldsIn, isString, jsonIn, listIn } from "./plain-frames.ts"

interface Item {
  /** The text or the arguments so far. */
  said: string
  isDone: boolean
}

/** Items with which a response says something; all others are tools that the provider has called itself. */
const SAYING = ["message", "function_call", "reasoning"]

/** Frames of OpenAI's Responses API. A text counts wherever it comes first: in deltas, its item or the response. */
export class ResponseFrames {
  private readonly evidence: Evidence
  private readonly items = new Map<unknown, Item>()

  constructor(evidence: Evidence) {
    this.evidence = evidence
  }

  take(frame: Fields): Fields[] {
    const { type, response, item, object } = frame
    if (object === "response") return this.whole(frame)
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.evidence.isRefusal ||= type === "response.refusal.delta"
        this.itemOf(frame).said += isString(frame.delta) ? frame.delta : ""
        return [frame]
      case "response.output_text.done":
        return [...this.rest(frame, frame.text), frame]
      case "response.function_call_arguments.delta":
        this.itemOf(frame).said += jsonIn(frame.delta)
        return [{ ...frame, delta: jsonIn(frame.delta) }]
      case "response.function_call_arguments.done":
        this.itemOf(frame).said = jsonIn(frame.arguments) || this.itemOf(frame).said
        return [{ ...frame, arguments: jsonIn(frame.arguments) }]
      case "response.output_item.added":
        this.itemOf(frame)
        return [{ ...frame, item: this.plain(fieldsIn(item), frame) }]
      case "response.output_item.done":
        return this.done(frame, fieldsIn(item))
      case "response.completed":
      case "response.incomplete":
        return this.end(frame, fieldsIn(response))
      default:
        return isString(type) ? [frame] : []
    }
  }

  /** A response that was not streamed. */
  private whole(response: Fields): Fields[] {
    const created = { type: "response.created", response: { id: "r", created_at: 0, model: "m", ...response } }
    const isWhole = response.status === undefined || response.status === "completed"
    const type = isWhole ? "response.completed" : "response.incomplete"
    return [created, ...this.take({ type, response })]
  }

  private done(frame: Fields, item: Fields): Fields[] {
    const known = this.itemOf(frame)
    const text = listIn(item.content).map(({ text, refusal }) =>
      isString(text) ? text : isString(refusal) ? refusal : "",
    )
    this.evidence.isRefusal ||= listIn(item.content).some(({ type }) => type === "refusal")
    this.evidence.hasOwnCalls ||= isString(item.type) && !SAYING.includes(item.type)
    const rest = item.type === "message" ? this.rest(frame, text.join("")) : []
    known.isDone = true
    return [...rest, { ...frame, item: this.plain(item, frame) }]
  }

  private end(frame: Fields, response: Fields): Fields[] {
    const { output, incomplete_details: why, status, usage: _usage, ...rest } = response
    const reason = fieldsIn(why).reason
    this.evidence.endsFor(isString(reason) ? reason : (status ?? String(frame.type).replace("response.", "")))
    this.evidence.isDone = true
    const missing = listIn(output).flatMap((item, output_index) => {
      if (this.items.get(output_index)?.isDone || this.items.get(item.id)?.isDone) return []
      const added = { type: "response.output_item.added", output_index, item }
      return [...this.take(added), ...this.take({ ...added, type: "response.output_item.done" })]
    })
    const details = isString(reason) && { incomplete_details: why }
    const plain = { ...rest, usage: { input_tokens: 0, output_tokens: 0 }, ...details }
    return [...missing, { sequence_number: 0, ...frame, response: plain }]
  }

  /** The part of a text that no delta had. */
  private rest(frame: Fields, text: unknown): Fields[] {
    const item = this.itemOf(frame)
    if (!isString(text) || text.length <= item.said.length || !text.startsWith(item.said)) return []
    const delta = text.slice(item.said.length)
    item.said = text
    const item_id = isString(frame.item_id) ? frame.item_id : fieldsIn(frame.item).id
    return [{ type: "response.output_text.delta", item_id, output_index: frame.output_index, delta }]
  }

  /** An item with texts where some servers send numbers or objects. */
  private plain(item: Fields, frame: Fields): Fields {
    if (item.type !== "function_call") return item
    const isDone = frame.type === "response.output_item.done"
    const input = jsonIn(item.arguments) || (isDone ? this.itemOf(frame).said : "")
    const call_id = jsonIn(item.call_id) || jsonIn(item.id)
    return { ...item, call_id, arguments: input, ...(isDone && { status: "completed" }) }
  }

  private itemOf({ output_index, item_id, item }: Fields): Item {
    const key = output_index ?? item_id ?? (isFields(item) ? item.id : undefined)
    const known = this.items.get(key) ?? { said: "", isDone: false }
    this.items.set(key, known)
    return known
  }
}

import { type Fields, isFields } from "../base/fields.ts"
import { carryInto } from "./carried.ts"
import { ChatCalls } from "./chat-calls.ts"
import type { Evidence } from "./evidence.ts"
import { fieldsIn, isString, listIn } from "./plain-frames.ts"

/** Frames of OpenAI's chat completions, as servers with this protocol send them. */
export class ChatFrames {
  private readonly evidence: Evidence
  private readonly calls: ChatCalls
  /** The text and the reasoning so far. */
  private readonly said = { content: "", reasoning_content: "" }

  constructor(evidence: Evidence) {
    this.evidence = evidence
    this.calls = new ChatCalls(evidence)
  }

  take(frame: Fields): Fields[] {
    const [choice] = listIn(frame.choices)
    if (!choice) {
      if (isFields(frame.usage)) this.evidence.endsWithCounts = true
      return []
    }
    const { delta, message, text, finish_reason } = choice
    const plain = { ...this.delta(fieldsIn(delta)), ...this.whole(fieldsIn(message)) }
    if (isString(text) && !isFields(delta) && !isFields(message)) Object.assign(plain, this.delta({ content: text }))
    this.evidence.endsFor(finish_reason)
    if (Object.keys(plain).length > 0) this.evidence.endsWithCounts = false
    return [{ choices: [{ index: 0, delta: plain, ...(isString(finish_reason) && { finish_reason }) }] }]
  }

  private delta(delta: Fields): Fields {
    const content = this.contentOf(delta.content)
    const thought = isString(delta.reasoning_content) ? delta.reasoning_content : delta.reasoning
    this.said.content += isString(content) ? content : ""
    this.said.reasoning_content += isString(thought) ? thought : ""
    return this.rest(delta, { content, reasoning_content: isString(thought) && thought !== "" ? thought : undefined })
  }

  /** A whole message, which some servers send in place of a delta or after all deltas: its part that is new. */
  private whole(message: Fields): Fields {
    const newIn = (value: unknown, said: string) =>
      isString(value) && value.startsWith(said) ? value.slice(said.length) || undefined : undefined
    const thought = isString(message.reasoning_content) ? message.reasoning_content : message.reasoning
    const content = isString(message.content)
      ? newIn(message.content, this.said.content)
      : this.said.content === ""
        ? this.contentOf(message.content)
        : undefined
    const reasoning_content = newIn(thought, this.said.reasoning_content)
    this.said.content += isString(content) ? content : ""
    this.said.reasoning_content += reasoning_content ?? ""
    const tool_calls = listIn(message.tool_calls).map((call, index) => ({ index, ...call }))
    return this.rest({ ...message, tool_calls }, { content, reasoning_content })
  }

  private rest({ refusal, tool_calls, function_call, ...others }: Fields, said: Fields): Fields {
    if (isString(refusal) && refusal !== "") this.evidence.isRefusal = true
    const given = isFields(function_call) ? [{ index: 0, function: function_call }] : listIn(tool_calls)
    const calls = this.calls.take(given)
    carryInto(this.evidence.carried, others)
    return Object.fromEntries(
      Object.entries({
        ...said,
        refusal: isString(refusal) && refusal !== "" ? refusal : undefined,
        tool_calls: calls.length > 0 ? calls : undefined,
      }).filter(([, value]) => value !== undefined),
    )
  }

  /** A text that is not empty, or a list of parts. */
  private contentOf(content: unknown): unknown {
    if (isString(content)) return content === "" ? undefined : content
    const parts = listIn(content).filter(({ type }) => isString(type))
    return parts.length > 0 ? parts : undefined
  }
}

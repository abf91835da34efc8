import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { AssistantPart, ModelAnswer } from "./engine.ts"
import type { Evidence } from "./evidence.ts"
import { toToolCall, type WrittenCall } from "./sdk-calls.ts"

type ProviderMetadata = Extract<LanguageModelV4StreamPart, { type: "text-start" }>["providerMetadata"]
type SaidPart = Extract<AssistantPart, { type: "text" | "reasoning" }>
type CalledPart = WrittenCall & { type: "tool-call" } & Pick<AssistantPart, "providerOptions">

/** The text between two messages of one answer. */
const BETWEEN = "\n\n"

/** A model's answer, collected from the parts of its stream. Sources and files that the model makes are dropped. */
export class SdkAnswer {
  private readonly content: (SaidPart | CalledPart)[] = []
  private readonly open = new Map<string, SaidPart>()
  private readonly hasMessages: boolean

  /** `hasMessages`: the texts of the answer are messages of their own (Responses API), not pieces of one. */
  constructor({ hasMessages }: { hasMessages: boolean }) {
    this.hasMessages = hasMessages
  }

  /** All text, with a paragraph for each message. */
  get text(): string {
    return this.texts.map(({ text }) => text).join(this.hasMessages ? BETWEEN : "")
  }

  /** All output as the model wrote it, for an estimate of its tokens. */
  get written(): string {
    return this.content.map((part) => (part.type === "tool-call" ? part.input || "{}" : part.text)).join("")
  }

  /** All parts that have something in them, in order, as they are before their end is known. */
  get said(): { type: AssistantPart["type"] }[] {
    return this.content.filter(hasContent)
  }

  /** The parts of an answer with this end. */
  parts(tools: ReadonlySet<string>, finish: ModelAnswer["finish"], evidence: Evidence): AssistantPart[] {
    const isClosed = evidence.reasons.length > 0
    return this.content.filter(hasContent).map((part): AssistantPart => {
      if (part.type !== "tool-call") return part
      const carried = evidence.carriedByCall.get(part.toolCallId)
      const back = carried ? { openaiCompatible: carried } : part.providerOptions
      const input = evidence.unwritten.has(part.toolCallId) ? "" : part.input
      const call = toToolCall({ ...part, input }, { tools, finish, isClosed })
      return { ...call, ...fromProvider(back as ProviderMetadata) }
    })
  }

  /** Takes a part. Returns the text that a reader of the answer sees next. */
  add(part: LanguageModelV4StreamPart): string {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
        return this.say("text", part)
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.say("reasoning", part)
      case "tool-call":
        // A tool that the provider has called itself is no call of ours.
        if (part.providerExecuted !== true) this.call(part, part.providerMetadata)
    }
    return ""
  }

  private get texts(): SaidPart[] {
    return this.content.filter((part): part is SaidPart => part.type === "text" && hasContent(part))
  }

  private call({ toolCallId, toolName, input }: WrittenCall, metadata: ProviderMetadata): void {
    const isKnown = this.content.some(
      (part) => part.type === "tool-call" && part.toolCallId === toolCallId && part.input === input,
    )
    if (isKnown) return
    this.content.push({ type: "tool-call", toolCallId, toolName, input, ...fromProvider(metadata) })
  }

  /** The metadata that comes last counts: a signature follows the text that it signs. */
  private say(
    type: "text" | "reasoning",
    { id, delta = "", providerMetadata }: { id: string; delta?: string; providerMetadata?: ProviderMetadata },
  ): string {
    const key = `${type} ${id}`
    const part = this.open.get(key) ?? { type, text: "" }
    if (!this.open.has(key)) this.content.push(part)
    this.open.set(key, part)
    const isNext = this.hasMessages && part.text === "" && this.texts.length > 0
    part.text += delta
    Object.assign(part, fromProvider(providerMetadata))
    return type === "text" && delta !== "" ? `${isNext ? BETWEEN : ""}${delta}` : ""
  }
}

const hasContent = (part: SaidPart | CalledPart) => part.type !== "text" || part.text !== ""

const fromProvider = (metadata: ProviderMetadata) =>
  metadata && ({ providerOptions: metadata } as Pick<AssistantPart, "providerOptions">)

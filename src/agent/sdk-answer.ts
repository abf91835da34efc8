import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { AssistantPart } from "./engine.ts"
import { toToolCall } from "./sdk-calls.ts"

type FinishReason = Extract<LanguageModelV4StreamPart, { type: "finish" }>["finishReason"]
type ProviderMetadata = Extract<LanguageModelV4StreamPart, { type: "text-start" }>["providerMetadata"]

const NOTHING_COUNTED: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** A model's answer, collected from the parts of its stream. Sources and files that the model makes are dropped. */
export class SdkAnswer {
  private readonly content: AssistantPart[] = []
  /** The text of each call's input, by the call's id. */
  readonly written = new Map<string, string>()
  usage = NOTHING_COUNTED
  finishReason: FinishReason = { unified: "other", raw: undefined }
  private readonly open = new Map<string, Extract<AssistantPart, { type: "text" | "reasoning" }>>()
  private readonly tools: ReadonlySet<string>

  constructor(tools: Iterable<string>) {
    this.tools = new Set(tools)
  }

  /** All parts that have something in them, in order. */
  get parts(): AssistantPart[] {
    return this.content.filter((part) => part.type !== "text" || part.text !== "")
  }

  get text(): string {
    return this.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
        this.say("text", part)
        break
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.say("reasoning", part)
        break
      case "tool-call":
        this.written.set(part.toolCallId, part.input)
        this.content.push({ ...toToolCall(part, this.tools), ...fromProvider(part.providerMetadata) })
        break
      case "finish":
        this.usage = part.usage
        this.finishReason = part.finishReason
    }
  }

  /** The metadata that comes last counts: a signature follows the text that it signs. */
  private say(
    type: "text" | "reasoning",
    { id, delta = "", providerMetadata }: { id: string; delta?: string; providerMetadata?: ProviderMetadata },
  ): void {
    const key = `${type} ${id}`
    const part = this.open.get(key) ?? { type, text: "" }
    if (!this.open.has(key)) this.content.push(part)
    this.open.set(key, part)
    part.text += delta
    Object.assign(part, fromProvider(providerMetadata))
  }
}

const fromProvider = (metadata: ProviderMetadata) =>
  metadata && ({ providerOptions: metadata } as Pick<AssistantPart, "providerOptions">)

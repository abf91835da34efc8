export type EngineName = "anthropic" | "openai" | "openai-compatible" | "rehearsal"

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** What a provider wants to see again with a part (signatures, item ids), as the AI SDK carries it. Opaque to us. */
interface FromProvider {
  providerOptions?: { [provider: string]: { [key: string]: Json } }
}

export interface TextPart extends FromProvider {
  type: "text"
  text: string
}

/** Bytes in the file store, read when a call is made. */
export interface ObjectPart {
  type: "object"
  objectKey: string
  name: string
  mediaType: string
  bytes: number
}

export interface ToolCallPart extends FromProvider {
  type: "tool-call"
  toolCallId: string
  toolName: string
  input: unknown
  /** The model wrote something that is no valid call: why. Its input is then what it wrote. */
  invalid?: string
}

interface ReasoningPart extends FromProvider {
  type: "reasoning"
  text: string
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart

/** What a tool call answered, as the model sees it. */
export type ToolOutput =
  | { type: "text"; value: string }
  | { type: "error"; value: string }
  | { type: "parts"; value: (TextPart | ObjectPart)[] }

export interface ToolResult {
  toolCallId: string
  toolName: string
  output: ToolOutput
}

export type Message =
  | { role: "user"; content: (TextPart | ObjectPart)[] }
  /** `cut`: the answer broke off there; the model is asked to go on from it. */
  | { role: "assistant"; content: AssistantPart[]; cut?: true }
  | { role: "tool"; content: ToolResult[] }

/** A tool as the model knows it; `inputSchema` is a JSON Schema of an object. */
export interface ToolSpec {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

/** One model call. The transcript is data: any worker can make the next one. */
export interface ModelCall {
  engine: EngineName
  model: string
  system?: string
  messages: Message[]
  tools: ToolSpec[]
  maxOutputTokens: number
  temperature?: number
  /** How often this very call has failed. */
  attempt: number
}

export interface ModelUsage {
  /** All prompt tokens, the cached ones included. */
  tokensInput: number
  tokensCached: number
  /** Prompt tokens that the provider has written into its cache; 0 when left out. Neither cached ones nor plain ones. */
  tokensCacheWritten?: number
  tokensOutput: number
}

export interface ModelAnswer {
  text: string
  /** All that the model said, tool calls among it. */
  content: AssistantPart[]
  /** aborted: it was cut off; never an engine's own answer. */
  finish: "stop" | "length" | "tool-calls" | "more" | "other" | "aborted"
  usage: ModelUsage
}

/** The accounts that the configured providers are called with. */
export interface ModelAccounts {
  anthropic?: { apiKey: string; baseUrl?: string }
  openai?: { apiKey: string; baseUrl?: string }
  "openai-compatible"?: { apiKey?: string; baseUrl: string }
}

export interface EngineContext {
  fetch: typeof fetch
  accounts: ModelAccounts
  sleep(ms: number, signal: AbortSignal): Promise<void>
  signal: AbortSignal
  /** The bytes of an object of the transcript; null when it is gone. */
  loadObject(objectKey: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** Told each piece of text as the model makes it. */
  onText(piece: string): void
  /** Told what else comes: what no customer sees (thinking, a tool call's input), and what the provider has counted so far. */
  onProgress?(progress: { hidden?: string; usage?: Partial<ModelUsage> }): void
}

/**
 * Why a call brought no answer. unavailable: network, 5xx, 429, overloaded; again later, after `retryAfterMs` if given.
 * rejected: the provider refuses this request for good. failed: rehearsal was told to; `code` is the customer's.
 */
export class ModelError extends Error {
  readonly kind: "unavailable" | "rejected" | "failed"
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    kind: ModelError["kind"],
    message: string,
    { code, retryAfterMs, cause }: { code?: string; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = "ModelError"
    this.kind = kind
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

export function callsOf(content: readonly AssistantPart[]): ToolCallPart[] {
  return content.filter((part) => part.type === "tool-call")
}

/** The text that a message carries, for engines and counts that need no more. */
export function textOf(message: Message): string {
  if (message.role !== "tool") {
    return message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }
  return message.content.map(({ output }) => outputText(output)).join("\n")
}

export function outputText(output: ToolOutput): string {
  if (output.type !== "parts") return output.value
  return output.value.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n")
}

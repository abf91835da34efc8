import { parseExact } from "../base/exact-json.ts"
import type { ENGINES } from "../base/words.ts"

export type EngineName = (typeof ENGINES)[number]

/** Where an account without a base URL is called; null: its engine has no address of its own. */
export const ENGINE_URLS = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  "openai-compatible": null,
} as const satisfies Record<Exclude<EngineName, "rehearsal">, string | null>

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Data that a provider wants to get back with a part (signatures, item ids), as the AI SDK carries it. We do not read it. */
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
  /** The JSON of the input as the model wrote it, where doubles would change its numbers. */
  written?: string
  /** Why the call is invalid. Its input is then the text that the model wrote. */
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
  /** `cut`: the answer broke off here; the model is asked to go on from it. */
  | { role: "assistant"; content: AssistantPart[]; cut?: true }
  | { role: "tool"; content: ToolResult[] }

/** A tool as the model knows it; `inputSchema` is a JSON Schema of an object. */
export interface ToolSpec {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

export type CacheLifetime = "5m" | "1h"

/** What of a prompt the provider is asked to keep for later calls: Anthropic's cache_control, OpenAI's prompt_cache_key. */
export interface PromptCache {
  /** The same for all calls that begin alike. */
  key: string
  /** How long tools and instructions are kept. */
  lifetime: CacheLifetime
  /** Indexes of messages up to which the prompt is kept too, in order. At most three: Anthropic takes four breakpoints in all. */
  breakpoints: { message: number; lifetime: CacheLifetime }[]
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
  cache?: PromptCache
  /** How often this call has failed already. */
  attempt: number
}

export interface ModelUsage {
  /** All prompt tokens, the cached ones included. */
  tokensInput: number
  tokensCached: number
  /** Prompt tokens that the provider wrote into its cache; counted neither as cached nor as plain ones. 0 when left out. */
  tokensCacheWritten?: number
  /** Those of the written ones that the provider keeps for an hour. 0 when left out. */
  tokensCacheWrittenHour?: number
  tokensOutput: number
}

export interface ModelAnswer {
  text: string
  /** Everything that the model said, including its tool calls. */
  content: AssistantPart[]
  /**
   * length: cut at an output limit. refused: by the model. filtered: by its provider. error: the provider says that it failed. aborted:
   * the call was cut off; engines never answer this themselves.
   */
  finish: "stop" | "length" | "tool-calls" | "more" | "refused" | "filtered" | "error" | "other" | "aborted"
  usage: ModelUsage
}

/** What a call sends to its provider beside the request: an API key or a bearer token, and further headers. */
interface ModelAccount {
  apiKey?: string
  authToken?: string
  /** The engine's own when left out; openai-compatible has none. */
  baseUrl?: string
  headers?: Record<string, string>
}

/** The accounts of the configured providers. */
export type ModelAccounts = { [Engine in Exclude<EngineName, "rehearsal">]?: ModelAccount }

export interface EngineContext {
  fetch: typeof fetch
  accounts: ModelAccounts
  sleep(ms: number, signal: AbortSignal): Promise<void>
  signal: AbortSignal
  /** The bytes of an object of the transcript; null when it is gone. */
  loadObject(objectKey: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** Called with each piece of text as the model makes it. */
  onText(piece: string): void
  /**
   * Called with everything else that comes: output that no customer sees (thinking, a tool call's input), and the provider's counts so
   * far.
   */
  onProgress?(progress: { hidden?: string; usage?: Partial<ModelUsage> }): void
}

/**
 * Why a call brought no answer. unavailable: network, 5xx, 429 or overloaded; try again, after `retryAfterMs` if given. rejected: the
 * provider refuses this request for good. failed: the rehearsal was told to fail; `code` is the customer's.
 */
/** The code of a ModelError whose provider says that the account cannot pay, where its status says less. */
export const NO_CREDIT = "insufficient_quota"

export class ModelError extends Error {
  readonly kind: "unavailable" | "rejected" | "failed"
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined
  /** The provider's HTTP status, where it is the reason. */
  readonly status: number | undefined

  constructor(
    kind: ModelError["kind"],
    message: string,
    {
      code,
      retryAfterMs,
      status,
      cause,
    }: { code?: string; retryAfterMs?: number | undefined; status?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = "ModelError"
    this.kind = kind
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.status = status
  }
}

/** A call's input, its numbers with the digits that the model wrote (parseExact). */
export const callInput = ({ input, written }: ToolCallPart): unknown =>
  written === undefined ? input : parseExact(written)

export function callsOf(content: readonly AssistantPart[]): ToolCallPart[] {
  return content.filter((part) => part.type === "tool-call")
}

/** The text of a message, for engines and counts that need nothing else. */
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

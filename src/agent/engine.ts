import { parseExact } from "../base/exact-json.ts"
import type { ResultForm } from "../base/result-form.ts"
import type { EFFORTS, ENGINES, MODEL_SETTINGS, SERVICE_TIERS } from "../base/words.ts"
import type { ProviderDetails } from "./provider-said.ts"
import type { ProviderRefusal } from "./refusal-causes.ts"
import type { ModelUsage } from "./token-names.ts"

export type EngineName = (typeof ENGINES)[number]

/** The base URL of accounts without one of their own; null if the engine has no default. */
export const ENGINE_URLS = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  "openai-compatible": null,
} as const satisfies Record<Exclude<EngineName, "rehearsal">, string | null>

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Data that a provider expects back with a part (signatures, item ids), as the AI
 * SDK passes it. We do not read it.
 */
interface FromProvider {
  providerOptions?: { [provider: string]: { [key: string]: Json } }
}

export interface TextPart extends FromProvider {
  type: "text"
  text: string
  /** Text of this turn alone, the last of its message: a breakpoint at the message comes before it. */
  isNote?: true
  /** The service wrote it, such as the text of an attached file. */
  byService?: true
}

/** A file in the object store. Its bytes are read when a call is made. */
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
  /** The JSON of the input as the model wrote it, if doubles would change its numbers. */
  written?: string
  /** Why the call is invalid. Then `input` is the text that the model wrote. */
  invalid?: string
}

interface ReasoningPart extends FromProvider {
  type: "reasoning"
  text: string
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart

/** The output of a tool call, as the model sees it. */
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
  /** `asks`: the answer broke off here, or is empty. The model is asked to continue. */
  | { role: "assistant"; content: AssistantPart[]; asks?: "cut" | "empty" }
  | { role: "tool"; content: ToolResult[] }

/** A tool as the model sees it. `inputSchema` is a JSON Schema of an object. */
export interface ToolSpec {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

export type CacheLifetime = "5m" | "1h"

/** The part of a prompt that the provider should cache: Anthropic's cache_control, OpenAI's prompt_cache_key. */
export interface PromptCache {
  /** The same for all calls with the same beginning. */
  key: string
  /** How long tools and instructions stay cached. */
  lifetime: CacheLifetime
  /**
   * Indexes of messages up to which the prompt is cached too, in order. At most three, because
   * Anthropic allows four breakpoints.
   */
  breakpoints: { message: number; lifetime: CacheLifetime }[]
}

/** How an answer may call tools. Default: as the model wants. */
export type CallChoice = "none" | "required" | { name: string }

export type Effort = (typeof EFFORTS)[number]
export type ServiceTier = (typeof SERVICE_TIERS)[number]

/** The settings of a call that a model may not take. */
export type Setting = (typeof MODEL_SETTINGS)[number]

/** One model call. It needs no state of a worker, so any worker can make the next one. */
export interface ModelCall {
  engine: EngineName
  model: string
  system?: string
  messages: Message[]
  tools: ToolSpec[]
  choice?: CallChoice
  /** At most one call of a tool. */
  callsOne?: true
  maxOutputTokens: number
  temperature?: number
  /** How much the model reasons; missing: its own default. */
  reasoning?: Effort
  /** How the provider is asked to serve the call; missing: as its account says. */
  serviceTier?: ServiceTier
  /** The form of the answer; missing: any text. No text of such a call is shown while it is written. */
  result?: ResultForm
  /** True: the model does not take `response_format`, so it is asked for the form in another way. */
  isFormless?: boolean
  /** The text ends before the first of these sequences (StopCut). */
  stop?: readonly string[]
  /** The model refuses such a setting, so it is not sent. */
  stopIsRefused?: boolean
  cache?: PromptCache
  /** The most images that the model takes; missing: no limit is known. */
  mostImages?: number
  /** The number of failed tries of this call. */
  attempt: number
}

export interface ModelAnswer {
  text: string
  /** The whole answer, including tool calls. */
  content: AssistantPart[]
  /**
   * length: cut at an output limit. paused: by the provider, which asks to be called again. refused: by the model.
   * filtered: by its provider. error: the provider reports a failure. Engines never return the last two themselves.
   * aborted: the call was cut off. empty: there is neither text nor a call.
   */
  finish:
    | "stop"
    | "length"
    | "tool-calls"
    | "more"
    | "paused"
    | "refused"
    | "filtered"
    | "error"
    | "other"
    | "aborted"
    | "empty"
  usage: ModelUsage
  /** The provider's counts, if they are more than the call can have used. Then `usage` has the most that it can. */
  counted?: ModelUsage
  /** How the provider says that it has served the call, as names of modifiers of its price; missing: as usual. */
  modifiers?: readonly string[]
  /** The provider's id of the answer; missing: it sent none. */
  responseId?: string
}

/** How a request is sent again after a refusal. */
export interface FormChange {
  /** The limit of the answer is lower. */
  maxOutputTokens?: number
  /** That limit holds for this call alone: it is guessed, or what its prompt leaves. */
  isOnce?: boolean
  /** The setting is left out. */
  without?: Setting
  /** At most this many images are shown. */
  images?: number
  /** The names of the files that are only named. */
  files?: string[]
}

/** The credential of a call: an API key or a bearer token, and further headers. */
interface ModelAccount {
  apiKey?: string
  authToken?: string
  /** Default: the engine's own URL. The engine openai-compatible has none. */
  baseUrl?: string
  headers?: Record<string, string>
}

/** The configured accounts, by engine. */
export type ModelAccounts = { [Engine in Exclude<EngineName, "rehearsal">]?: ModelAccount }

export interface EngineContext {
  fetch: typeof fetch
  accounts: ModelAccounts
  sleep(ms: number, signal: AbortSignal): Promise<void>
  signal: AbortSignal
  /** Reads the bytes of an object in the transcript; null if it no longer exists. */
  loadObject(objectKey: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** The keys of objects that a provider has refused. The engine adds to it, and does not show them again. */
  refused?: Set<string>
  /** Called for each refusal after which the call is sent again in another form. */
  onRefused?(error: ModelError, change: FormChange): void
  /** Called with a setting that is not sent as the call says, because the model does not take it so. */
  onLeftOut?(setting: Setting): void
  /** Called once per request with the provider's id of the answer, before any of its text. */
  onResponse?(id: string): void
  /** Called with each piece of text as it arrives. */
  onText(piece: string): void
  /**
   * Called with all other progress: hidden output (thinking, the input of a tool call), and the
   * provider's token counts so far, with the modifiers of their price.
   */
  onProgress?(progress: { hidden?: string; usage?: Partial<ModelUsage>; modifiers?: readonly string[] }): void
}

/**
 * A model call without an answer. unavailable: network, 5xx, 429 or overload; retry, after `retryAfterMs` if set.
 * rejected: the provider rejects this request for good. failed: a rehearsed failure with the owner's `code`.
 */
export class ModelError extends Error {
  readonly kind: "unavailable" | "rejected" | "failed"
  readonly code: string | undefined
  readonly retryAfterMs: number | undefined
  /** The provider's HTTP status, if that is the reason. */
  readonly status: number | undefined
  /** True if the provider itself ended an answer without making it whole. Such an answer is not billed. */
  readonly isVoid: boolean
  /** Why the provider refused the request; null: it did not refuse it. */
  readonly refusal: ProviderRefusal | null
  /** The provider's words, as owners may see them. */
  readonly details: ProviderDetails | undefined
  /** The provider's words without keys, for operators. */
  readonly whole: string | undefined

  constructor(
    kind: ModelError["kind"],
    message: string,
    {
      code,
      retryAfterMs,
      status,
      isVoid = false,
      refusal = null,
      details,
      whole,
      cause,
    }: {
      code?: string
      retryAfterMs?: number | undefined
      status?: number | undefined
      isVoid?: boolean
      refusal?: ProviderRefusal | null
      details?: ProviderDetails
      whole?: string
      cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.name = "ModelError"
    this.kind = kind
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.status = status
    this.isVoid = isVoid
    this.refusal = refusal
    this.details = details
    this.whole = whole
  }
}

/** The input of a call. Its numbers keep the digits that the model wrote (parseExact). */
export const callInput = ({ input, written }: ToolCallPart): unknown =>
  written === undefined ? input : parseExact(written)

export function callsOf(content: readonly AssistantPart[]): ToolCallPart[] {
  return content.filter((part) => part.type === "tool-call")
}

/** The text of a message without its other parts. */
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

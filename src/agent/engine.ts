export type EngineName = "anthropic" | "openai" | "openai-compatible" | "rehearsal"

export interface Message {
  role: "user" | "assistant"
  content: string
}

/** One model call. The transcript is data: any worker can make the next one. */
export interface ModelCall {
  engine: EngineName
  model: string
  system?: string
  messages: Message[]
  maxOutputTokens: number
  temperature?: number
  /** The turn's committed steps before this call, and how often this very call has failed. */
  step: number
  attempt: number
}

export interface ModelUsage {
  /** All prompt tokens, the cached ones included. */
  tokensInput: number
  tokensCached: number
  tokensOutput: number
}

export interface ModelAnswer {
  text: string
  finish: "stop" | "length" | "other"
  usage: ModelUsage
  /** Another step follows this one. */
  more?: boolean
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

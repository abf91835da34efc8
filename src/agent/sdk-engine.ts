import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { APICallError, generateText, type LanguageModel, RetryError } from "ai"
import { type EngineContext, type EngineName, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { likelyTokens } from "./estimate.ts"

// Its warnings go to the console as plain text; ours are JSON lines without customers' texts.
globalThis.AI_SDK_LOG_WARNINGS = false

/** One model call through the AI SDK. It never retries by itself: the turn machine does, across callbacks. */
export async function callSdk(
  context: EngineContext,
  call: ModelCall,
  engine: Exclude<EngineName, "rehearsal">,
): Promise<ModelAnswer> {
  const model = languageModel(context, call, engine)
  try {
    const result = await generateText({
      model,
      ...(call.system && { instructions: call.system }),
      messages: call.messages,
      maxOutputTokens: call.maxOutputTokens,
      ...(call.temperature !== undefined && { temperature: call.temperature }),
      maxRetries: 0,
      abortSignal: context.signal,
    })
    const { usage, text, finishReason } = result
    const prompt = [call.system ?? "", ...call.messages.map((message) => message.content)]
    const tokensInput = usage.inputTokens || likelyTokens(...prompt)
    return {
      text,
      finish: finishReason === "stop" || finishReason === "length" ? finishReason : "other",
      usage: {
        tokensInput,
        tokensCached: Math.min(usage.inputTokenDetails?.cacheReadTokens ?? 0, tokensInput),
        tokensOutput: usage.outputTokens || likelyTokens(text),
      },
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    throw toModelError(error)
  }
}

function languageModel(
  { accounts, fetch }: EngineContext,
  call: ModelCall,
  engine: Exclude<EngineName, "rehearsal">,
): LanguageModel {
  if (engine === "anthropic" && accounts.anthropic) {
    const { apiKey, baseUrl } = accounts.anthropic
    return createAnthropic({ apiKey, fetch, ...(baseUrl && { baseURL: baseUrl }) })(call.model)
  }
  if (engine === "openai" && accounts.openai) {
    const { apiKey, baseUrl } = accounts.openai
    return createOpenAI({ apiKey, fetch, ...(baseUrl && { baseURL: baseUrl }) })(call.model)
  }
  if (engine === "openai-compatible" && accounts["openai-compatible"]) {
    const { apiKey, baseUrl } = accounts["openai-compatible"]
    const provider = createOpenAICompatible({ name: "compatible", baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })
    return provider(call.model)
  }
  throw new ModelError("unavailable", `No account is configured for the engine ${engine}.`)
}

function toModelError(thrown: unknown): ModelError {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  if (!APICallError.isInstance(error)) return new ModelError("unavailable", describe(error))
  const { statusCode } = error
  const again = statusCode === undefined || statusCode === 408 || statusCode === 429 || statusCode >= 500
  // A 2xx that does not parse is a provider in trouble, not a request that it refuses.
  const garbled = statusCode !== undefined && statusCode < 400
  return new ModelError(
    again || garbled ? "unavailable" : "rejected",
    `HTTP ${statusCode ?? "-"}: ${describe(error)}`,
    {
      retryAfterMs: retryAfter(error.responseHeaders),
    },
  )
}

/** A short text for the log, with anything that looks like a key taken out. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/\b(sk|key|Bearer)[-_ ][\w-]{6,}/gi, "$1-…").slice(0, 300)
}

/** Retry-After in ms: `retry-after-ms`, or whole seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.["retry-after-ms"])
  if (ms > 0) return ms
  const value = headers?.["retry-after"]
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  // A date counts from the provider's own clock, its Date header.
  const wait = Date.parse(value) - Date.parse(headers?.date ?? "")
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import {
  type ContentPart,
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelUsage,
  streamText,
  type ToolSet,
  TypeValidationError,
} from "ai"
import { isFields } from "../base/fields.ts"
import { NotSent } from "../platform/not-sent.ts"
import {
  type AssistantPart,
  ENGINE_URLS,
  type EngineContext,
  type EngineName,
  type ModelAccounts,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  type ModelUsage,
} from "./engine.ts"
import { likelyPromptTokens, likelyTokens } from "./estimate.ts"
import { finishOf, isFaulty } from "./finish.ts"
import { knownFrames } from "./known-frames.ts"
import { breakpoint, cacheOptions } from "./prompt-cache.ts"
import { type HearableModel, hearCalls, toToolCall } from "./sdk-calls.ts"
import { toModelError } from "./sdk-errors.ts"
import { toSdkMessages, toSdkTools } from "./sdk-messages.ts"
import { Thinking } from "./thinking.ts"

type SdkEngineName = Exclude<EngineName, "rehearsal">

// The SDK's warnings go to the console as plain text; our log has JSON lines without customers' texts.
globalThis.AI_SDK_LOG_WARNINGS = false

/** One model call through the AI SDK. It never retries by itself; the turn machine retries across callbacks. */
export async function callSdk(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  try {
    let failure: unknown
    const cache = engine === "anthropic" ? call.cache : undefined
    const { loadObject } = context
    const messages = await toSdkMessages(call.messages, { engine, loadObject, ...(cache && { cache }) })
    // The library leaves rejections unhandled when it begins with an aborted signal.
    context.signal.throwIfAborted()
    let isDone = false
    const onDone = () => {
      isDone = true
    }
    const heard = hearCalls(languageModel(context, { call, engine, onDone }))
    const thinking = engine === "openai-compatible" ? new Thinking() : null
    const tell = ({ text, hidden }: { text: string; hidden: string }) => {
      if (text !== "") context.onText(text)
      if (hidden !== "") context.onProgress?.({ hidden })
    }
    const result = streamText({
      model: heard.model,
      ...(call.system && {
        instructions: { role: "system", content: call.system, ...(cache && breakpoint(cache.lifetime)) },
      }),
      messages,
      // Instructions come after the tools, and their breakpoint keeps both.
      ...(call.tools.length > 0 && { tools: toSdkTools(call.tools, call.system ? undefined : cache?.lifetime) }),
      maxOutputTokens: call.maxOutputTokens,
      ...(call.temperature !== undefined && { temperature: call.temperature }),
      providerOptions: cacheOptions(engine, call.cache),
      maxRetries: 0,
      abortSignal: plainAbort(context.signal),
      // Anthropic counts the prompt before it answers: a call that is cut off is billed by that.
      ...(engine === "anthropic" && { include: { rawChunks: true } }),
      // By default the SDK writes errors, with the whole request, to the console.
      onError: ({ error }) => {
        if (!isNoFailure(error, isDone)) failure ??= error
      },
    })
    for await (const part of result.stream) {
      if (part.type === "error" && !isNoFailure(part.error, isDone)) throw part.error
      if (part.type === "text-delta") tell(thinking?.take(part.text) ?? { text: part.text, hidden: "" })
      else if (part.type === "reasoning-delta") context.onProgress?.({ hidden: part.text })
      else if (part.type === "tool-input-delta") context.onProgress?.({ hidden: part.delta })
      else if (part.type === "finish-step") context.onProgress?.({ usage: countedBy(part.usage, call) })
      else if (part.type === "raw") context.onProgress?.({ usage: promptCountOf(part.rawValue) })
    }
    if (failure !== undefined) throw failure
    const { content, usage, text: whole, finishReason, rawFinishReason } = await result.finalStep
    const said = toParts(content, heard.written)
    const isWhole = isDone && (said.length > 0 || usage.inputTokens !== undefined)
    if (rawFinishReason === undefined && !isWhole && said.every(({ type }) => type !== "tool-call")) {
      throw new ModelError("unavailable", "The provider's answer broke off.")
    }
    const finish = finishOf(finishReason, rawFinishReason, said)
    if (thinking) tell(thinking.end({ byItself: finish === "stop" || finish === "other" }))
    const parts = said.filter(({ type }) => type !== "tool-call" || !isFaulty(finish))
    return {
      text: thinking?.text ?? whole,
      content: thinking ? thinking.apart(parts) : parts,
      finish,
      usage: usageOf(call, { parts: said, written: heard.written }, usage),
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    if (error instanceof NotSent) throw error
    throw toModelError(error, secretsOf(context.accounts[engine]))
  }
}

/**
 * A frame that the SDK did not understand, or, after the stream has said that it is done, a missing reason of its end. Whether the answer is
 * complete is decided by what came.
 */
function isNoFailure(error: unknown, isDone: boolean): boolean {
  if (TypeValidationError.isInstance(error) || JSONParseError.isInstance(error)) return true
  return isDone && InvalidResponseDataError.isInstance(error) && /ended without a finish reason/.test(error.message)
}

/** The same, for a library that reports an abort with our reason as an error. */
function plainAbort(signal: AbortSignal): AbortSignal {
  const over = new AbortController()
  signal.addEventListener("abort", () => over.abort(), { once: true })
  return over.signal
}

/** What the model said, as the transcript keeps it. Sources and files that the model made itself are not kept yet. */
function toParts(content: ContentPart<ToolSet>[], written: ReadonlyMap<string, string>): AssistantPart[] {
  return content.flatMap((part): AssistantPart[] => {
    const kept = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
    const withOptions = kept as Pick<AssistantPart, "providerOptions">
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text, ...withOptions }]
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...withOptions }]
    if (part.type !== "tool-call") return []
    return [{ ...toToolCall(part, written.get(part.toolCallId)), ...withOptions }]
  })
}

interface Said {
  parts: AssistantPart[]
  /** The text of each call's input, by the call's id. */
  written: ReadonlyMap<string, string>
}

/** What the provider counts at the end. An estimate only when that makes no sense (no prompt, or text without tokens). */
function usageOf(call: ModelCall, { parts, written }: Said, usage: LanguageModelUsage): ModelUsage {
  const counted = countedBy(usage, call)
  const tokensInput = counted.tokensInput || likelyPromptTokens(call)
  const tokensCached = Math.min(counted.tokensCached ?? 0, tokensInput)
  const tokensCacheWritten = Math.min(counted.tokensCacheWritten ?? 0, tokensInput - tokensCached)
  const texts = parts.map((part) =>
    part.type === "tool-call" ? (written.get(part.toolCallId) ?? JSON.stringify(part.input)) : part.text,
  )
  const likely = parts.length === 0 ? 0 : Math.min(likelyTokens(...texts), call.maxOutputTokens)
  const tokensOutput = counted.tokensOutput || likely
  const tokensCacheWrittenHour = Math.min(counted.tokensCacheWrittenHour ?? 0, tokensCacheWritten)
  return {
    tokensInput,
    tokensCached,
    ...(tokensCacheWritten > 0 && { tokensCacheWritten }),
    ...(tokensCacheWrittenHour > 0 && { tokensCacheWrittenHour }),
    tokensOutput,
  }
}

function countedBy(usage: LanguageModelUsage, call: ModelCall): Partial<ModelUsage> {
  const { inputTokens, inputTokenDetails, raw = {} } = usage
  // DeepSeek's name for what it has read from its cache.
  const { prompt_cache_hit_tokens: hit } = counts({ prompt_cache_hit_tokens: raw.prompt_cache_hit_tokens })
  return counts({
    tokensInput: inputTokens,
    tokensCached: inputTokenDetails.cacheReadTokens || (hit ?? inputTokenDetails.cacheReadTokens),
    tokensCacheWritten: inputTokenDetails.cacheWriteTokens,
    tokensCacheWrittenHour: writtenForHour(raw),
    tokensOutput: outputCount(usage, call),
  })
}

/**
 * Some servers count reasoning next to completion_tokens (xAI), or in the total only (Gemini's OpenAI form). A total counts when it can be
 * true: the call allows so much output, or the count of reasoning says so.
 */
function outputCount({ inputTokens, outputTokens, raw }: LanguageModelUsage, call: ModelCall): number | undefined {
  const { completion_tokens_details: details, total_tokens: total } = raw ?? {}
  if (!inputTokens || typeof total !== "number" || !Number.isSafeInteger(total)) return outputTokens
  const reasoning = isFields(details) && typeof details.reasoning_tokens === "number" ? details.reasoning_tokens : 0
  const said = outputTokens ?? 0
  const rest = total - inputTokens
  return rest <= Math.max(call.maxOutputTokens, said + reasoning) ? Math.max(said, rest) : outputTokens
}

interface AnthropicStart {
  type?: unknown
  message?: { usage?: Record<string, unknown> }
}

/** What Anthropic's first event says about the prompt (Messages API, message_start): three counts that add up to it. */
function promptCountOf(raw: unknown): Partial<ModelUsage> {
  const { type, message } = (raw ?? {}) as AnthropicStart
  const usage = type === "message_start" ? message?.usage : undefined
  if (!usage) return {}
  const [plain, read, written] = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
  const sum = [plain, read, written].reduce<number>((sum, tokens) => sum + (typeof tokens === "number" ? tokens : 0), 0)
  return counts({
    tokensInput: sum,
    tokensCached: read,
    tokensCacheWritten: written,
    tokensCacheWrittenHour: writtenForHour(usage),
  })
}

/** Anthropic's count of the tokens that it has written for an hour (Messages API, usage.cache_creation). */
function writtenForHour(usage: unknown): unknown {
  const { cache_creation } = (usage ?? {}) as { cache_creation?: { ephemeral_1h_input_tokens?: unknown } | null }
  return cache_creation?.ephemeral_1h_input_tokens
}

/** The provider's counts that are whole numbers of tokens, after rounding. */
function counts<Name extends string>(given: Record<Name, unknown>): Partial<Record<Name, number>> {
  const sound = Object.entries(given).filter(([, tokens]) => typeof tokens === "number" && tokens >= 0 && tokens < 1e9)
  return Object.fromEntries(sound.map(([name, tokens]) => [name, Math.round(tokens as number)])) as Partial<
    Record<Name, number>
  >
}

function languageModel(
  context: EngineContext,
  { call, engine, onDone }: { call: ModelCall; engine: SdkEngineName; onDone: () => void },
): HearableModel {
  const { accounts } = context
  const send: typeof fetch = async (input, init) => knownFrames(await context.fetch(input, init), { engine, onDone })
  const { apiKey, authToken, baseUrl, headers = {} } = accounts[engine] ?? {}
  const key = authToken ?? apiKey
  // The base URL is always set: without one the SDK would take it from the process's environment.
  const common = { fetch: send, headers }
  if (engine === "anthropic" && key) {
    const credential = authToken ? { authToken } : { apiKey: key }
    return createAnthropic({ ...common, ...credential, baseURL: baseUrl ?? ENGINE_URLS.anthropic })(call.model)
  }
  if (engine === "openai" && key) {
    return createOpenAI({ ...common, apiKey: key, baseURL: baseUrl ?? ENGINE_URLS.openai })(call.model)
  }
  if (engine === "openai-compatible" && baseUrl) {
    const named = { ...common, name: "compatible", baseURL: baseUrl, includeUsage: true }
    return createOpenAICompatible({ ...named, ...(key && { apiKey: key }) })(call.model)
  }
  throw new ModelError("unavailable", `No account is configured for the engine ${engine}.`)
}

/** What an account sends, which no message may repeat. */
function secretsOf({ apiKey, authToken, headers }: NonNullable<ModelAccounts[SdkEngineName]> = {}): string[] {
  return [apiKey, authToken, ...Object.values(headers ?? {})].filter((secret) => secret !== undefined)
}

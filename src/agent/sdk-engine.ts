import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { InvalidResponseDataError, JSONParseError, type LanguageModelV4, TypeValidationError } from "@ai-sdk/provider"
import { NotSent } from "../base/not-sent.ts"
import {
  ENGINE_URLS,
  type EngineContext,
  type EngineName,
  type ModelAccounts,
  type ModelAnswer,
  type ModelCall,
  ModelError,
} from "./engine.ts"
import { finishOf, isFaulty } from "./finish.ts"
import { knownFrames } from "./known-frames.ts"
import { breakpoint, cacheOptions } from "./prompt-cache.ts"
import { SdkAnswer } from "./sdk-answer.ts"
import { toModelError } from "./sdk-errors.ts"
import { toSdkMessages, toSdkTools } from "./sdk-messages.ts"
import { countedBy, promptCountOf, usageOf } from "./sdk-usage.ts"
import { Thinking } from "./thinking.ts"

type SdkEngineName = Exclude<EngineName, "rehearsal">

/**
 * Makes one model call through the AI SDK's provider packages. It never retries: the turn machine retries across
 * callbacks. The SDK's `streamText` would check and keep each part of the stream a second time.
 */
export async function callSdk(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  try {
    return await streamed(context, call, engine)
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    if (error instanceof NotSent) throw error
    throw toModelError(error, secretsOf(context.accounts[engine]))
  }
}

async function streamed(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  let isDone = false
  const onDone = () => {
    isDone = true
  }
  const model = languageModel(context, { call, engine, onDone })
  const options = await requestOf(context, call, engine)
  context.signal.throwIfAborted()
  const { stream } = await model.doStream(options)
  const answer = new SdkAnswer(call.tools.map(({ name }) => name))
  const thinking = engine === "openai-compatible" ? new Thinking() : null
  const tell = ({ text, hidden }: { text: string; hidden: string }) => {
    if (text !== "") context.onText(text)
    if (hidden !== "") context.onProgress?.({ hidden })
  }
  for await (const part of stream) {
    if (part.type === "error" && !isNoFailure(part.error, isDone)) throw part.error
    answer.add(part)
    if (part.type === "text-delta") tell(thinking?.take(part.delta) ?? { text: part.delta, hidden: "" })
    else if (part.type === "reasoning-delta") context.onProgress?.({ hidden: part.delta })
    else if (part.type === "tool-input-delta") context.onProgress?.({ hidden: part.delta })
    else if (part.type === "finish") context.onProgress?.({ usage: countedBy(part.usage, call) })
    else if (part.type === "raw") context.onProgress?.({ usage: promptCountOf(part.rawValue) })
  }
  const { usage, finishReason } = answer
  const said = answer.parts
  const isWhole = isDone && (said.length > 0 || usage.inputTokens.total !== undefined)
  if (finishReason.raw === undefined && !isWhole && said.every(({ type }) => type !== "tool-call")) {
    throw new ModelError("unavailable", "The provider's answer broke off.")
  }
  const finish = finishOf(finishReason.unified, finishReason.raw, said)
  if (thinking) tell(thinking.end({ byItself: finish === "stop" || finish === "other" }))
  const parts = said.filter(({ type }) => type !== "tool-call" || !isFaulty(finish))
  return {
    text: thinking?.text ?? answer.text,
    content: thinking ? thinking.apart(parts) : parts,
    finish,
    usage: usageOf(call, answer),
  }
}

async function requestOf({ loadObject, signal }: EngineContext, call: ModelCall, engine: SdkEngineName) {
  const cache = engine === "anthropic" ? call.cache : undefined
  const messages = await toSdkMessages(call.messages, { engine, loadObject, ...(cache && { cache }) })
  if (messages.length === 0) throw new ModelError("rejected", "The call has no message.")
  const system = call.system && {
    role: "system" as const,
    content: call.system,
    ...(cache && breakpoint(cache.lifetime)),
  }
  return {
    prompt: system ? [system, ...messages] : messages,
    // Instructions come after the tools, so their breakpoint covers both.
    ...(call.tools.length > 0 && {
      tools: toSdkTools(call.tools, call.system ? undefined : cache?.lifetime),
      toolChoice: { type: "auto" as const },
    }),
    maxOutputTokens: call.maxOutputTokens,
    ...(call.temperature !== undefined && { temperature: call.temperature }),
    providerOptions: cacheOptions(engine, call.cache),
    abortSignal: signal,
    // Anthropic reports the prompt's tokens before its answer, for the bill of a call that is cut off.
    ...(engine === "anthropic" && { includeRawChunks: true }),
  }
}

/**
 * True for a frame that the SDK did not understand, and for a missing finish reason after the
 * stream has reported its end. The parts that arrived decide whether the answer is complete.
 */
function isNoFailure(error: unknown, isDone: boolean): boolean {
  if (TypeValidationError.isInstance(error) || JSONParseError.isInstance(error)) return true
  return isDone && InvalidResponseDataError.isInstance(error) && /ended without a finish reason/.test(error.message)
}

function languageModel(
  context: EngineContext,
  { call, engine, onDone }: { call: ModelCall; engine: SdkEngineName; onDone: () => void },
): LanguageModelV4 {
  const { accounts } = context
  const send: typeof fetch = async (input, init) => knownFrames(await context.fetch(input, init), { engine, onDone })
  const { apiKey, authToken, baseUrl, headers = {} } = accounts[engine] ?? {}
  const key = authToken ?? apiKey
  // Always set the base URL. Otherwise the SDK takes it from the process's environment.
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

/** The secrets of an account. No message may contain them. */
function secretsOf({ apiKey, authToken, headers }: NonNullable<ModelAccounts[SdkEngineName]> = {}): string[] {
  return [apiKey, authToken, ...Object.values(headers ?? {})].filter((secret) => secret !== undefined)
}

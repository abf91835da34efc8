import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, type LanguageModel } from "ai"
import { type EngineContext, type EngineName, type ModelAnswer, type ModelCall, ModelError } from "./engine.ts"
import { likelyTokens } from "./estimate.ts"
import { toModelError } from "./sdk-errors.ts"

type SdkEngineName = Exclude<EngineName, "rehearsal">

// Its warnings go to the console as plain text; ours are JSON lines without customers' texts.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Named, since without a base URL the SDK would take one from the process's environment. */
const DEFAULT_BASE_URL = { anthropic: "https://api.anthropic.com/v1", openai: "https://api.openai.com/v1" }

/** One model call through the AI SDK. It never retries by itself: the turn machine does, across callbacks. */
export async function callSdk(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  try {
    const result = await generateText({
      model: languageModel(context, call, engine),
      ...(call.system && { instructions: call.system }),
      // Providers refuse an empty message; an earlier answer may have been one.
      messages: call.messages.filter((message) => message.content.trim() !== ""),
      maxOutputTokens: call.maxOutputTokens,
      ...(call.temperature !== undefined && { temperature: call.temperature }),
      // The transcript is ours: each call brings all of it, so the provider need not keep it.
      providerOptions: { openai: { store: false } },
      maxRetries: 0,
      abortSignal: context.signal,
    })
    const { usage, text, finishReason } = result
    const prompt = [call.system ?? "", ...call.messages.map((message) => message.content)]
    const tokensInput = reported(usage.inputTokens) || likelyTokens(...prompt)
    return {
      text,
      finish: finishReason === "stop" || finishReason === "length" ? finishReason : "other",
      usage: {
        tokensInput,
        tokensCached: Math.min(reported(usage.inputTokenDetails.cacheReadTokens), tokensInput),
        tokensOutput: reported(usage.outputTokens) || likelyTokens(text),
      },
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    throw toModelError(error, context.accounts[engine]?.apiKey)
  }
}

/** A count as a provider gives it: a whole number of tokens, 0 when it gives none that makes sense. */
function reported(tokens: number | undefined): number {
  return tokens !== undefined && tokens > 0 && tokens < 1_000_000_000 ? Math.round(tokens) : 0
}

function languageModel({ accounts, fetch }: EngineContext, call: ModelCall, engine: SdkEngineName): LanguageModel {
  if (engine === "anthropic" && accounts.anthropic) {
    const { apiKey, baseUrl = DEFAULT_BASE_URL.anthropic } = accounts.anthropic
    return createAnthropic({ apiKey, fetch, baseURL: baseUrl })(call.model)
  }
  if (engine === "openai" && accounts.openai) {
    const { apiKey, baseUrl = DEFAULT_BASE_URL.openai } = accounts.openai
    return createOpenAI({ apiKey, fetch, baseURL: baseUrl })(call.model)
  }
  if (engine === "openai-compatible" && accounts["openai-compatible"]) {
    const { apiKey, baseUrl } = accounts["openai-compatible"]
    const provider = createOpenAICompatible({ name: "compatible", baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })
    return provider(call.model)
  }
  throw new ModelError("unavailable", `No account is configured for the engine ${engine}.`)
}

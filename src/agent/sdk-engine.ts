import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { type ContentPart, type LanguageModel, streamText, type ToolSet } from "ai"
import {
  type AssistantPart,
  type EngineContext,
  type EngineName,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  textOf,
} from "./engine.ts"
import { likelyTokens } from "./estimate.ts"
import { toModelError } from "./sdk-errors.ts"
import { toSdkMessages, toSdkTools } from "./sdk-messages.ts"

type SdkEngineName = Exclude<EngineName, "rehearsal">

// Its warnings go to the console as plain text; ours are JSON lines without customers' texts.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Named, since without a base URL the SDK would take one from the process's environment. */
const DEFAULT_BASE_URL = { anthropic: "https://api.anthropic.com/v1", openai: "https://api.openai.com/v1" }

/** One model call through the AI SDK. It never retries by itself: the turn machine does, across callbacks. */
export async function callSdk(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  try {
    let failure: unknown
    const result = streamText({
      model: languageModel(context, call, engine),
      ...(call.system && { instructions: call.system }),
      messages: await toSdkMessages(call.messages, { engine, loadObject: context.loadObject }),
      ...(call.tools.length > 0 && { tools: toSdkTools(call.tools) }),
      maxOutputTokens: call.maxOutputTokens,
      ...(call.temperature !== undefined && { temperature: call.temperature }),
      // The transcript is ours: each call brings all of it, so the provider need not keep it.
      providerOptions: { openai: { store: false } },
      maxRetries: 0,
      abortSignal: context.signal,
      // By default it writes errors, with the whole request, to the console.
      onError: ({ error }) => {
        failure ??= error
      },
    })
    for await (const part of result.stream) {
      if (part.type === "text-delta") context.onText(part.text)
      else if (part.type === "error") throw part.error
    }
    if (failure !== undefined) throw failure
    const { content, usage, text, finishReason, rawFinishReason } = await result.finalStep
    const parts = toParts(content)
    if (
      rawFinishReason === undefined &&
      usage.inputTokens === undefined &&
      parts.every(({ type }) => type !== "tool-call")
    ) {
      throw new ModelError("unavailable", "The provider's answer broke off.")
    }
    const tokensInput = reported(usage.inputTokens) || likelyTokens(call.system ?? "", ...call.messages.map(textOf))
    return {
      text,
      content: parts,
      finish: finishOf(finishReason, parts),
      usage: {
        tokensInput,
        tokensCached: Math.min(reported(usage.inputTokenDetails.cacheReadTokens), tokensInput),
        tokensOutput: reported(usage.outputTokens) || likelyTokens(JSON.stringify(parts)),
      },
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    throw toModelError(error, context.accounts[engine]?.apiKey)
  }
}

function finishOf(reason: string, parts: AssistantPart[]): ModelAnswer["finish"] {
  // Some servers report "stop" with calls: what is there decides.
  if (parts.some((part) => part.type === "tool-call")) return "tool-calls"
  return reason === "stop" || reason === "length" ? reason : "other"
}

/** What the model said, as the transcript keeps it. Sources and files that it made itself have no place in it yet. */
function toParts(content: ContentPart<ToolSet>[]): AssistantPart[] {
  return content.flatMap((part): AssistantPart[] => {
    const kept = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
    const withOptions = kept as Pick<AssistantPart, "providerOptions">
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text, ...withOptions }]
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...withOptions }]
    if (part.type !== "tool-call") return []
    const { toolCallId, toolName, input } = part
    const invalid = part.invalid ? { invalid: "The input is no valid JSON, or there is no such tool." } : {}
    return [{ type: "tool-call", toolCallId, toolName, input: input ?? {}, ...invalid, ...withOptions }]
  })
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
    const named = { name: "compatible", baseURL: baseUrl, fetch, includeUsage: true }
    return createOpenAICompatible({ ...named, ...(apiKey && { apiKey }) })(call.model)
  }
  throw new ModelError("unavailable", `No account is configured for the engine ${engine}.`)
}

import { type LanguageModelV4, NoSuchModelError, type ProviderV4 } from "@ai-sdk/provider"
import type { TurnpikeOptions } from "@turnpike-turns/client"
import { FailedCalls } from "./failed-calls.ts"
import { TurnpikeLanguageModel } from "./language-model.ts"
import type { TurnpikeSettings } from "./settings.ts"

export interface TurnpikeProviderOptions {
  /** Default: TURNPIKE_API_KEY of the environment. For servers only. */
  apiKey?: string | undefined
  /** The URL of the service. Default: TURNPIKE_BASE_URL of the environment. */
  baseURL?: string | undefined
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: TurnpikeOptions["fetch"]
  /** How often the client itself retries a request, before the AI SDK does. Default 3. */
  maxRetries?: number | undefined
}

export interface TurnpikeProvider extends ProviderV4 {
  /** A space as a language model. */
  (space: string, settings?: TurnpikeSettings): LanguageModelV4
  languageModel(space: string, settings?: TurnpikeSettings): LanguageModelV4
}

/**
 * The AI SDK's provider of Turnpike. Its models are spaces, and each call of a model is a turn.
 *
 * @example
 * const turnpike = createTurnpike({ apiKey: process.env.TURNPIKE_API_KEY, baseURL: process.env.TURNPIKE_BASE_URL })
 * const model = turnpike("spc_…", { endUser: "customer-42" })
 * const { text } = await generateText({ model, prompt: "Where is my order?" })
 */
export function createTurnpike({ baseURL, ...options }: TurnpikeProviderOptions = {}): TurnpikeProvider {
  const config = { client: { ...options, baseUrl: baseURL }, failed: new FailedCalls() }
  const languageModel = (space: string, settings: TurnpikeSettings = {}) =>
    new TurnpikeLanguageModel(space, settings, config)
  const noModel = (modelType: "embeddingModel" | "imageModel") => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType })
  }
  return Object.assign((space: string, settings?: TurnpikeSettings) => languageModel(space, settings), {
    specificationVersion: "v4" as const,
    languageModel,
    embeddingModel: noModel("embeddingModel"),
    imageModel: noModel("imageModel"),
  })
}

/** The provider with TURNPIKE_API_KEY and TURNPIKE_BASE_URL of the environment, which a call reads. */
export const turnpike: TurnpikeProvider = createTurnpike()

import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import {
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelV4,
  type LanguageModelV4ToolChoice,
  type SharedV4Warning,
  TypeValidationError,
} from "@ai-sdk/provider"
import { parseExact } from "../base/exact-json.ts"
import type { Fields } from "../base/fields.ts"
import { NotSent } from "../base/not-sent.ts"
import { usageOf } from "./answer-usage.ts"
import { withCarried } from "./carried.ts"
import {
  type CallChoice,
  ENGINE_URLS,
  type EngineContext,
  type EngineName,
  type ModelAccounts,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  type Setting,
} from "./engine.ts"
import { Evidence } from "./evidence.ts"
import { finishOf, isFaulty } from "./finish.ts"
import { knownFrames } from "./known-frames.ts"
import { breakpoint, cacheOptions } from "./prompt-cache.ts"
import { reasoningOptions, withBudget, withoutSigned } from "./reasoning.ts"
import { otherForm, type RequestForm, usualForm } from "./request-form.ts"
import { type AskedForm, askedForm, inOwnForm } from "./result-form.ts"
import { SdkAnswer } from "./sdk-answer.ts"
import { toModelError } from "./sdk-errors.ts"
import { toSdkMessages, toSdkTools } from "./sdk-messages.ts"
import { anthropicTier, lacksRoom, tierField } from "./service-tier.ts"
import { Thinking } from "./thinking.ts"

type SdkEngineName = Exclude<EngineName, "rehearsal">

/**
 * Makes one model call through the AI SDK's provider packages. It never retries: the turn machine retries across
 * callbacks. The SDK's `streamText` would check and keep each part of the stream a second time.
 */
export async function callSdk(context: EngineContext, call: ModelCall, engine: SdkEngineName): Promise<ModelAnswer> {
  let form = usualForm(context, call)
  /** The first refusal after which a form was only a guess. */
  let unknown: ModelError | null = null
  for (let tries = 0; ; tries++) {
    try {
      const answer = await sent(context, call, { engine, form })
      for (const key of form.refused) context.refused?.add(key)
      return answer
    } catch (error) {
      const isRefusal = error instanceof ModelError && (error.kind === "rejected" || lacksRoom(call.serviceTier, error))
      const other = isRefusal && tries < MOST_FORMS ? otherForm(context, call, { form, error }) : null
      if (!other) throw isRefusal && unknown ? unknown : error
      if (other.isGuess) unknown ??= error as ModelError
      context.onRefused?.(error as ModelError, other.change)
      form = other.form
    }
  }
}

/** How many other forms of a refused request are tried. */
const MOST_FORMS = 4

/** Sends a call once. Throws a ModelError, or the reason of its end. */
async function sent(
  context: EngineContext,
  call: ModelCall,
  { engine, form }: { engine: SdkEngineName; form: RequestForm },
): Promise<ModelAnswer> {
  const evidence = new Evidence(context.onResponse)
  try {
    return await streamed(context, call, { engine, evidence, form })
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    if (error instanceof NotSent) throw error
    // The provider failed without any count. No estimate makes an account pay for that.
    const isVoid = evidence.hasFailed && evidence.tokens.output.said === 0
    throw toModelError(error, call, { secrets: secretsOf(context.accounts[engine]), isVoid, body: evidence.refused })
  }
}

async function streamed(
  context: EngineContext,
  call: ModelCall,
  { engine, evidence, form }: { engine: SdkEngineName; evidence: Evidence; form: RequestForm },
): Promise<ModelAnswer> {
  const counted = () => evidence.tokens.read(engine, call.maxOutputTokens)
  const onCounts = () => context.onProgress?.({ usage: counted(), modifiers: evidence.terms.modifiers })
  const asked = askedForm(call, engine, form.way)
  const model = languageModel(context, { call, engine, form, asked, evidence, onCounts })
  const options = await requestOf(context, call, { engine, form, asked })
  context.signal.throwIfAborted()
  const { stream } = await model.doStream(options)
  const answer = new SdkAnswer({ hasMessages: engine === "openai" })
  const thinking = engine === "openai-compatible" ? new Thinking() : null
  const tell = ({ text, hidden }: { text: string; hidden: string }) => {
    if (text !== "") context.onText(text)
    if (hidden !== "") context.onProgress?.({ hidden })
  }
  try {
    for await (const part of stream) {
      if (part.type === "error" && !isNoFailure(part.error)) throw part.error
      if (part.type === "stream-start") tellLeftOut(context, part.warnings)
      const text = answer.add(part)
      if (text !== "") tell(thinking?.take(text) ?? { text, hidden: "" })
      else if (part.type === "reasoning-delta") context.onProgress?.({ hidden: part.delta })
      else if (part.type === "tool-input-delta") context.onProgress?.({ hidden: part.delta })
    }
  } catch (error) {
    // A connection that is lost after the announced end of an answer takes nothing from it.
    if (!evidence.isDone || evidence.hasFailed) throw error
  }
  const finish = finishOf(evidence, answer.said)
  if (thinking) tell(thinking.end({ byItself: finish === "stop" || finish === "other" }))
  const tools = new Set([...call.tools, ...(asked?.tool ? [asked.tool] : [])].map(({ name }) => name))
  const parts = answer.parts(tools, finish, evidence).filter(({ type }) => type !== "tool-call" || !isFaulty(finish))
  const { reasoning } = evidence.tokens.output
  const { modifiers } = evidence.terms
  const whole = {
    text: thinking?.text ?? answer.text,
    content: withCarried(thinking ? thinking.apart(parts) : parts, evidence.carried),
    finish,
    ...usageOf(call, { counted: counted(), said: answer.written, reasoning }),
    ...(modifiers.length > 0 && { modifiers }),
  }
  return inOwnForm(whole, asked)
}

async function requestOf(
  context: EngineContext,
  call: ModelCall,
  {
    engine,
    asked,
    form: { refused, mostOutput, without, isUnsigned },
  }: { engine: SdkEngineName; asked: AskedForm | null; form: RequestForm },
) {
  const { loadObject, signal } = context
  const cache = engine === "anthropic" ? call.cache : undefined
  const reasoning = without.has("reasoning") ? undefined : call.reasoning
  const messages = await toSdkMessages(isUnsigned ? withoutSigned(call.messages) : call.messages, {
    engine,
    loadObject,
    refused,
    ...(cache && { cache }),
  })
  if (messages.length === 0) throw new ModelError("rejected", "The call has no message.")
  const told = [call.system, asked?.words].filter(Boolean).join("\n\n")
  const system = told && { role: "system" as const, content: told, ...(cache && breakpoint(cache.lifetime)) }
  const tools = asked?.tool ? [...call.tools, asked.tool] : call.tools
  return {
    prompt: system ? [system, ...messages] : messages,
    // Instructions come after the tools, so their breakpoint covers both.
    ...(tools.length > 0 && {
      tools: toSdkTools(tools, system ? undefined : cache?.lifetime),
      // The SDK asks a model of Anthropic that reasons, and may not be forced, with auto.
      toolChoice: asked?.tool ? { type: "required" as const } : toolChoiceOf(call.choice),
    }),
    maxOutputTokens: Math.min(call.maxOutputTokens, mostOutput),
    ...(call.temperature !== undefined && !without.has("temperature") && { temperature: call.temperature }),
    ...(reasoning !== undefined && { reasoning }),
    // The Responses API has no such setting, and Anthropic takes no blank sequence.
    ...(call.stop && engine !== "openai" && !without.has("stop") && { stopSequences: stopsFor(engine, call.stop) }),
    providerOptions: {
      openai: {
        ...cacheOptions(engine, call.cache),
        ...reasoningOptions(reasoning),
        ...(call.callsOne && { parallelToolCalls: false }),
      },
      anthropic: {
        ...(call.callsOne && { disableParallelToolUse: true }),
        ...tierOptions(context, call, engine, without),
      },
    },
    abortSignal: signal,
  }
}

/** Asks Anthropic for a tier, or tells that it has none by this name. */
function tierOptions(
  { onLeftOut }: EngineContext,
  { serviceTier }: ModelCall,
  engine: SdkEngineName,
  without: RequestForm["without"],
) {
  if (engine !== "anthropic" || serviceTier === undefined || without.has("service_tier")) return {}
  const options = anthropicTier(serviceTier)
  if (options === null) onLeftOut?.("service_tier")
  return options ?? {}
}

const stopsFor = (engine: SdkEngineName, stops: readonly string[]) =>
  stops.filter((stop) => engine !== "anthropic" || stop.trim() !== "")

function toolChoiceOf(choice: CallChoice | undefined): LanguageModelV4ToolChoice {
  if (typeof choice === "object") return { type: "tool", toolName: choice.name }
  return { type: choice ?? "auto" }
}

/** True for a frame that the SDK did not understand, and for its own judgement of the end: `finishOf` judges it. */
function isNoFailure(error: unknown): boolean {
  if (TypeValidationError.isInstance(error) || JSONParseError.isInstance(error)) return true
  return InvalidResponseDataError.isInstance(error) && /ended without a finish reason/.test(error.message)
}

function languageModel(
  context: EngineContext,
  {
    call,
    engine,
    form,
    asked,
    ...noting
  }: {
    call: ModelCall
    engine: SdkEngineName
    form: RequestForm
    asked: AskedForm | null
    evidence: Evidence
    onCounts: () => void
  },
): LanguageModelV4 {
  const { accounts } = context
  const send: typeof fetch = async (input, given) => {
    const tier = tierField(engine, form.without.has("service_tier") ? undefined : call.serviceTier)
    const init = withForm(engine === "anthropic" ? budgeted(context, call, form, given) : given, asked, tier)
    const response = await context.fetch(input, init)
    if (!response.ok && typeof init?.body === "string") noting.evidence.refused = init.body
    return knownFrames(response, { engine, ...noting })
  }
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
    const transformRequestBody = (body: Record<string, unknown>) => ({
      ...(form.namesCompletion ? withCompletionTokens(body) : body),
      ...(call.callsOne && { parallel_tool_calls: false }),
    })
    const named = { ...common, name: "compatible", baseURL: baseUrl, includeUsage: true, transformRequestBody }
    return createOpenAICompatible({ ...named, ...(key && { apiKey: key }) })(call.model)
  }
  throw new ModelError("unavailable", `No account is configured for the engine ${engine}.`)
}

/** Adds the form of the answer and other fields to a request. */
function withForm(init: RequestInit | undefined, asked: AskedForm | null, more: Fields | null) {
  if (typeof init?.body !== "string" || !(asked?.add || more)) return init
  const body = { ...(parseExact(init.body) as Fields), ...more }
  return { ...init, body: JSON.stringify(asked?.add ? asked.add(body) : body) }
}

function budgeted(context: EngineContext, call: ModelCall, form: RequestForm, init: RequestInit | undefined) {
  if (typeof init?.body !== "string" || form.without.has("reasoning")) return init
  const { temperature, ...rest } = call
  const messages = form.isUnsigned ? withoutSigned(rest.messages) : rest.messages
  const sent = {
    ...rest,
    messages,
    ...(temperature !== undefined && !form.without.has("temperature") && { temperature }),
  }
  const output = Math.min(call.maxOutputTokens, form.mostOutput)
  const onLeftOut = (setting: Setting) => context.onLeftOut?.(setting)
  return { ...init, body: withBudget(init.body, sent, { output, onLeftOut }) }
}

/** Tells the settings that the SDK has left out or changed, since it knows that the model does not take them. */
function tellLeftOut({ onLeftOut }: EngineContext, warnings: readonly SharedV4Warning[]): void {
  for (const warning of warnings) {
    const feature = "feature" in warning ? warning.feature : ""
    if (feature === "temperature") onLeftOut?.("temperature")
    if (/^reasoning|thinking$/.test(feature)) onLeftOut?.("reasoning")
  }
}

const withCompletionTokens = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
})

/** The secrets of an account. No message may contain them. */
function secretsOf({ apiKey, authToken, headers }: NonNullable<ModelAccounts[SdkEngineName]> = {}): string[] {
  return [apiKey, authToken, ...Object.values(headers ?? {})].filter((secret) => secret !== undefined)
}

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, SharedV4Warning } from "@ai-sdk/provider"
import type { NewTurn, SentMessage } from "@turnpike-turns/client"
import { digestOf } from "./digest.ts"
import { messagesOf, type SentResult } from "./messages.ts"
import { fieldsOf, optionsOf, type TurnpikeSettings } from "./settings.ts"

/** A call of the AI SDK as a turn. */
export interface AskedTurn {
  body: NewTurn
  /** The turn for a chat whose calls the service does not know as open: it has all messages. */
  otherwise: NewTurn | null
  /** A digest of all messages. Calls of the turn carry it, so their results continue it only if the chat is the same. */
  prompt: string
  idempotencyKey: string | undefined
  warnings: SharedV4Warning[]
}

const IGNORED = ["topP", "topK", "presencePenalty", "frequencyPenalty", "seed"] as const

/** The efforts that the service does not have, by the nearest one. */
const EFFORTS = { minimal: "low", xhigh: "high", max: "high" } as const

export async function askTurn(
  space: string,
  settings: TurnpikeSettings,
  call: LanguageModelV4CallOptions,
): Promise<AskedTurn> {
  const { idempotencyKey, ...options } = optionsOf(settings, call)
  const warnings: SharedV4Warning[] = IGNORED.filter((name) => call[name] !== undefined).map((feature) => ({
    type: "unsupported",
    feature,
    details: "The manifest of the space decides.",
  }))
  const fields = {
    space,
    ...fieldsOf(options),
    end_user_ref: options.endUser,
    ...answerFields(call, warnings),
    ...toolFields(call, warnings),
  }
  const messages = messagesOf(call.prompt)
  const body = { ...fields, messages }
  const asked = { body, otherwise: null, prompt: await digestOf(messages), idempotencyKey, warnings }
  const last = await lastExchange(call.prompt)
  const conversation = options.conversation ?? last.conversation
  if (conversation === undefined) return asked
  if (last.continued === null) {
    const system = messages.filter(({ role }) => role === "system")
    return { ...asked, body: { ...fields, conversation, messages: [...system, ...last.after] } }
  }
  // Without `tools`, a turn with results would have those of the turn before.
  const continued = { ...fields, tools: fields.tools ?? [], conversation, ...last.continued }
  return { ...asked, body: continued, otherwise: options.conversation === undefined ? body : null }
}

interface LastExchange {
  /** The messages after the last reply, without those of the system. */
  after: SentMessage[]
  /** The results of its calls and the text that follows them; null if there is anything else. */
  continued: { results: SentResult[]; text?: string } | null
  /** The conversation whose last turn made these calls, if the chat before them is that of the turn. */
  conversation?: string | undefined
}

async function lastExchange(prompt: LanguageModelV4Prompt): Promise<LastExchange> {
  const at = prompt.findLastIndex(({ role }) => role === "assistant")
  const after = messagesOf(prompt.slice(at + 1)).filter(({ role }) => role !== "system")
  const results = after.flatMap((message) => (message.role === "tool" ? message.results : []))
  const [said, ...others] = after.filter(({ role }) => role !== "tool")
  const text = said?.role === "user" && typeof said.content === "string" ? said.content : undefined
  if (results.length === 0 || others.length > 0 || (said && text === undefined)) return { after, continued: null }
  const reply = prompt[at]
  const origins = reply?.role === "assistant" ? reply.content.map((part) => part.providerOptions?.turnpike) : []
  const origin = origins.find((one) => one?.conversation !== undefined)
  const isSame = origin !== undefined && origin.prompt === (await digestOf(messagesOf(prompt.slice(0, at))))
  return {
    after,
    continued: { results, ...(text !== undefined && { text }) },
    conversation: isSame ? String(origin.conversation) : undefined,
  }
}

/** How the model answers. */
function answerFields(call: LanguageModelV4CallOptions, warnings: SharedV4Warning[]): Partial<NewTurn> {
  const { maxOutputTokens, temperature, stopSequences, reasoning = "provider-default", responseFormat } = call
  const effort = reasoning in EFFORTS ? EFFORTS[reasoning as keyof typeof EFFORTS] : reasoning
  if (effort !== reasoning) {
    warnings.push({ type: "compatibility", feature: "reasoning", details: `${reasoning} is sent as ${effort}.` })
  }
  return {
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && stopSequences.length > 0 && { stop: stopSequences }),
    ...(effort !== "provider-default" && { reasoning: { effort } as NonNullable<NewTurn["reasoning"]> }),
    ...(responseFormat?.type === "json" && { response_format: formatOf(responseFormat) }),
  }
}

type JsonFormat = Extract<LanguageModelV4CallOptions["responseFormat"], { type: "json" }>

function formatOf({ schema, name = "response", description }: JsonFormat): NonNullable<NewTurn["response_format"]> {
  if (schema === undefined) return { type: "json_object" }
  const described = description === undefined ? {} : { description }
  return { type: "json_schema", name, ...described, schema: schema as Record<string, unknown> }
}

function toolFields(
  { tools = [], toolChoice }: LanguageModelV4CallOptions,
  warnings: SharedV4Warning[],
): Pick<NewTurn, "tools" | "tool_choice"> {
  const details = "Give the space a tool of its own instead."
  for (const tool of tools) {
    if (tool.type === "provider") warnings.push({ type: "unsupported", feature: `the tool ${tool.id}`, details })
  }
  const own = tools.filter((tool) => tool.type === "function")
  if (own.length === 0) return {}
  return {
    tools: own.map(({ name, description, inputSchema }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: inputSchema as Record<string, unknown>,
    })),
    ...(toolChoice && { tool_choice: toolChoice.type === "tool" ? { name: toolChoice.toolName } : toolChoice.type }),
  }
}

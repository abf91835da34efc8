import {
  type AssistantPart,
  type Message,
  type ModelCall,
  type ModelUsage,
  type ObjectPart,
  type ToolSpec,
  textOf,
} from "./engine.ts"
import { shownObjects } from "./takes.ts"

/**
 * Tokens that are counted in addition to the bytes of texts. Admission uses the same
 * numbers (src/turns/first-call.ts).
 */
export const PROMPT_TOKENS = {
  /** The most that a provider's chat template adds around a message, a tool and the whole prompt. */
  message: 16,
  tool: 64,
  prompt: 64,
  /** With tools, a provider adds instructions of its own (Anthropic: up to 530 tokens). */
  tools: 600,
  /** An image at the highest resolution that any provider reads. */
  image: 5_000,
  /** The pages of a document are read as text and as images. */
  document: { least: 10_000, most: 500_000, bytesPerToken: 10 },
} as const

/** The prompt after an answer that broke off. */
export const GO_ON = "Your answer broke off here. Go on exactly where it ended, without repeating anything of it."

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/**
 * An upper bound of the prompt's tokens, without a tokenizer: a byte-level BPE never makes more
 * tokens than bytes. Holds use this bound. Bills use the provider's count.
 */
export function promptTokenBound(call: Pick<ModelCall, "engine" | "system" | "messages" | "tools">): number {
  let bound = PROMPT_TOKENS.prompt + (call.tools.length > 0 ? PROMPT_TOKENS.tools : 0)
  if (call.system) bound += bytesOf(call.system) + PROMPT_TOKENS.message
  bound += toolTokenBound(call.tools)
  const shown = shownObjects(call.engine, call.messages)
  for (const message of call.messages) bound += messageBound(message, shown)
  return bound
}

/** The share of the tools in that bound. */
export function toolTokenBound(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + bytesOf(JSON.stringify(tool)) + PROMPT_TOKENS.tool, 0)
}

function messageBound(message: Message, shown: ReadonlySet<ObjectPart>): number {
  if (message.role === "assistant") {
    const asked = message.cut ? bytesOf(GO_ON) + PROMPT_TOKENS.message : 0
    return message.content.reduce<number>((sum, part) => sum + saidBound(part), PROMPT_TOKENS.message + asked)
  }
  const parts =
    message.role === "user"
      ? message.content
      : message.content.flatMap(({ toolName, output }) => [
          { type: "text" as const, text: toolName },
          ...(output.type === "parts" ? output.value : [{ type: "text" as const, text: output.value }]),
        ])
  return parts.reduce(
    (sum, part) => sum + PROMPT_TOKENS.message + (part.type === "text" ? bytesOf(part.text) : objectBound(part, shown)),
    0,
  )
}

/** Plain text counts its bytes. A call, and data of a provider, count as JSON. */
function saidBound(part: AssistantPart): number {
  return bytesOf(part.type === "text" && !part.providerOptions ? part.text : JSON.stringify(part))
}

function objectBound(part: ObjectPart, shown: ReadonlySet<ObjectPart>): number {
  const { name, mediaType, bytes } = part
  // A file that is not shown is only named.
  if (!shown.has(part)) return bytesOf(name) + bytesOf(mediaType) + PROMPT_TOKENS.tool
  if (mediaType.startsWith("image/")) return PROMPT_TOKENS.image
  const { least, most, bytesPerToken } = PROMPT_TOKENS.document
  return Math.min(most, Math.max(least, Math.ceil(bytes / bytesPerToken)))
}

const LIKELY_BYTES_PER_TOKEN = 4

/** The usual estimate: four bytes per token, and at least one token. For servers that report no count. */
export function likelyTokens(...texts: string[]): number {
  const bytes = texts.reduce((sum, text) => sum + bytesOf(text), 0)
  return Math.max(1, Math.ceil(bytes / LIKELY_BYTES_PER_TOKEN))
}

/** The same estimate for a prompt: instructions, tools and messages. For providers that report no count. */
export function likelyPromptTokens(call: Pick<ModelCall, "engine" | "system" | "messages" | "tools">): number {
  const tools = call.tools.length > 0 ? JSON.stringify(call.tools) : ""
  return Math.min(likelyTokens(call.system ?? "", tools, ...call.messages.map(textOf)), promptTokenBound(call))
}

/**
 * The tokens of a call that was cut off: the provider's counts up to then. Missing counts are estimated at four bytes
 * per token, from the prompt and the streamed output (`said`, including hidden output), within the call's bounds.
 */
export function usageOfCut(call: ModelCall, said: string, counted: Partial<ModelUsage>): ModelUsage {
  const tokensInput = counted.tokensInput || likelyPromptTokens(call)
  const tokensCached = Math.min(counted.tokensCached ?? 0, tokensInput)
  const tokensCacheWritten = Math.min(counted.tokensCacheWritten ?? 0, tokensInput - tokensCached)
  return {
    tokensInput,
    tokensCached,
    tokensCacheWritten,
    tokensCacheWrittenHour: Math.min(counted.tokensCacheWrittenHour ?? 0, tokensCacheWritten),
    tokensOutput: counted.tokensOutput ?? (said === "" ? 0 : Math.min(likelyTokens(said), call.maxOutputTokens)),
  }
}

/**
 * The longest prefix of a text with at most this number of tokens by likelyTokens().
 * It has no incomplete character.
 */
export function cutToTokens(text: string, tokens: number): string {
  return cutToBytes(text, tokens * LIKELY_BYTES_PER_TOKEN)
}

/** The longest prefix of a text with at most this number of UTF-8 bytes. It has no incomplete character. */
export function cutToBytes(text: string, bytes: number): string {
  const room = Math.min(bytes, text.length * 3)
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(room)).read)
}

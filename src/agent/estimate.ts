import { type Message, type ModelCall, type ModelUsage, type ObjectPart, textOf } from "./engine.ts"
import { shownObjects } from "./takes.ts"

/** What a provider's chat template adds around a message, a tool and the whole prompt, at the most. */
const TOKENS_PER_MESSAGE = 16
const TOKENS_PER_TOOL = 64
const TOKENS_PER_PROMPT = 64
/** With any tool at all, a provider puts instructions of its own before them (Anthropic: up to 530). */
const TOKENS_FOR_TOOLS = 600
/** An image at the highest resolution that a provider looks at. */
const TOKENS_PER_IMAGE = 5_000
/** A document's pages are read as text and as images: some bytes make a token. */
const DOCUMENT_TOKENS = { least: 10_000, most: 500_000, bytesPerToken: 10 }

/** What a model is asked behind an answer that broke off. */
export const GO_ON = "Your answer broke off here. Go on exactly where it ended, without repeating anything of it."

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/**
 * An upper bound of the prompt's tokens, without a tokenizer: a byte-level BPE never makes more tokens than bytes.
 * Holds are bounded by it; bills come from what the provider counts.
 */
export function promptTokenBound(call: Pick<ModelCall, "engine" | "system" | "messages" | "tools">): number {
  let bound = TOKENS_PER_PROMPT + (call.tools.length > 0 ? TOKENS_FOR_TOOLS : 0)
  if (call.system) bound += bytesOf(call.system) + TOKENS_PER_MESSAGE
  for (const tool of call.tools) bound += bytesOf(JSON.stringify(tool)) + TOKENS_PER_TOOL
  const shown = shownObjects(call.engine, call.messages)
  for (const message of call.messages) bound += messageBound(message, shown)
  return bound
}

function messageBound(message: Message, shown: ReadonlySet<ObjectPart>): number {
  if (message.role === "assistant") {
    const asked = message.cut ? bytesOf(GO_ON) + TOKENS_PER_MESSAGE : 0
    return bytesOf(JSON.stringify(message.content)) + TOKENS_PER_MESSAGE + asked
  }
  const parts =
    message.role === "user"
      ? message.content
      : message.content.flatMap(({ toolName, output }) => [
          { type: "text" as const, text: toolName },
          ...(output.type === "parts" ? output.value : [{ type: "text" as const, text: output.value }]),
        ])
  return parts.reduce(
    (sum, part) => sum + TOKENS_PER_MESSAGE + (part.type === "text" ? bytesOf(part.text) : objectBound(part, shown)),
    0,
  )
}

function objectBound(part: ObjectPart, shown: ReadonlySet<ObjectPart>): number {
  const { name, mediaType, bytes } = part
  // One that is not shown is named in a sentence.
  if (!shown.has(part)) return bytesOf(name) + bytesOf(mediaType) + TOKENS_PER_TOOL
  if (mediaType.startsWith("image/")) return TOKENS_PER_IMAGE
  const { least, most, bytesPerToken } = DOCUMENT_TOKENS
  return Math.min(most, Math.max(least, Math.ceil(bytes / bytesPerToken)))
}

const LIKELY_BYTES_PER_TOKEN = 4

/** The usual count: four bytes a token, at least one. For servers that report none. */
export function likelyTokens(...texts: string[]): number {
  const bytes = texts.reduce((sum, text) => sum + bytesOf(text), 0)
  return Math.max(1, Math.ceil(bytes / LIKELY_BYTES_PER_TOKEN))
}

/** A prompt by the usual count: instructions, tools and messages. For providers that count none. */
export function likelyPromptTokens(call: Pick<ModelCall, "engine" | "system" | "messages" | "tools">): number {
  const tools = call.tools.length > 0 ? JSON.stringify(call.tools) : ""
  return Math.min(likelyTokens(call.system ?? "", tools, ...call.messages.map(textOf)), promptTokenBound(call))
}

/**
 * The tokens of a call that was cut off: what the provider had counted by then; what it had not is estimated, the prompt and the
 * streamed text (`said`, with all that no customer sees) at four bytes a token, within what the call was bounded by.
 */
export function usageOfCut(call: ModelCall, said: string, counted: Partial<ModelUsage>): ModelUsage {
  const tokensInput = counted.tokensInput || likelyPromptTokens(call)
  const tokensCached = Math.min(counted.tokensCached ?? 0, tokensInput)
  return {
    tokensInput,
    tokensCached,
    tokensCacheWritten: Math.min(counted.tokensCacheWritten ?? 0, tokensInput - tokensCached),
    tokensOutput: counted.tokensOutput ?? (said === "" ? 0 : Math.min(likelyTokens(said), call.maxOutputTokens)),
  }
}

/** The longest beginning of a text that `likelyTokens` counts as at most so many tokens; never half a character. */
export function cutToTokens(text: string, tokens: number): string {
  return cutToBytes(text, tokens * LIKELY_BYTES_PER_TOKEN)
}

/** The longest beginning of a text with at most so many UTF-8 bytes; never half a character. */
export function cutToBytes(text: string, bytes: number): string {
  const room = Math.min(bytes, text.length * 3)
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(room)).read)
}

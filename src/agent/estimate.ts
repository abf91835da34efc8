import type { ResultForm } from "../base/result-form.ts"
import { type AssistantPart, type Message, type ModelCall, type ObjectPart, type ToolSpec, textOf } from "./engine.ts"
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
  /** The words about the form of an answer, and the tool whose input it may be. */
  form: 1_200,
  /**
   * The most that a provider adds by itself, such as its own instructions. Holds do not include it: a charge stays
   * within its hold. A count beyond it is not billed.
   */
  provider: 4_096,
  /** The pages of a document are read as text and as images. */
  document: { least: 10_000, most: 500_000, bytesPerToken: 10 },
} as const

/** The prompt after an answer that broke off, and after one without text and calls. */
export const GO_ON = {
  cut: "Your answer broke off here. Go on exactly where it ended, without repeating anything of it.",
  empty: "You have not answered yet: your last answer had no text. Go on, and answer now.",
} as const

const encoder = new TextEncoder()
/** The number of UTF-8 bytes of a text. */
export const byteLength = (text: string) => encoder.encode(text).length

/** The part of a call that its model reads. */
export type Prompt = Pick<ModelCall, "engine" | "system" | "messages" | "tools" | "result">

/**
 * An upper bound of the prompt's tokens, without a tokenizer: a byte-level BPE never makes more
 * tokens than bytes. Holds use this bound. Bills use the provider's count.
 */
export function promptTokenBound(call: Prompt): number {
  let bound = PROMPT_TOKENS.prompt + (call.tools.length > 0 ? PROMPT_TOKENS.tools : 0)
  if (call.system) bound += byteLength(call.system) + PROMPT_TOKENS.message
  bound += toolTokenBound(call.tools)
  const shown = shownObjects(call.engine, call.messages)
  for (const message of call.messages) bound += messageBound(message, shown)
  return call.result ? bound + formTokenBound(call.result) : bound
}

/** The share of a form in that bound. A schema is sent with at most twice its bytes (result-form.ts). */
export const formTokenBound = (form: ResultForm): number => 2 * byteLength(JSON.stringify(form)) + PROMPT_TOKENS.form

/** The share of the tools in that bound. */
export function toolTokenBound(tools: readonly ToolSpec[]): number {
  return tools.reduce((sum, tool) => sum + byteLength(JSON.stringify(tool)) + PROMPT_TOKENS.tool, 0)
}

function messageBound(message: Message, shown: ReadonlySet<ObjectPart>): number {
  if (message.role === "assistant") {
    const asked = message.asks ? byteLength(GO_ON[message.asks]) + PROMPT_TOKENS.message : 0
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
    (sum, part) =>
      sum + PROMPT_TOKENS.message + (part.type === "text" ? byteLength(part.text) : objectBound(part, shown)),
    0,
  )
}

/** Plain text counts its bytes. A call, and data of a provider, count as JSON. */
function saidBound(part: AssistantPart): number {
  return byteLength(part.type === "text" && !part.providerOptions ? part.text : JSON.stringify(part))
}

function objectBound(part: ObjectPart, shown: ReadonlySet<ObjectPart>): number {
  const { name, mediaType, bytes } = part
  // A file that is not shown is only named.
  if (!shown.has(part)) return byteLength(name) + byteLength(mediaType) + PROMPT_TOKENS.tool
  if (mediaType.startsWith("image/")) return PROMPT_TOKENS.image
  const { least, most, bytesPerToken } = PROMPT_TOKENS.document
  return Math.min(most, Math.max(least, Math.ceil(bytes / bytesPerToken)))
}

const LIKELY_BYTES_PER_TOKEN = 4

/** The usual estimate: four bytes per token, and at least one token. For servers that report no count. */
export function likelyTokens(...texts: string[]): number {
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0)
  return Math.max(1, Math.ceil(bytes / LIKELY_BYTES_PER_TOKEN))
}

/** The same estimate for a prompt: instructions, tools and messages. For providers that report no count. */
export function likelyPromptTokens(call: Prompt): number {
  const tools = call.tools.length > 0 ? JSON.stringify(call.tools) : ""
  const form = call.result ? JSON.stringify(call.result) : ""
  return Math.min(likelyTokens(call.system ?? "", tools, form, ...call.messages.map(textOf)), promptTokenBound(call))
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
  const mostBytes = Math.min(bytes, text.length * 3)
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(mostBytes)).read)
}

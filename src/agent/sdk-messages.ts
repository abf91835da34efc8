import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider"
import { essence, sniffed } from "../base/media-bytes.ts"
import { withUniqueIds } from "./call-ids.ts"
import { withoutCarried } from "./carried.ts"
import {
  type CacheLifetime,
  callInput,
  type EngineName,
  type Message,
  type ObjectPart,
  type PromptCache,
  type TextPart,
  type ToolOutput,
  type ToolSpec,
} from "./engine.ts"
import { GO_ON } from "./estimate.ts"
import { imageSize } from "./image-size.ts"
import { breakpoint, markBreakpoints } from "./prompt-cache.ts"
import { IMAGE_LIMITS, shownObjects, TAKES } from "./takes.ts"

type JsonOptions = NonNullable<LanguageModelV4Message["providerOptions"]>

interface Loading {
  engine: EngineName
  /** The files whose bytes are sent. All others are only named. */
  shown: ReadonlySet<ObjectPart>
  /** The keys of files that the provider has refused. */
  refused: ReadonlySet<string>
  loadObject(objectKey: string): Promise<Uint8Array<ArrayBuffer> | null>
}

/**
 * Converts the transcript to the AI SDK's form, with the bytes of its objects. `cache`:
 * the breakpoints for Anthropic.
 */
export async function toSdkMessages(
  messages: Message[],
  {
    engine,
    loadObject,
    refused = new Set(),
    cache,
  }: Pick<Loading, "engine" | "loadObject"> & { refused?: Loading["refused"]; cache?: PromptCache },
): Promise<LanguageModelV4Message[]> {
  const loading = { engine, shown: shownObjects(engine, messages), refused, loadObject }
  // A breakpoint comes before a note, so the note is a message of its own there.
  const notes = new Set<LanguageModelV4Message>()
  const converted = await Promise.all(
    withUniqueIds(messages, engine).map(async (message) => {
      const asks = message.role === "assistant" ? message.asks : undefined
      const [whole, note] = cache ? withoutNote(message) : [message, null]
      const sent = [await toSdkMessage(whole, loading), ...(asks ? [goOn[asks]] : [])]
      if (note) {
        const apart: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: note.text }] }
        notes.add(apart)
        sent.push(apart)
      }
      // Providers reject an empty message, and an earlier answer may be empty.
      return sent.filter(({ content }) => content.length > 0)
    }),
  )
  return cache ? markBreakpoints(converted, cache, (message) => !notes.has(message)) : joined(converted.flat())
}

/** A message without its note, and the note; null if it has none. */
function withoutNote(message: Message): [Message, TextPart | null] {
  const last = message.role === "user" ? message.content.at(-1) : undefined
  if (message.role !== "user" || last?.type !== "text" || !last.isNote) return [message, null]
  return [{ ...message, content: message.content.slice(0, -1) }, last]
}

/** Adds the prompt after an empty answer to the message before it: some servers require that roles alternate. */
function joined(messages: LanguageModelV4Message[]): LanguageModelV4Message[] {
  const all: LanguageModelV4Message[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (message !== goOn.empty || last?.role !== "user") {
      all.push(message)
      continue
    }
    const text = last.content.at(-1)
    const asked = text?.type === "text" ? `${text.text}\n\n${GO_ON.empty}` : GO_ON.empty
    const before = text?.type === "text" ? last.content.slice(0, -1) : last.content
    all[all.length - 1] = { ...last, content: [...before, { type: "text", text: asked }] }
  }
  return all
}

async function toSdkMessage(message: Message, loading: Loading): Promise<LanguageModelV4Message> {
  switch (message.role) {
    case "user":
      return {
        role: "user",
        content: (await Promise.all(message.content.map((part) => load(part, loading)))).filter(said),
      }
    case "assistant": {
      const { content, carried } = withoutCarried(message.content)
      return {
        role: "assistant",
        ...(Object.keys(carried).length > 0 && { providerOptions: { openaiCompatible: carried } as JsonOptions }),
        content: content
          .map((part) => {
            if (part.type !== "tool-call") return part
            const { invalid: _invalid, written: _written, ...call } = part
            const input = callInput(part)
            // Providers require an object, even if the model wrote something else.
            return { ...call, input: typeof input === "object" && input !== null && !Array.isArray(input) ? input : {} }
          })
          .filter(said),
      }
    }
    case "tool":
      return {
        role: "tool",
        content: await Promise.all(
          message.content.map(async ({ output, ...call }): Promise<LanguageModelV4ToolResultPart> => {
            return { type: "tool-result", ...call, output: await toSdkOutput(output, loading) }
          }),
        ),
      }
  }
}

const said = (part: { type: string; text?: string }) => part.type !== "text" || (part.text ?? "").trim() !== ""

type SdkPart =
  | TextPart
  | { type: "file"; mediaType: string; filename: string; data: { type: "data"; data: Uint8Array<ArrayBuffer> } }

async function load(part: TextPart | ObjectPart, loading: Loading): Promise<SdkPart> {
  if (part.type === "text") {
    const { isNote: _note, byService: _byService, ...text } = part
    return text
  }
  const { shown, refused, loadObject } = loading
  const { name, mediaType, objectKey } = part
  const note = (why: string): SdkPart => ({
    type: "text",
    text: `[The file ${name} (${mediaType}, ${part.bytes} bytes) ${why}.]`,
  })
  if (!shown.has(part)) return note("cannot be shown to this model")
  if (refused.has(objectKey)) return note("was refused by the model's provider, so it cannot be shown")
  const data = await loadObject(objectKey)
  if (!data) return note("no longer exists")
  // A provider rejects the whole request if the bytes of one file do not match its type, or exceed its limits.
  const type = sniffed(data)
  if (type === null) return note(`has bytes that are not ${essence(mediaType)}`)
  const fault = faultOf(data, type, loading)
  if (fault !== null) return note(fault)
  return { type: "file", mediaType: type, filename: name, data: { type: "data", data } }
}

/** Why the engine's provider would refuse a file; null if nothing is known against it. */
function faultOf(data: Uint8Array, type: string, { engine, shown }: Loading): string | null {
  if (!TAKES[engine]?.test(type)) return `is ${type}, which cannot be shown to this model`
  const limits = IMAGE_LIMITS[engine]
  if (!limits || !type.startsWith("image/")) return null
  if (data.length > limits.bytes) return `has more than ${limits.bytes} bytes, so it cannot be shown to this model`
  const images = [...shown].filter(({ mediaType }) => mediaType.startsWith("image/")).length
  const most = images > limits.many.images ? limits.many.side : limits.side
  const { width, height } = imageSize(data, type) ?? { width: 0, height: 0 }
  if (Math.max(width, height) <= most) return null
  return `has ${width} x ${height} pixels, more than ${most}, so it cannot be shown to this model`
}

async function toSdkOutput(output: ToolOutput, loading: Loading): Promise<LanguageModelV4ToolResultPart["output"]> {
  if (output.type === "error") return { type: "error-text", value: output.value }
  if (output.type === "text") return { type: "text", value: output.value }
  return { type: "content", value: await Promise.all(output.value.map((part) => load(part, loading))) }
}

/** `kept`: how long the provider should cache the tools. */
export function toSdkTools(specs: ToolSpec[], kept?: CacheLifetime): LanguageModelV4FunctionTool[] {
  return specs.map(({ name, description, inputSchema }, index) => ({
    type: "function",
    name,
    description,
    inputSchema,
    ...(kept && index === specs.length - 1 && breakpoint(kept)),
  }))
}

const goOnWith = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] })
const goOn = { cut: goOnWith(GO_ON.cut), empty: goOnWith(GO_ON.empty) }

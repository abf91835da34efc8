import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider"
import { essence, sniffed } from "../base/media-bytes.ts"
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
import { breakpoint, markBreakpoints } from "./prompt-cache.ts"
import { shownObjects, TAKES } from "./takes.ts"

interface Loading {
  engine: EngineName
  /** The files whose bytes are sent. All others are only named. */
  shown: ReadonlySet<ObjectPart>
  loadObject(objectKey: string): Promise<Uint8Array<ArrayBuffer> | null>
}

/**
 * Converts the transcript to the AI SDK's form, with the bytes of its objects. `cache`:
 * the breakpoints for Anthropic.
 */
export async function toSdkMessages(
  messages: Message[],
  { engine, loadObject, cache }: { engine: EngineName; loadObject: Loading["loadObject"]; cache?: PromptCache },
): Promise<LanguageModelV4Message[]> {
  const loading = { engine, shown: shownObjects(engine, messages), loadObject }
  const converted = await Promise.all(
    messages.map(async (message) => {
      const cut = message.role === "assistant" && message.cut === true
      const sent = [await toSdkMessage(message, loading), ...(cut ? [goOn()] : [])]
      // Providers reject an empty message, and an earlier answer may be empty.
      return sent.filter(({ content }) => content.length > 0)
    }),
  )
  return cache ? markBreakpoints(converted, cache) : converted.flat()
}

async function toSdkMessage(message: Message, loading: Loading): Promise<LanguageModelV4Message> {
  switch (message.role) {
    case "user":
      return {
        role: "user",
        content: (await Promise.all(message.content.map((part) => load(part, loading)))).filter(said),
      }
    case "assistant":
      return {
        role: "assistant",
        content: message.content
          .map((part) => {
            if (part.type !== "tool-call") return part
            const { invalid: _invalid, written: _written, ...call } = part
            const input = callInput(part)
            // Providers require an object, even if the model wrote something else.
            return { ...call, input: typeof input === "object" && input !== null && !Array.isArray(input) ? input : {} }
          })
          .filter(said),
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

async function load(part: TextPart | ObjectPart, { engine, shown, loadObject }: Loading): Promise<SdkPart> {
  if (part.type === "text") return part
  const { name, mediaType, objectKey } = part
  const taken = shown.has(part)
  const data = taken ? await loadObject(objectKey) : null
  // A provider rejects the whole request if the bytes of one file do not match its type.
  const type = data && sniffed(data)
  if (data && type && TAKES[engine]?.test(type)) {
    return { type: "file", mediaType: type, filename: name, data: { type: "data", data } }
  }
  const wrong = type
    ? `is ${type}, which cannot be shown to this model`
    : `has bytes that are not ${essence(mediaType)}`
  const why = data ? wrong : taken ? "no longer exists" : "cannot be shown to this model"
  return { type: "text", text: `[The file ${name} (${mediaType}, ${part.bytes} bytes) ${why}.]` }
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

const goOn = (): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text: GO_ON }] })

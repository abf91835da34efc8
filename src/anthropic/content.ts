import * as z from "zod"
import { invalid } from "../base/invalid-field.ts"
import { PLAIN_ROLES, type PlainMessage } from "../dialects/plain-messages.ts"
import type { Attachment } from "../turns/attach-files.ts"

const text = z.object({ type: z.literal("text"), text: z.string() })

const bytes = z.object({
  type: z.literal("base64"),
  media_type: z.string().min(1).max(255),
  data: z.string().min(1),
})
const atUrl = z.object({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }).max(2048) })
const stored = z.object({ type: z.literal("file"), file_id: z.string().min(1).max(64) })

const image = z
  .object({ type: z.literal("image"), source: z.discriminatedUnion("type", [bytes, atUrl, stored]) })
  .meta({ id: "AnthropicImage" })

const document = z
  .object({
    type: z.literal("document"),
    title: z.string().max(1024).nullish(),
    context: z.string().nullish(),
    source: z.discriminatedUnion("type", [
      bytes,
      atUrl,
      stored,
      z.object({ type: z.literal("text"), data: z.string() }),
      z.object({
        type: z.literal("content"),
        content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image]))]),
      }),
    ]),
  })
  .meta({ id: "AnthropicDocument" })

const searchResult = z.object({
  type: z.literal("search_result"),
  title: z.string(),
  source: z.string(),
  content: z.array(text),
})

const callId = z.string().min(1).max(256)

const toolUse = z.object({
  type: z.literal("tool_use"),
  id: callId,
  name: z.string().min(1).max(128),
  input: z.record(z.string(), z.unknown()),
})

const toolResult = z
  .object({
    type: z.literal("tool_result"),
    tool_use_id: callId,
    content: z
      .union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document, searchResult]))])
      .nullish(),
    is_error: z.boolean().nullish(),
  })
  .meta({ id: "AnthropicToolResult" })

const thinking = z.object({ type: z.enum(["thinking", "redacted_thinking"]) })

const block = z.discriminatedUnion("type", [text, image, document, searchResult, toolUse, toolResult, thinking])

export const messageParam = z
  .object({ role: z.enum(PLAIN_ROLES), content: z.union([z.string(), z.array(block)]) })
  .meta({ id: "AnthropicMessageParam" })

export const systemParam = z.union([z.string(), z.array(text)])

type Block = z.output<typeof block>
type Readable = Extract<Block, { type: "text" | "image" | "document" | "search_result" }>
type Part = string | Attachment

interface Conversation {
  system?: z.output<typeof systemParam> | undefined
  messages: readonly z.output<typeof messageParam>[]
}

/** The messages of a request without their form. Throws VALIDATION_FAILED. */
export function messagesOf({ system, messages }: Conversation): PlainMessage[] {
  const told = typeof system === "string" ? system : (system ?? []).map((part) => part.text).join("\n\n")
  return [
    ...(told === "" ? [] : [{ role: "system" as const, parts: [told] }]),
    ...messages.flatMap(({ role, content }, place) => {
      const param = `messages.${place}.content`
      const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content
      if (role === "user") return saidByUser(blocks, param)
      return [role === "assistant" ? saidByAssistant(blocks, param) : { role, parts: textsOf(blocks, param, role) }]
    }),
  ]
}

/** Results come first, as Anthropic wants them. Files of a result are shown after it, since results are texts. */
function saidByUser(blocks: readonly Block[], param: string): PlainMessage[] {
  const results: PlainMessage[] = []
  const parts: Part[] = []
  for (const [nth, one] of blocks.entries()) {
    const at = `${param}.${nth}`
    if (one.type === "tool_result") {
      const given =
        typeof one.content === "string" ? [one.content] : (one.content ?? []).flatMap((part) => read(part, at))
      const files = given.filter((part) => typeof part !== "string")
      const texts = given.filter((part) => typeof part === "string")
      if (files.length > 0) texts.push(FILES_FOLLOW)
      results.push({ role: "tool", id: one.tool_use_id, output: texts.join("\n\n"), isError: one.is_error === true })
      parts.push(...files)
    } else if (isReadable(one)) parts.push(...read(one, at))
    else throw misplaced(one, at, "user")
  }
  return results.length > 0 && parts.length === 0 ? results : [...results, { role: "user", parts }]
}

const FILES_FOLLOW = "[The files of this result follow.]"

function saidByAssistant(blocks: readonly Block[], param: string): PlainMessage {
  const calls = blocks.flatMap((one) => (one.type === "tool_use" ? [one] : []))
  const others = blocks.filter(({ type }) => type !== "tool_use" && type !== "thinking" && type !== "redacted_thinking")
  return {
    role: "assistant",
    parts: textsOf(others, param, "assistant"),
    ...(calls.length > 0 && { calls: calls.map(({ id, name, input }) => ({ id, name, input })) }),
  }
}

const textsOf = (blocks: readonly Block[], param: string, role: string): string[] =>
  blocks.map((one) => {
    if (one.type === "text") return one.text
    throw misplaced(one, param, role)
  })

const misplaced = ({ type }: Block, param: string, role: string) =>
  invalid(`a message of \`${role}\` cannot have a block of the type \`${type}\``, param)

const isReadable = (one: Block): one is Readable =>
  one.type === "text" || one.type === "image" || one.type === "document" || one.type === "search_result"

/** The parts of a block. A document of text is text; any other file is attached. */
function read(one: Readable, param: string): Part[] {
  switch (one.type) {
    case "text":
      return [one.text]
    case "image":
      return [{ ...fileAt(one.source, param), isImage: true }]
    case "search_result":
      return [[one.title, one.source, ...one.content.map((part) => part.text)].join("\n\n")]
    default: {
      const { source, title, context } = one
      const about = [title, context].filter(Boolean).join("\n\n")
      const before = about === "" ? [] : [about]
      if (source.type === "text") return [[...before, source.data].join("\n\n")]
      if (source.type !== "content") return [...before, { ...fileAt(source, param), name: title ?? undefined }]
      if (typeof source.content === "string") return [[...before, source.content].join("\n\n")]
      return [...before, ...source.content.flatMap((part) => read(part, param))]
    }
  }
}

type FileSource = z.output<typeof bytes | typeof atUrl | typeof stored>

function fileAt(source: FileSource, param: string): Attachment {
  if (source.type === "file") return { param, fileId: source.file_id }
  if (source.type === "url") return { param, data: source.url }
  return { param, data: source.data, mediaType: source.media_type }
}

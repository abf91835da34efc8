import * as z from "zod"
import type { Message, ObjectPart, TextPart, ToolCallPart, ToolResult, ToolSpec } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import { sizeInWords } from "../base/in-words.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { MESSAGE_POLICY } from "./policies.ts"

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() })
const storedFile = z.strictObject({
  type: z.literal("file"),
  file_id: z.string().min(1).max(64).meta({ description: "A file of the space." }),
})

const sentFile = z
  .strictObject({
    type: z.literal("file"),
    file_id: storedFile.shape.file_id.optional(),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional()
      .meta({
        description: `The public URL of a file of at most ${sizeInWords(FILE_POLICY.loadBytes)}, which is loaded before the turn is accepted.`,
      }),
    data: z.string().min(1).optional().meta({ description: "The file itself, in base64." }),
    media_type: z
      .string()
      .max(255)
      .optional()
      .meta({ description: "Of `data`. Default: by the name, or by the first bytes.", example: "image/png" }),
    name: z.string().min(1).max(1024).optional().meta({ description: "The name of a file by `url` or `data`." }),
  })
  .refine(({ file_id, url, data }) => [file_id, url, data].filter((one) => one !== undefined).length === 1, {
    error: "must have one of `file_id`, `url` and `data`",
  })
  .meta({ id: "SentFile", description: "A file of the space, or a new one, which becomes a file of the space." })

const texts = z.union([z.string(), z.array(textPart).max(MESSAGE_POLICY.parts)])
const callId = z.string().min(1).max(256).meta({ example: "call_1" })

const messageWith = <File extends typeof storedFile | typeof sentFile>(filePart: File) =>
  z.discriminatedUnion("role", [
    z.strictObject({ role: z.enum(["system", "developer"]), content: texts }),
    z.strictObject({
      role: z.literal("user"),
      content: z.union([
        z.string(),
        z.array(z.discriminatedUnion("type", [textPart, filePart])).max(MESSAGE_POLICY.parts),
      ]),
    }),
    z.strictObject({
      role: z.literal("assistant"),
      content: texts.nullish(),
      calls: z
        .array(
          z.strictObject({
            id: callId,
            name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, "must have only letters, digits, _ and -"),
            input: z.record(z.string(), z.unknown()),
          }),
        )
        .max(MESSAGE_POLICY.parts)
        .optional()
        .meta({ description: "Calls of tools that the model has made." }),
    }),
    z.strictObject({
      role: z.literal("tool"),
      results: z
        .array(
          z
            .strictObject({ id: callId, output: z.string().optional(), error: z.string().optional() })
            .refine(({ output, error }) => (output === undefined) !== (error === undefined), {
              error: "must have either `output` or `error`",
            }),
        )
        .min(1)
        .max(MESSAGE_POLICY.parts)
        .meta({ description: "The results of calls of the assistant's message before it, in any order." }),
    }),
  ])

const messageSchema = messageWith(storedFile).meta({ id: "TurnMessage" })
const sentMessageSchema = messageWith(sentFile).meta({ id: "SentMessage" })

/** A message whose files are files of the space, as turns are stored. */
export type TurnMessage = z.output<typeof messageSchema>

/** A message as it is sent. Its files may be new ones. */
export type SentMessage = z.output<typeof sentMessageSchema>

export const turnMessagesSchema = z
  .object({ turn_id: z.string(), messages: z.array(messageSchema) })
  .meta({ id: "TurnMessages" })

const DESCRIPTION =
  "Instead of `text`: messages, which reach the model as such. Without `conversation` the turn knows no other turn, so send the whole chat " +
  "each time; with one, only the new messages. Messages of `system` and `developer` are added to the instructions of the space, for " +
  "this turn. The last message is the user's, or has results of calls."

/** Messages of a turn whose files are stored. */
export const messagesSchema = z
  .array(messageSchema)
  .min(1)
  .max(MESSAGE_POLICY.messages)
  .superRefine((messages, { addIssue }) => addFaults(messages, addIssue))

/** Messages as they are sent. */
export const sentMessagesSchema = z
  .array(sentMessageSchema)
  .min(1)
  .max(MESSAGE_POLICY.messages)
  .superRefine((messages, { addIssue }) => addFaults(messages, addIssue))
  .meta({ description: DESCRIPTION })

function addFaults(messages: readonly SentMessage[], addIssue: z.RefinementCtx["addIssue"]): void {
  for (const { at, message } of faultsOf(messages)) addIssue({ code: "custom", path: at, message, input: messages })
}

interface Fault {
  at: (string | number)[]
  message: string
}

function* faultsOf(messages: readonly SentMessage[]): Generator<Fault> {
  const bytes = new TextEncoder().encode(JSON.stringify(messages)).length
  if (bytes > MESSAGE_POLICY.bytes) {
    yield { at: [], message: `must have at most ${MESSAGE_POLICY.bytes} bytes as JSON, and have ${bytes}` }
    return
  }
  const said = messages.filter(({ role }) => role !== "system" && role !== "developer")
  if (!said.some(({ role }) => role === "user")) yield { at: [], message: "must have a message of the user" }
  else if (said.at(-1)?.role === "assistant") {
    yield { at: [messages.length - 1], message: "must not be the last one: end with a message of the user" }
  }
  const [last] = exchangesOf(said).slice(-1)
  if (last?.[0]?.role === "user" && !last.some((message) => message.role !== "user" || isSaid(message.content))) {
    yield { at: [messages.length - 1], message: "must not be blank" }
  }
  yield* callFaults(messages)
}

const isSaid = (content: string | ({ type: "text"; text: string } | { type: "file" })[]) =>
  typeof content === "string"
    ? content.trim() !== ""
    : content.some((part) => part.type === "file" || part.text.trim() !== "")

/** Each result must answer a call of the assistant's message before it, and each call has at most one result. */
function* callFaults(messages: readonly SentMessage[]): Generator<Fault> {
  const known = new Set<string>()
  let open = new Set<string>()
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      for (const [nth, { id }] of message.results.entries()) {
        if (open.delete(id)) continue
        const why = known.has(id) ? "has its result already, or is no call of the message before" : "is not known"
        yield { at: [at, "results", nth, "id"], message: `the call "${id}" ${why}` }
      }
    } else if (message.role === "assistant") {
      open = new Set()
      for (const [nth, { id }] of (message.calls ?? []).entries()) {
        if (known.has(id)) yield { at: [at, "calls", nth, "id"], message: `another call has the id "${id}"` }
        known.add(id)
        open.add(id)
      }
    } else if (message.role === "user") open = new Set()
  }
}

/** Splits messages before each message of the user that follows another role's: the exchanges of a chat. */
export function exchangesOf<M extends { role: string }>(messages: readonly M[]): M[][] {
  const exchanges: M[][] = []
  let before: string | undefined
  for (const message of messages) {
    const last = exchanges.at(-1)
    if (!last || (message.role === "user" && before !== "user")) exchanges.push([message])
    else last.push(message)
    before = message.role
  }
  return exchanges
}

const plainText = (content: string | readonly { type: string; text?: string }[] | null | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n\n")

/** The text of a turn with messages: the last text of the user, cut to MESSAGE_POLICY.textBytes. */
export function lastTextOf(messages: readonly TurnMessage[]): string {
  const [last = []] = exchangesOf(messages.filter(({ role }) => role !== "system" && role !== "developer")).slice(-1)
  const said = last.flatMap((message) => (message.role === "user" ? [plainText(message.content)] : []))
  return cutToBytes(said.filter(Boolean).join("\n\n"), MESSAGE_POLICY.textBytes)
}

/** The instructions among the messages, in their order; empty without one. */
export const instructionsIn = (messages: readonly TurnMessage[]): string =>
  messages
    .flatMap((message) =>
      message.role === "system" || message.role === "developer" ? [plainText(message.content)] : [],
    )
    .filter((text) => text.trim() !== "")
    .join("\n\n")

/** The ids of the files in messages, each once. New files have none. */
export const filesIn = (messages: readonly SentMessage[]): string[] => [
  ...new Set(newOrStored(messages).flatMap(({ file_id }) => file_id ?? [])),
]

/** The files in messages, in their order. `param`: the field of each. */
export const newOrStored = (messages: readonly SentMessage[]) =>
  messages.flatMap((message, nth) =>
    message.role === "user" && typeof message.content !== "string"
      ? message.content.flatMap((part, place) =>
          part.type === "file" ? [{ ...part, param: `messages.${nth}.content.${place}` }] : [],
        )
      : [],
  )

/** The messages with the ids of their files, in the order of `newOrStored`. */
export function withFileIds(messages: readonly SentMessage[], ids: readonly string[]): TurnMessage[] {
  let file = 0
  return messages.map((message): TurnMessage => {
    if (message.role !== "user" || typeof message.content === "string") return message as TurnMessage
    const content = message.content.map((part) =>
      part.type === "file" ? { type: part.type, file_id: ids[file++] as string } : part,
    )
    return { ...message, content }
  })
}

/** A model reads this before a chat that the assistant has begun: providers want that the user begins. */
const BEGUN: Message = {
  role: "user",
  content: [{ type: "text", text: "[The assistant began this conversation.]" }],
}

const NO_RESULT = "The call was not answered."

/** The messages as a model reads them, without instructions. `fileParts`: the parts of each file. */
export function toModelMessages(
  messages: readonly TurnMessage[],
  fileParts: (fileId: string) => (TextPart | ObjectPart)[],
): Message[] {
  const all: Message[] = []
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.results.map((result) => [result.id, result] as const) : [],
    ),
  )
  for (const message of messages) {
    if (message.role === "user") all.push({ role: "user", content: userParts(message.content, fileParts) })
    else if (message.role === "assistant") {
      const calls = message.calls ?? []
      const text = plainText(message.content)
      const parts = calls.map(
        ({ id, name, input }): ToolCallPart => ({ type: "tool-call", toolCallId: id, toolName: name, input }),
      )
      if (text === "" && parts.length === 0) continue
      all.push({ role: "assistant", content: [...(text ? [{ type: "text" as const, text }] : []), ...parts] })
      const answers = calls.map(({ id, name }): ToolResult => {
        const { output, error = NO_RESULT } = results.get(id) ?? {}
        return {
          toolCallId: id,
          toolName: name,
          output: output === undefined ? { type: "error", value: error } : { type: "text", value: output },
        }
      })
      if (answers.length > 0) all.push({ role: "tool", content: answers })
    }
  }
  return all[0]?.role === "assistant" ? [BEGUN, ...all] : all
}

function userParts(
  content: Extract<TurnMessage, { role: "user" }>["content"],
  fileParts: (fileId: string) => (TextPart | ObjectPart)[],
): (TextPart | ObjectPart)[] {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return content.flatMap((part): (TextPart | ObjectPart)[] => (part.type === "text" ? [part] : fileParts(part.file_id)))
}

/**
 * Takes the place of an agent's tools in a prompt with earlier calls, if it has none: Anthropic refuses calls in a
 * request without tools.
 */
export const NO_TOOLS: ToolSpec[] = [
  {
    name: "no_tool",
    description: "There are no tools now. Do not call this.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
  },
]

/** True if messages of a prompt have calls of tools. */
export const haveCalls = (messages: readonly Message[]): boolean => messages.some(({ role }) => role === "tool")

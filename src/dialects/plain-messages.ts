import { invalid } from "../base/invalid-field.ts"
import type { Attachment } from "../turns/attach-files.ts"
import { messagesSchema, type TurnMessage } from "../turns/messages.ts"
import { turnText } from "../turns/schemas.ts"

/** The roles of messages with texts and files. */
export const PLAIN_ROLES = ["system", "user", "assistant"] as const

/** A call of a tool. */
interface PlainCall {
  id: string
  name: string
  input: Record<string, unknown>
}

/** A message of a dialect, without its form. */
export type PlainMessage =
  | { role: (typeof PLAIN_ROLES)[number]; parts: (string | Attachment)[]; calls?: PlainCall[] }
  | { role: "tool"; id: string; output: string; isError?: boolean }

/** The name of the field with the messages. */
type MessagesField = "input" | "messages"

/** The files of messages, in their order. */
export const attachmentsIn = (messages: readonly PlainMessage[]): Attachment[] =>
  messages.flatMap((message) =>
    message.role === "tool" ? [] : message.parts.filter((part): part is Attachment => typeof part !== "string"),
  )

/**
 * The part of a turn's request that has the messages: a text, if they are one text of the user, or messages.
 * `fileIds`: of the attachments in their order. Throws VALIDATION_FAILED.
 */
export function saidInTurn(
  plain: readonly PlainMessage[],
  fileIds: readonly string[],
  field: MessagesField,
): { text: string } | { messages: TurnMessage[] } {
  const [first, ...others] = plain
  if (first?.role === "user" && others.length === 0 && first.parts.every((part) => typeof part === "string")) {
    const text = first.parts.join("\n\n")
    if (turnText.safeParse(text).success) return { text }
  }
  const { data, error } = messagesSchema.safeParse(turnMessages(plain, fileIds))
  if (data) return { messages: data }
  const [issue] = error.issues
  throw invalid(issue?.message ?? "is invalid", field)
}

function turnMessages(plain: readonly PlainMessage[], fileIds: readonly string[]): TurnMessage[] {
  const ids = new UniqueIds()
  let file = 0
  return plain.map((message): TurnMessage => {
    if (message.role === "tool") {
      return { role: "tool", results: [resultOf({ ...message, id: ids.answered(message.id) })] }
    }
    const { role, parts, calls = [] } = message
    if (role === "user") {
      return {
        role,
        content: parts.map((part) => {
          if (typeof part === "string") return { type: "text" as const, text: part }
          return { type: "file" as const, file_id: fileIds[file++] as string }
        }),
      }
    }
    // Models read files of the user only.
    file += parts.filter((part) => typeof part !== "string").length
    const content = parts.filter((part) => typeof part === "string").join("\n\n")
    if (role === "system") return { role, content }
    const made = calls.map((call) => ({ id: ids.made(call.id), name: call.name, input: call.input }))
    return { role, content, ...(made.length > 0 && { calls: made }) }
  })
}

/** The result of a call, as a turn has it. */
export const resultOf = ({ id, output, isError = false }: Extract<PlainMessage, { role: "tool" }>) =>
  isError ? { id, error: output } : { id, output }

/** Some servers number the calls of each answer from the beginning. A turn wants another id for each call. */
class UniqueIds {
  private readonly times = new Map<string, number>()

  made(id: string): string {
    this.times.set(id, (this.times.get(id) ?? 0) + 1)
    return this.answered(id)
  }

  /** The id of the newest call with this id. */
  answered(id: string): string {
    const nth = this.times.get(id) ?? 1
    return nth === 1 ? id : `${id}~${nth}`
  }
}

const CONTINUE = "Continue."

export const CONTINUE_DESCRIPTION = `If they do not end with the user or a result, the user says \`${CONTINUE}\` at the end.`

/** OpenAI's models also answer after their own reply, or after instructions only. A turn answers its user. */
export function endedByUser(messages: PlainMessage[]): PlainMessage[] {
  const last = messages.findLast(({ role }) => role !== "system")
  const isAnswered = last === undefined || (last.role === "assistant" && !last.calls?.length)
  return isAnswered ? [...messages, { role: "user", parts: [CONTINUE] }] : messages
}

/** The messages that a conversation does not know yet: those after its last reply, and all instructions. */
export function newMessages(messages: readonly PlainMessage[]): PlainMessage[] {
  const known = messages.findLastIndex((message) => message.role === "assistant" && !message.calls?.length)
  return messages.filter(({ role }, place) => place > known || role === "system")
}

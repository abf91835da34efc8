import * as z from "zod"
import { type MessengerUser, messengerUserSchema } from "./launch-data.ts"

const sender = messengerUserSchema.extend({ is_bot: z.literal(false) })

/** Only private chats are accepted: their id is the sender's id. */
const privateChat = z.object({ id: z.int(), type: z.literal("private") })

const update = z.object({
  update_id: z.int(),
  message: z.object({ from: sender, chat: privateChat, text: z.string().max(4096) }).optional(),
  callback_query: z
    .object({
      id: z.string().max(128),
      from: sender,
      message: z.object({ chat: privateChat }),
      data: z.string().max(64),
    })
    .optional(),
})

/** The requests that the bot understands. */
export type BotRequest = { updateId: number; from: MessengerUser; chatId: number } & (
  | { kind: "confirm"; token: string }
  | { kind: "undo"; queryId: string; token: string }
  | { kind: "login" }
  | { kind: "greet"; refCode: string | null }
)

/** Reads the request in an update of the platform's Bot API; null if the update has no known request. */
export function readUpdate(body: unknown): BotRequest | null {
  const parsed = update.safeParse(body)
  if (!parsed.success) return null
  const { update_id: updateId, message, callback_query: query } = parsed.data
  if (message) {
    const { from, chat, text } = message
    const asked = readCommand(text)
    return asked && String(chat.id) === from.id ? { updateId, from, chatId: chat.id, ...asked } : null
  }
  const [, token] = /^undo:([\w-]{43})$/.exec(query?.data ?? "") ?? []
  if (!query || !token) return null
  return { kind: "undo", updateId, from: query.from, chatId: query.message.chat.id, queryId: query.id, token }
}

/** The data of the button that undoes a login. The platform allows at most 64 bytes. */
export const undoData = (token: string) => `undo:${token}`

function readCommand(text: string) {
  const [, command, argument = ""] = /^\/(\w+)(?:@\w+)?(?:\s+(.*))?$/s.exec(text.trim()) ?? []
  if (command === "login") return { kind: "login" as const }
  if (command !== "start") return null
  const [, token] = /^weblogin_([\w-]{43})$/.exec(argument) ?? []
  if (token) return { kind: "confirm" as const, token }
  const isCode = /^[\w-]{1,64}$/.test(argument) && !argument.startsWith("weblogin_")
  return { kind: "greet" as const, refCode: isCode ? argument : null }
}

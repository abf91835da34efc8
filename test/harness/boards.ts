import { spaceNumber } from "./admin-places.ts"
import type { AdminEstate } from "./admin-requests.ts"

/** A bot whose updates a test posts. It belongs to a brand or to a workspace. */
export interface BoardBot {
  id: number
  secret: string
  host: string
  workspace?: string
}

let updates = 5000

/**
 * Events of a group as its bot receives them in updates. Each is one second after the previous one
 * by default.
 */
export function groupOf({ world }: Pick<AdminEstate, "world">, bot: BoardBot, chatId: number) {
  let second = 1_700_000_000
  const chat = { id: chatId, type: "supergroup", title: "Support" }

  async function post(update: object): Promise<[number, unknown]> {
    const query = bot.workspace ? `?workspace=${bot.workspace}` : ""
    const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": bot.secret }
    const init = { method: "POST", headers, body: JSON.stringify(update) }
    const response = await world.invoke(new Request(`https://${bot.host}/api/auth/bot${query}`, init))
    return [response.status, await response.json()]
  }
  const next = () => ({ update_id: ++updates, date: ++second })
  const updateOf = (kind: string, user: object, status: string, at = next()) => ({
    update_id: at.update_id,
    [kind]: { chat, date: at.date, from: { id: 1, is_bot: false }, new_chat_member: { user, status } },
  })
  const person = (id: number) => ({ id, is_bot: false, first_name: "Somebody" })

  return {
    chatKey: `messenger:${chatId}`,
    post,
    /** The platform's second and the update's id, for an update that a test posts late. */
    next,
    member: (id: number, status: string, at = next()) => post(updateOf("chat_member", person(id), status, at)),
    bot: (status: string, at = next()) => post(updateOf("my_chat_member", { id: bot.id, is_bot: true }, status, at)),
    message: (from: number, more: object = {}, at = next()) =>
      post({ update_id: at.update_id, message: { chat, date: at.date, from: person(from), ...more } }),
    person,
  }
}

/** Creates a space for this chat in an account of this brand. Returns the space's number. */
export async function spaceOfChat(estate: AdminEstate, chatKey: string, brand: string): Promise<number> {
  const spaceId = await spaceNumber(estate)
  await estate.world.sql("update spaces set brand = $2 where space_id = $1", [spaceId, brand])
  const path = `/api/admin/spaces/by-id/${spaceId}/chat`
  const [status, space] = await estate.admin.json("PUT", path, { chat_key: chatKey })
  if (status !== 200) throw new Error(JSON.stringify(space))
  return spaceId
}

import * as z from "zod"
import { storable } from "../base/storable.ts"
import { BOARD_POLICY } from "./policies.ts"

/** An id of the platform. It has at most 52 bits, so it fits into a number. */
const id = z.int()
const person = z.object({ id: id.positive(), is_bot: z.boolean() })
const group = z.object({
  id: id.negative(),
  type: z.enum(["group", "supergroup"]),
  title: z.string().nullish().catch(null),
})

const member = z.object({
  user: person,
  status: z.enum(["creator", "administrator", "member", "restricted", "left", "kicked"]),
  is_member: z.boolean().optional(),
})

/** The time of an update in seconds. If it is missing, updates are ordered by their ids alone. */
const date = z.int().min(0).default(0)
const changed = z.object({ chat: group, date, new_chat_member: member })

const message = z.object({
  chat: group,
  date,
  from: person.optional().catch(undefined),
  new_chat_members: z.array(person).max(BOARD_POLICY.peoplePerUpdate).optional(),
  left_chat_member: person.optional(),
  migrate_to_chat_id: id.negative().optional(),
  migrate_from_chat_id: id.negative().optional(),
})

const update = z.object({
  update_id: id.min(0),
  my_chat_member: changed.optional(),
  chat_member: changed.optional(),
  message: message.optional(),
})

/** The information about a board in an update of a bot. */
export interface BoardUpdate {
  chat_id: number
  title: string | null
  said_at: number
  update_id: number
  /** Whether the bot itself is in the group; null if the update does not say. */
  bot: "in" | "out" | null
  came: string[]
  gone: string[]
  /** The old and new id of the group, if its id changed. */
  moved: { from: number; to: number } | null
}

/** Reads the information about a group from an update of the Bot API; null if the update is not about a group. */
export function readBoardUpdate(body: unknown): BoardUpdate | null {
  const parsed = update.safeParse(body)
  if (!parsed.success) return null
  const { update_id, my_chat_member: own, chat_member: other, message: said } = parsed.data
  const of = own ?? other ?? said
  if (!of) return null
  const read = {
    chat_id: of.chat.id,
    title: titleOf(of.chat.title),
    said_at: of.date,
    update_id,
    bot: null,
    came: [],
    gone: [],
    moved: null,
  } satisfies BoardUpdate
  if (own) return { ...read, bot: isIn(own.new_chat_member) ? "in" : "out" }
  if (other) {
    const people = peopleOf([other.new_chat_member.user])
    return isIn(other.new_chat_member) ? { ...read, came: people } : { ...read, gone: people }
  }
  return said ? { ...read, ...readMessage(said) } : null
}

function readMessage(said: z.infer<typeof message>): Pick<BoardUpdate, "came" | "gone" | "moved"> | null {
  const { chat, from, new_chat_members: added = [], left_chat_member: left } = said
  // A message about a bot that left is ignored: `my_chat_member` has already reported it.
  if (left?.is_bot) return { came: [], gone: [], moved: null }
  const gone = peopleOf(left ? [left] : [])
  const came = peopleOf([...(from ? [from] : []), ...added]).filter((one) => !gone.includes(one))
  const { migrate_to_chat_id: to, migrate_from_chat_id: before } = said
  const moved = to ? { from: chat.id, to } : before ? { from: before, to: chat.id } : null
  return { came, gone, moved }
}

const isIn = ({ status, is_member }: z.infer<typeof member>) =>
  status === "restricted" ? is_member === true : status !== "left" && status !== "kicked"

const peopleOf = (people: z.infer<typeof person>[]) => [
  ...new Set(people.filter(({ is_bot }) => !is_bot).map((one) => String(one.id))),
]

const titleOf = (title: string | null | undefined) =>
  title ? [...storable(title)].slice(0, BOARD_POLICY.titleLength).join("") : null

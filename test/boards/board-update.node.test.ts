import { expect, test } from "vitest"
import { readBoardUpdate } from "../../src/boards/board-update.ts"

const chat = { id: -1001, type: "supergroup", title: "Support", is_forum: true }
const ada = { id: 7, is_bot: false, first_name: "Ada" }
const ben = { id: 8, is_bot: false, first_name: "Ben" }
const bot = { id: 99, is_bot: true, first_name: "Bot" }
const said = (message: object) => readBoardUpdate({ update_id: 5, message: { chat, date: 60, from: ada, ...message } })
const changed = (kind: string, user: object, member: object) =>
  readBoardUpdate({ update_id: 5, [kind]: { chat, date: 60, from: ada, new_chat_member: { user, ...member } } })

test("A message shows that its sender is in the group, and names the people who were added or have left", () => {
  expect(said({ text: "hello" })).toEqual({
    chat_id: -1001,
    title: "Support",
    said_at: 60,
    update_id: 5,
    bot: null,
    came: ["7"],
    gone: [],
    moved: null,
  })
  expect(said({ new_chat_members: [ben, bot, ben] })).toMatchObject({ came: ["7", "8"], gone: [] })
  expect(said({ left_chat_member: ben })).toMatchObject({ came: ["7"], gone: ["8"] })
  expect(said({ left_chat_member: ada })).toMatchObject({ came: [], gone: ["7"] })
  expect(said({ left_chat_member: bot })).toMatchObject({ came: [], gone: [], bot: null })
  expect(said({ from: bot })).toMatchObject({ came: [] })
})

test.each([
  ["creator", {}, true],
  ["administrator", {}, true],
  ["member", {}, true],
  ["restricted", { is_member: true }, true],
  ["restricted", { is_member: false }, false],
  ["restricted", {}, false],
  ["left", {}, false],
  ["kicked", {}, false],
])("The status %s %j of a person means membership: %s", (status, more, isIn) => {
  const people = isIn ? { came: ["8"], gone: [] } : { came: [], gone: ["8"] }
  expect(changed("chat_member", ben, { status, ...more })).toMatchObject({ bot: null, ...people })
  expect(changed("my_chat_member", bot, { status, ...more })).toMatchObject({ bot: isIn ? "in" : "out", came: [] })
})

test("A group whose id changes is moved, whichever of its two messages announces it", () => {
  expect(said({ migrate_to_chat_id: -2002 })?.moved).toEqual({ from: -1001, to: -2002 })
  expect(said({ migrate_from_chat_id: -3003 })?.moved).toEqual({ from: -3003, to: -1001 })
})

test("An update that is malformed or not about a group has no effect", () => {
  const message = { chat, date: 60, from: ada }
  for (const body of [
    null,
    "x",
    {},
    { update_id: 1 },
    { update_id: "1", message },
    { update_id: -1, message },
    { update_id: 1.5, message },
    { message },
    { update_id: 1, edited_message: message },
    { update_id: 1, my_chat_member: {} },
    { update_id: 1, chat_member: { chat, date: 1, new_chat_member: { user: ben, status: "unheard of" } } },
    { update_id: 1, chat_member: { chat, date: 1, new_chat_member: { user: { id: "8" }, status: "member" } } },
    { update_id: 1, message: { ...message, chat: { id: 7, type: "private" } } },
    { update_id: 1, message: { ...message, chat: { id: -7, type: "channel" } } },
    { update_id: 1, message: { ...message, chat: { id: 2 ** 60, type: "group" } } },
    { update_id: 1, message: { ...message, date: "soon" } },
    { update_id: 1, message: { ...message, new_chat_members: Array.from({ length: 201 }, () => ben) } },
  ]) {
    expect(readBoardUpdate(body), JSON.stringify(body)?.slice(0, 200)).toBeNull()
  }
})

test("A title is shortened and made storable, and an empty or malformed title counts as missing", () => {
  const titled = (title: unknown) => said({ chat: { ...chat, title } })?.title
  expect(titled(`A\u0000${"😀".repeat(300)}`)).toBe(`A${"😀".repeat(199)}`)
  expect([titled(7), titled(""), titled(undefined)]).toEqual([null, null, null])
})

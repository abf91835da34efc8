import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeWorkspace } from "../harness/admin-groups.ts"
import { type AdminEstate, createAdminEstate } from "../harness/admin-requests.ts"
import { type BoardBot, groupOf, spaceOfChat } from "../harness/boards.ts"
import { createBot } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: AdminEstate
let bot: BoardBot
beforeAll(async () => {
  world = await createWorld()
  estate = await createAdminEstate(world, "boards")
  const { host, secret } = await createBot(world, "acme", "700100:AAacme")
  bot = { id: 700100, host, secret }
})
afterAll(() => world.close())

let people = 80_000
let groups = -1_000_000
const group = (of = bot) => groupOf(estate, of, --groups)

/** Creates a user of a brand with an id on the messaging platform. */
async function user(brand = "acme", id = ++people): Promise<{ id: number; userId: number }> {
  const body = { messenger_id: String(id), brand }
  const [status, made] = await estate.admin.json("POST", "/api/admin/users", body)
  expect(status, JSON.stringify(made)).toBe(200)
  return { id, userId: made.user_id }
}

/** The members in the answer of the by-key operation, without the owner. */
async function membersOf(chatKey: string): Promise<[userId: number, role: string, via: string][]> {
  const [status, { items }] = await estate.admin.json("GET", `/api/admin/spaces/by-key/${chatKey}`)
  expect(status).toBe(200)
  const members = (items as { user_id: number; role: string | null; via: string | null }[]).filter(({ role }) => role)
  return members
    .filter(({ role }) => role !== "owner")
    .map(({ user_id, role, via }) => [user_id, role ?? "", via ?? ""])
}

async function spacesOf(userId: number): Promise<[spaceId: number, role: string, via: string][]> {
  const [, { items }] = await estate.admin.json("GET", `/api/admin/users/${userId}/spaces`)
  return items.map(({ space_id, role, via }: { space_id: number; role: string; via: string }) => [space_id, role, via])
}

test("Operators see the people of a board as members of its space, next to registered members, and these people gain no access", async () => {
  const chat = group()
  const [joined, wrote, guest, absent] = [await user(), await user(), await user(), await user()]
  const spaceId = await spaceOfChat(estate, chat.chatKey, "acme")
  expect(await chat.bot("administrator")).toEqual([200, {}])
  expect(await chat.member(joined.id, "member")).toEqual([200, {}])
  expect(await chat.message(wrote.id, { text: "hello" })).toEqual([200, {}])
  await chat.message(++people, { text: "no user of ours" })
  await chat.message(wrote.id, { new_chat_members: [chat.person(guest.id)] })
  const path = `/api/admin/spaces/by-id/${spaceId}/members`
  expect((await estate.admin.json("POST", path, { user_id: guest.userId }))[0]).toBe(200)
  expect((await membersOf(chat.chatKey)).sort()).toEqual(
    [
      [joined.userId, "member", "board"],
      [wrote.userId, "member", "board"],
      [guest.userId, "member", "registered"],
    ].sort(),
  )
  expect(await spacesOf(joined.userId)).toEqual([[spaceId, "member", "board"]])
  expect(await spacesOf(guest.userId)).toEqual([[spaceId, "member", "registered"]])
  expect(await spacesOf(absent.userId)).toEqual([])
  const [, { slug, origin }] = await estate.admin.json("GET", `/api/admin/spaces/by-id/${spaceId}`)
  expect(origin).toBe("messenger")
  expect((await (await world.signIn(joined.userId)).json("GET", `/api/account/spaces/${slug}`))[0]).toBe(404)
  expect((await (await world.signIn(guest.userId)).json("GET", `/api/account/spaces/${slug}`))[0]).toBe(200)
  const [, boards] = await estate.admin.json("GET", "/api/admin/boards")
  expect(boards.items[0]).toMatchObject({
    chat_key: chat.chatKey,
    title: "Support",
    bot_username: "acme_bot",
    bot_in: true,
    members: 4,
    space_id: spaceId,
  })
})

describe("Updates in any order", () => {
  test("An older update that arrives late does not restore a member who left or remove a member who returned", async () => {
    const chat = group()
    const { id, userId } = await user()
    await spaceOfChat(estate, chat.chatKey, "acme")
    const [came, wrote, gone] = [chat.next(), chat.next(), chat.next()]
    const is = async () => (await membersOf(chat.chatKey)).map(([member]) => member)
    await chat.member(id, "left", gone)
    await chat.member(id, "member", came)
    await chat.message(id, {}, wrote)
    expect(await is()).toEqual([])
    const [again, left] = [chat.next(), chat.next()]
    await chat.member(id, "member", { ...left, update_id: left.update_id + 100 })
    await chat.member(id, "kicked", left)
    await chat.message(++people, { left_chat_member: chat.person(id) }, again)
    expect(await is()).toEqual([userId])
    await chat.member(id, "left")
    await chat.member(id, "left")
    expect(await is()).toEqual([])
  })

  test("While the bot is out of the chat no member counts, and afterwards only people seen since then count", async () => {
    const chat = group()
    const [one, two] = [await user(), await user()]
    await spaceOfChat(estate, chat.chatKey, "acme")
    await chat.bot("member")
    await chat.member(one.id, "member")
    await chat.message(two.id)
    const late = chat.next()
    const kicked = chat.next()
    await chat.bot("kicked", kicked)
    await chat.message(
      two.id,
      { left_chat_member: { id: bot.id, is_bot: true } },
      { ...kicked, update_id: kicked.update_id + 1 },
    )
    await chat.member(one.id, "member", late)
    await chat.bot("member", late)
    expect(await membersOf(chat.chatKey)).toEqual([])
    expect(await spacesOf(one.userId)).toEqual([])
    await chat.bot("administrator")
    expect(await membersOf(chat.chatKey)).toEqual([])
    await chat.message(two.id)
    expect(await membersOf(chat.chatKey)).toEqual([[two.userId, "member", "board"]])
  })

  test("Ten copies of each update sent concurrently leave one board and one row per person", async () => {
    const chat = group()
    const { id, userId } = await user()
    await spaceOfChat(estate, chat.chatKey, "acme")
    const [came, gone] = [chat.next(), chat.next()]
    const twins = Array.from({ length: 10 }, () => [chat.member(id, "member", came), chat.member(id, "left", gone)])
    for (const [status] of await Promise.all(twins.flat())) expect(status).toBe(200)
    expect(await membersOf(chat.chatKey)).toEqual([])
    await Promise.all(Array.from({ length: 10 }, () => chat.message(id)))
    expect(await membersOf(chat.chatKey)).toEqual([[userId, "member", "board"]])
  })

  test("A group whose id changes keeps its members and its space, also for updates under its old id", async () => {
    const [chat, next] = [group(), group()]
    const [one, two, three] = [await user(), await user(), await user()]
    await spaceOfChat(estate, chat.chatKey, "acme")
    await chat.member(one.id, "member")
    await chat.member(two.id, "member")
    const late = chat.next()
    for (let n = 0; n < 5; n++) next.next()
    await next.message(three.id)
    await next.message(three.id, { migrate_from_chat_id: Number(chat.chatKey.split(":")[1]) })
    await chat.message(three.id, { migrate_to_chat_id: Number(next.chatKey.split(":")[1]) })
    await next.member(two.id, "left")
    await chat.member(two.id, "member", late)
    const members = (await membersOf(chat.chatKey)).map(([userId]) => userId)
    expect(members.sort()).toEqual([one.userId, three.userId].sort())
  })
})

describe("The user of a messaging id", () => {
  test("A messaging id counts for the user of the space's brand, and a person with two ids counts once", async () => {
    const chat = group()
    await createBot(world, "other", "700200:AAother")
    const { id, userId } = await user("acme")
    const foreign = await user("other", id)
    const second = ++people
    await world.sql(
      "insert into identities (issuer, subject, user_id, created_at) values ('messenger:acme', $1, $2, now())",
      [String(second), userId],
    )
    const spaceId = await spaceOfChat(estate, chat.chatKey, "acme")
    await chat.member(id, "member")
    await chat.member(second, "member")
    expect(await membersOf(chat.chatKey)).toEqual([[userId, "member", "board"]])
    expect([await spacesOf(userId), await spacesOf(foreign.userId)]).toEqual([[[spaceId, "member", "board"]], []])
  })

  test("A workspace's bot counts for the workspace's spaces while the workspace is active and the bot is unchanged", async () => {
    const { workspace_id: workspace } = await makeWorkspace(estate)
    const path = `/api/admin/workspaces/${workspace}`
    const sent: { url: string; secret_token: string; allowed_updates: string[] }[] = []
    world.serve("api.telegram.org", async (request) => {
      sent.push((await request.json()) as (typeof sent)[number])
      return Response.json({ ok: true, result: true })
    })
    await estate.admin.json("PUT", `${path}/bot`, { username: "desk_bot", token: "700300:AAdesk" })
    const [status, set] = await estate.admin.json("POST", `${path}/bot/webhook`)
    expect([status, set]).toMatchObject([200, { ok: true, message: "The webhook is set." }])
    const [{ url, secret_token: secret, allowed_updates } = { url: "", secret_token: "", allowed_updates: [] }] = sent
    expect(allowed_updates).toEqual(["message", "chat_member", "my_chat_member"])
    expect(JSON.stringify(set)).not.toContain(secret)
    const desk = { id: 700300, host: new URL(url).host, secret, workspace }
    expect(url).toBe(`https://${desk.host}/api/auth/bot?workspace=${workspace}`)
    const chat = group(desk)
    const { id, userId } = await user()
    const spaceId = await spaceOfChat(estate, chat.chatKey, "acme")
    expect(await chat.member(id, "member")).toEqual([200, {}])
    expect(await membersOf(chat.chatKey), "another workspace's bot").toEqual([])
    const [, { slug }] = await estate.admin.json("GET", `/api/admin/spaces/by-id/${spaceId}`)
    await estate.admin.json("PATCH", path, { spaces: [slug] })
    expect(await membersOf(chat.chatKey)).toEqual([[userId, "member", "board"]])
    await estate.admin.json("PATCH", path, { archived: true })
    expect(await membersOf(chat.chatKey)).toEqual([])
    await estate.admin.json("PATCH", path, { archived: false })
    const wrong = groupOf(estate, { ...desk, secret: bot.secret }, --groups)
    expect(await wrong.message(id)).toMatchObject([401, { code: "INVALID_WEBHOOK_SECRET" }])
    const nowhere = groupOf(estate, { ...desk, workspace: "nowhere" }, --groups)
    expect(await nowhere.message(id)).toMatchObject([401, { code: "INVALID_WEBHOOK_SECRET" }])
    await estate.admin.json("PUT", `${path}/bot`, { token: "700400:AAother" })
    expect(await membersOf(chat.chatKey), "another bot").toEqual([])
    expect((await chat.message(id))[0], "the former bot's secret").toBe(401)
  })
})

describe("Bounds of boards", () => {
  test("The number of a board's members is limited: a leaver frees a place, and a newcomer to a full board is not stored", async () => {
    const chat = group()
    const [first, late] = [await user(), await user()]
    await spaceOfChat(estate, chat.chatKey, "acme")
    await chat.member(first.id, "member")
    await world.sql(
      `insert into board_members select board_id, 'x' || n, true, '{1,1}' from boards, generate_series(1, 4999) n where chat_key = $1`,
      [chat.chatKey],
    )
    expect((await chat.member(late.id, "member"))[0]).toBe(200)
    expect(await membersOf(chat.chatKey)).toEqual([[first.userId, "member", "board"]])
    await chat.member(first.id, "left")
    await chat.member(late.id, "member")
    expect(await membersOf(chat.chatKey)).toEqual([[late.userId, "member", "board"]])
  })

  test("When a bot has too many boards, a board without a space is deleted", async () => {
    const [kept, free, next] = [group(), group(), group()]
    const { id, userId } = await user()
    await spaceOfChat(estate, kept.chatKey, "acme")
    await kept.member(id, "member")
    await free.member(id, "member")
    await world.sql("update boards set updated_at = '2000-01-01' where chat_key in ($1, $2)", [
      kept.chatKey,
      free.chatKey,
    ])
    await world.sql(
      `insert into boards (bot_id, chat_id, chat_key, bot_in, bot_said, created_at, updated_at)
       select '700100', -n, 'messenger:-' || n, true, '{1,1}', now(), now()
       from generate_series(1, 1000 - (select count(*)::int from boards where bot_id = '700100')) n`,
    )
    await next.message(id)
    const [left] = await world.sql(
      "select count(*)::int as n, bool_or(chat_key = $1) as kept, bool_or(chat_key = $2) as free from boards where bot_id = '700100'",
      [kept.chatKey, free.chatKey],
    )
    expect(left).toEqual({ n: 1000, kept: true, free: false })
    expect(await membersOf(kept.chatKey)).toEqual([[userId, "member", "board"]])
  })
})

test("A chat belongs to one space, has the form of a group's key, and can be released", async () => {
  const chat = group()
  const first = await spaceOfChat(estate, chat.chatKey, "acme")
  await expect(spaceOfChat(estate, chat.chatKey, "acme")).rejects.toThrow("CONFLICT")
  const path = `/api/admin/spaces/by-id/${first}/chat`
  for (const chat_key of ["", "space:spc_x", "messenger:7", "messenger:-", "messenger:-0", "messenger:-1x", 7]) {
    expect((await estate.admin.json("PUT", path, { chat_key }))[0], String(chat_key)).toBe(422)
  }
  expect((await estate.admin.json("PUT", "/api/admin/spaces/by-id/999999999/chat", { chat_key: null }))[0]).toBe(404)
  const [, space] = await estate.admin.json("PUT", path, { chat_key: null })
  expect(space).toMatchObject({ chat_key: `space:${space.slug}`, origin: "api" })
  const actions = () =>
    world.sql("select 1 from audit_log where action = 'space.chat' and subject_id = $1", [space.slug])
  expect(await actions()).toHaveLength(2)
  await estate.admin.json("PUT", path, { chat_key: null })
  expect(await actions(), "no change").toHaveLength(2)
})

test("A space is shared with a user once; its owner and unknown users are refused", async () => {
  const chat = group()
  const [{ userId }, spaceId] = [await user(), await spaceOfChat(estate, chat.chatKey, "acme")]
  const path = `/api/admin/spaces/by-id/${spaceId}/members`
  expect((await estate.admin.json("POST", path, { user_id: userId }))[1]).toMatchObject({
    space_id: spaceId,
    user_id: userId,
  })
  for (const user_id of [userId, estate.client.userId]) {
    expect(await estate.admin.json("POST", path, { user_id })).toMatchObject([409, { code: "ALREADY_MEMBER" }])
  }
  expect((await estate.admin.json("POST", path, { user_id: 999_999_999 }))[0]).toBe(422)
  expect((await estate.admin.json("DELETE", `${path}/${userId}`))[0]).toBe(200)
  expect((await estate.admin.json("DELETE", `${path}/${userId}`))[0]).toBe(404)
  expect(await spacesOf(userId)).toEqual([])
})

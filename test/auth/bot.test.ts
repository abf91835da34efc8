import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserAt, chatWith, createBot, sessionsOf, type TestBot, usersOf } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let bot: TestBot
let other: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme", "123456:canary")
  other = await createBot(world, "other")
})
afterAll(() => world.close())

let people = 30_000

async function pendingLogin() {
  const browser = browserAt(world, bot.host)
  const [, { token }] = await browser.json("POST", "/api/auth/tg-login/start")
  const status = async () => (await browser.json("GET", `/api/auth/tg-login/status?token=${token}`))[1].status
  return { start: `/start weblogin_${token}`, status }
}

describe("The bot's webhook", () => {
  test("The webhook accepts only its own brand's secret, and another brand's secret has no effect", async () => {
    const { start, status } = await pendingLogin()
    const id = ++people
    const WRONG = [401, { detail: expect.any(String), code: "INVALID_WEBHOOK_SECRET" }]
    for (const secret of [
      "",
      "x",
      other.secret,
      bot.secret.slice(1),
      `${bot.secret}x`,
      bot.secret.toLowerCase(),
      bot.token,
    ]) {
      expect(await chatWith(world, bot, id, { secret }).say(start), secret).toEqual(WRONG)
    }
    expect(await chatWith(world, bot, id, { host: other.host }).say(start)).toEqual(WRONG)
    expect(await chatWith(world, bot, id, { host: "api.test" }).say(start)).toEqual(WRONG)
    const bare = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
    expect((await world.invoke(new Request(`https://${bot.host}/api/auth/bot`, bare))).status).toBe(403)
    expect(await browserAt(world, bot.host).json("POST", "/api/auth/bot", {})).toEqual(WRONG)
    // The other brand's bot, with its own secret, does not know this login.
    expect((await chatWith(world, other, id).say(start))[1].text).toMatch(/expired/)
    expect(await usersOf(world, bot, id)).toEqual([])
    expect(await usersOf(world, other, id)).toEqual([])
    expect(await status()).toBe("pending")
    expect((await chatWith(world, bot, id).say(start))[0]).toBe(200)
    expect(await status()).toBe("confirmed")
  })

  test("The webhook confirms no login in groups, for bots, channels or edited messages, and answers unknown updates with {}", async () => {
    const { start, status } = await pendingLogin()
    const id = ++people
    const chat = chatWith(world, bot, id)
    const message = chat.messageOf(start)
    const changes = [
      { chat: { id: -100, type: "group" } },
      { chat: { id: -100, type: "supergroup" } },
      { chat: { id, type: "channel" } },
      { chat: { id: id + 1, type: "private" } },
      { from: { id, is_bot: true, first_name: "Bot" } },
      { from: undefined },
      { text: undefined, photo: [{}] },
      { text: start.replace("/start ", "/start  x") },
      { text: start.slice(1) },
      { text: `${start}x` },
      { text: "hello" },
      { text: "/stop" },
    ]
    for (const change of changes) {
      const reply = await chat.say(start, change)
      expect([reply[0], reply[1].reply_markup], JSON.stringify(change)).toEqual([200, undefined])
    }
    const unknown = [
      { update_id: 1 },
      {},
      { update_id: "x", message: message.message },
      { update_id: 2, edited_message: message.message },
      { update_id: 3, channel_post: message.message },
      { update_id: 4, my_chat_member: {} },
      { update_id: 5, message: "x" },
      { update_id: 6, callback_query: { id: "1", from: message.message.from, data: "undo:x" } },
      { update_id: 7, some_future_kind: { message: message.message } },
    ]
    for (const update of unknown) expect(await chat.post(update), JSON.stringify(update)).toEqual([200, {}])
    expect(await status()).toBe("pending")
  })

  test("The webhook limits its input and reads only JSON", async () => {
    const post = (body: string, type = "application/json") => {
      const headers = { "content-type": type, "x-telegram-bot-api-secret-token": bot.secret }
      return world.invoke(new Request(`https://${bot.host}/api/auth/bot`, { method: "POST", headers, body }))
    }
    expect((await post(JSON.stringify({ update_id: 1, x: "a".repeat(1024 * 1024) }))).status).toBe(413)
    expect((await post("{}", "text/plain")).status).toBe(415)
    expect((await post("{")).status).toBe(400)
  })

  test("The command /login sends a link that signs in once within 10 minutes, and a repeated update sends no second link", async () => {
    const id = ++people
    const chat = chatWith(world, bot, id)
    const update = chat.messageOf("/login@acme_bot")
    const replies = await Promise.all(Array.from({ length: 20 }, () => chat.post(update)))
    const sent = replies.filter(([, reply]) => reply.method)
    expect(sent).toHaveLength(1)
    expect(await chat.post(update)).toEqual([200, {}])
    const reply = sent[0]?.[1]
    expect(reply).toMatchObject({ method: "sendMessage", chat_id: id, link_preview_options: { is_disabled: true } })
    const [, origin, token] = /(https:\/\/\S+)\/magic#token=([\w-]{43})$/.exec(reply.text) ?? []
    expect(origin).toBe("https://acme.test")
    const exchange = () => browserAt(world, bot.host).json("POST", "/api/auth/magic", { token })
    const answers = await Promise.all(Array.from({ length: 20 }, exchange))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    const [user] = await usersOf(world, bot, id)
    expect(await sessionsOf(world, user?.user_id)).toBe(1)
    const late = /#token=([\w-]{43})/.exec((await chat.say("/login"))[1].text)?.[1]
    await world.advance(600_000)
    expect((await browserAt(world, bot.host).json("POST", "/api/auth/magic", { token: late }))[0]).toBe(401)
    await world.sql("update users set disabled_at = now() where user_id = $1", [user?.user_id])
    expect((await chat.say("/login"))[1].text).toBe("This account cannot sign in.")
  })

  test("The bot greets anyone who starts it, and only a code makes an account", async () => {
    const [plain, coded] = [++people, ++people]
    expect((await chatWith(world, bot, plain).say("/start"))[1].text).toMatch(/^Hello!.*acme\.test/)
    expect(await usersOf(world, bot, plain)).toEqual([])
    await chatWith(world, bot, plain).say("/login")
    const [referrer] = await usersOf(world, bot, plain)
    const [row] = await world.sql<{ ref_code: string }>("select ref_code from users where user_id = $1", [
      referrer?.user_id,
    ])
    expect((await chatWith(world, bot, coded).say(`/start ${row?.ref_code}`))[1].text).toMatch(/^Hello!/)
    const [user] = await usersOf(world, bot, coded)
    expect(
      await world.sql("select referrer_user_id::int as by from referrals where referred_user_id = $1", [user?.user_id]),
    ).toEqual([{ by: referrer?.user_id }])
  })

  test("A name that the database cannot store does not prevent a sign-in", async () => {
    const id = ++people
    const from = { id, is_bot: false, first_name: `A\u0000${"😀".repeat(100)}`, last_name: "\ud800" }
    const { start } = await pendingLogin()
    expect((await chatWith(world, bot, id).say(start, { from }))[1].reply_markup).toBeDefined()
    expect((await usersOf(world, bot, id))[0]?.name).toBe(`A${"😀".repeat(100)} \ufffd`)
  })

  test("No answer contains the bot's token or secret", async () => {
    const answers = [
      await browserAt(world, bot.host).json("POST", "/api/auth/tg-login/start"),
      await chatWith(world, bot, ++people).say("/login"),
      await browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", { init_data: "x" }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(new RegExp(`canary|${bot.secret}`))
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserAt, chatWith, createBot, sessionsOf, type TestBot, usersOf } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
const INVALID = [401, { detail: expect.any(String), code: "INVALID_TOKEN" }]

let world: World
let bot: TestBot
let other: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
  other = await createBot(world, "other")
})
afterAll(() => world.close())

let people = 5000

async function begun(headers: Record<string, string> = {}) {
  const browser = browserAt(world, bot.host, headers)
  const response = await browser.call("POST", "/api/auth/tg-login/start")
  const { token, url, expires_at } = (await response.json()) as { token: string; url: string; expires_at: string }
  const id = ++people
  const status = (from = browser) => from.json("GET", `/api/auth/tg-login/status?token=${token}`)
  const start = `/start weblogin_${token}`
  return { browser, response, token, url, expires_at, id, chat: chatWith(world, bot, id), status, start }
}

describe("POST /api/auth/tg-login/start", () => {
  test("A start returns a link to the bot of the host's brand, with a payload that the platform accepts", async () => {
    const { response, token, url, expires_at } = await begun()
    expect(response.status).toBe(200)
    expect(url).toBe(`https://t.me/acme_bot?start=weblogin_${token}`)
    expect(new URL(url).searchParams.get("start")).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(Date.parse(expires_at) - world.clock.ms()).toBe(300_000)
    expect(response.headers.get("set-cookie")).toMatch(
      /^tg_login=[\w-]{43}; Max-Age=300; Path=\/api\/auth\/tg-login; HttpOnly; Secure; SameSite=Strict$/,
    )
    const elsewhere = await browserAt(world, other.host).json("POST", "/api/auth/tg-login/start")
    expect(elsewhere[1].url).toContain("https://t.me/other_bot?")
    expect(await browserAt(world, "api.test").json("POST", "/api/auth/tg-login/start")).toEqual([
      404,
      { detail: expect.any(String), code: "BOT_NOT_SET_UP" },
    ])
  })
})

describe("GET /api/auth/tg-login/status", () => {
  test("The status is pending, then once confirmed with the session's cookie, then unknown", async () => {
    const { browser, chat, status, start, id } = await begun()
    expect(await status()).toEqual([200, { status: "pending" }])
    expect((await chat.say(start))[1].method).toBe("sendMessage")
    const answer = await status()
    const [user] = await usersOf(world, bot, id)
    expect(answer).toEqual([
      200,
      {
        status: "confirmed",
        user: expect.objectContaining({ user_id: user?.user_id, name: "Ada Lovelace", brand: "acme" }),
      },
    ])
    expect([...browser.cookies.keys()]).toEqual(["token"])
    expect((await browser.json("GET", "/api/auth/me"))[1]).toEqual(answer[1].user)
    expect(await status()).toEqual(INVALID)
    expect(await sessionsOf(world, user?.user_id)).toBe(1)
  })

  test("A hundred concurrent polls make one session", async () => {
    const { browser, chat, status, start, id, token } = await begun()
    await chat.say(start)
    const cookie = `tg_login=${browser.cookies.get("tg_login")}`
    const poll = () => browserAt(world, bot.host, { cookie }).json("GET", `/api/auth/tg-login/status?token=${token}`)
    const answers = await Promise.all(Array.from({ length: 100 }, poll))
    expect(answers.filter(([code]) => code === 200)).toHaveLength(1)
    for (const answer of answers.filter(([code]) => code !== 200)) expect(answer).toEqual(INVALID)
    expect(await sessionsOf(world, (await usersOf(world, bot, id))[0]?.user_id)).toBe(1)
    expect(await status()).toEqual(INVALID)
  })

  test("Another browser gets no session and does not use up the login", async () => {
    const { browser, chat, status, start } = await begun()
    const stranger = (await begun()).browser
    for (const one of [stranger, browserAt(world, bot.host)]) expect(await status(one)).toEqual(INVALID)
    await chat.say(start)
    for (const one of [stranger, browserAt(world, bot.host)]) expect(await status(one)).toEqual(INVALID)
    const elsewhere = browserAt(world, other.host)
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
    expect(await status(elsewhere), "with its cookie, at another brand's host").toEqual(INVALID)
    expect((await status(browser))[1].status).toBe("confirmed")
  })

  test("An unknown, malformed or missing token is refused", async () => {
    const { browser } = await begun()
    const ask = (token: string) => browser.json("GET", `/api/auth/tg-login/status?token=${encodeURIComponent(token)}`)
    for (const token of ["a".repeat(43), "x", "../../etc", "a".repeat(512)]) expect(await ask(token)).toEqual(INVALID)
    for (const token of ["", "a".repeat(513)]) expect((await ask(token))[0]).toBe(422)
    expect((await browser.json("GET", "/api/auth/tg-login/status"))[0]).toBe(422)
  })

  test("A login expires after 5 minutes, confirmed or not", async () => {
    const [late, confirmed, intime] = [await begun(), await begun(), await begun()]
    await confirmed.chat.say(confirmed.start)
    await world.advance(299_999)
    await intime.chat.say(intime.start)
    expect((await intime.status())[1].status).toBe("confirmed")
    expect(await late.status()).toEqual([200, { status: "pending" }])
    await world.advance(1)
    for (const one of [late, confirmed]) expect(await one.status()).toEqual(INVALID)
    expect((await late.chat.say(late.start))[1].text).toMatch(/expired/)
    expect(await usersOf(world, bot, late.id)).toEqual([])
  })

  test("A login of a user who is disabled in the meantime is refused", async () => {
    const { chat, status, start, id } = await begun()
    await chat.say(start)
    const [user] = await usersOf(world, bot, id)
    await world.sql("update users set disabled_at = now() where user_id = $1", [user?.user_id])
    expect(await status()).toEqual(INVALID)
    const again = await begun()
    expect((await chat.say(again.start))[1].text).toMatch(/cannot sign in/)
    expect(await again.status()).toEqual([200, { status: "pending" }])
  })
})

describe("The bot", () => {
  test("The bot describes the place of the login only in its own words", async () => {
    const { chat, start } = await begun({
      "user-agent": `${CHROME} See https://evil.example`,
      "cf-connecting-ip": "203.0.113.9",
      "cf-ipcountry": "DE",
    })
    const [status, reply] = await chat.say(start)
    expect(status).toBe(200)
    expect(reply).toMatchObject({ method: "sendMessage", link_preview_options: { is_disabled: true } })
    for (const part of ["acme.test", "Chrome on Windows", "203.0.113.9, Germany", "2026-11-20"])
      expect(reply.text).toContain(part)
    expect(reply.text).not.toContain("evil")
    expect(reply.parse_mode).toBeUndefined()
  })

  test("A repeated confirmation gets the same answer, and another person changes nothing", async () => {
    const { chat, start, status, id } = await begun()
    const update = chat.messageOf(start)
    const [first, again] = [await chat.post(update), await chat.post(update)]
    expect(again).toEqual(first)
    const thief = chatWith(world, bot, ++people)
    expect((await thief.say(start))[1]).toMatchObject({ text: expect.stringMatching(/already confirmed or denied/) })
    const answer = (await status())[1]
    expect(answer.user.user_id).toBe((await usersOf(world, bot, id))[0]?.user_id)
    expect((await chat.post(update))[1].method).toBe("sendMessage")
    expect(await status()).toEqual(INVALID)
  })

  test("Of 100 confirmations by two people concurrently one counts, and the session is theirs", async () => {
    const { start, status } = await begun()
    const chats = [chatWith(world, bot, ++people), chatWith(world, bot, ++people)]
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => chats[n % 2]?.say(start)))
    const winners = new Set(replies.flatMap((reply, n) => (reply?.[1].reply_markup ? [n % 2] : [])))
    expect(winners.size).toBe(1)
    const [winner = 0] = winners
    const [user] = await usersOf(world, bot, people - 1 + winner)
    expect((await status())[1]).toMatchObject({ status: "confirmed", user: { user_id: user?.user_id } })
  })

  test("A login can be denied before the browser has asked", async () => {
    const { chat, start, status, browser, id } = await begun()
    const data = (await chat.say(start))[1].reply_markup.inline_keyboard[0][0].callback_data
    expect(new TextEncoder().encode(data).length).toBeLessThanOrEqual(64)
    expect((await chatWith(world, bot, ++people).press(data))[1].method).toBe("answerCallbackQuery")
    const press = chat.pressOf(data)
    for (const _ of [1, 2]) expect((await chat.post(press))[1].method).toBe("answerCallbackQuery")
    for (const _ of [1, 2]) expect(await status()).toEqual([200, { status: "denied" }])
    expect(browser.cookies.has("token")).toBe(false)
    expect((await chat.say(start))[1].text).toMatch(/already confirmed or denied/)
    const [user] = await usersOf(world, bot, id)
    expect(await sessionsOf(world, user?.user_id)).toBe(0)
    expect(
      await world.sql("select session_epoch::int as epoch from users where user_id = $1", [user?.user_id]),
    ).toEqual([{ epoch: 1 }])
  })

  test("A login that is denied afterwards loses its session at the next request, with all other sessions of that account", async () => {
    const { chat, start, status, browser, id } = await begun()
    const data = (await chat.say(start))[1].reply_markup.inline_keyboard[0][0].callback_data
    await status()
    const user = (await usersOf(world, bot, id))[0]?.user_id ?? 0
    const elsewhere = await world.signIn(user)
    const link = (await chat.say("/login"))[1].text
    await chatWith(world, bot, ++people).press(data)
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(200)
    await world.advance(400_000)
    await chat.press(data)
    for (const one of [browser, elsewhere]) expect((await one.call("GET", "/api/auth/me")).status).toBe(401)
    const token = /#token=([\w-]+)/.exec(link)?.[1]
    expect((await browserAt(world, bot.host).json("POST", "/api/auth/magic", { token }))[0]).toBe(401)
  })
})

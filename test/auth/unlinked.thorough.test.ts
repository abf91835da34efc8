import { afterAll, beforeAll, expect, test } from "vitest"
import { browserAt, chatWith, createBot, launchOf, type TestBot } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let bot: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
})
afterAll(() => world.close())

const PASSWORD = "correct horse battery staple"

/**
 * A person who signed in from the mini-app and has another way to sign in, so that the platform's
 * identity may be unlinked.
 */
async function person(id: number) {
  const browser = browserAt(world, bot.host)
  const [, user] = await browser.json("POST", "/api/auth/messenger-webapp", { init_data: launchOf(world, bot, id) })
  await world.sql("update users set email = $2 where user_id = $1", [user.user_id, `person-${id}@people.test`])
  expect((await browser.json("PUT", "/api/account/password", { new_password: PASSWORD }))[0]).toBe(200)
  const unlink = async () => {
    const [, { items }] = await browser.json("GET", "/api/account/identities")
    expect((await browser.json("DELETE", `/api/account/identities/${items[0].identity_id}`))[0]).toBe(200)
  }
  return { unlink, chat: chatWith(world, bot, id), userId: user.user_id as number }
}

test.each([false, true])("A bot's magic link becomes invalid with its identity (unlinked: %s)", async (isUnlinked) => {
  const { chat, unlink, userId } = await person(isUnlinked ? 41 : 42)
  const [, { text }] = await chat.say("/login")
  if (isUnlinked) await unlink()
  const token = /#token=([\w-]{43})/.exec(text)?.[1]
  const [status, answer] = await browserAt(world, bot.host).json("POST", "/api/auth/magic", { token })
  expect([status, answer.user_id ?? answer.code]).toEqual(isUnlinked ? [401, "INVALID_TOKEN"] : [200, userId])
})

test.each([false, true])(
  "A login confirmed in the bot becomes invalid with its identity (unlinked: %s)",
  async (isUnlinked) => {
    const { chat, unlink, userId } = await person(isUnlinked ? 43 : 44)
    const browser = browserAt(world, bot.host)
    const [, { token }] = await browser.json("POST", "/api/auth/tg-login/start")
    await chat.say(`/start weblogin_${token}`)
    if (isUnlinked) await unlink()
    const [status, answer] = await browser.json("GET", `/api/auth/tg-login/status?token=${token}`)
    expect([status, answer.user?.user_id ?? answer.code]).toEqual(isUnlinked ? [401, "INVALID_TOKEN"] : [200, userId])
  },
)

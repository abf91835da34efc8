import { afterAll, beforeAll, expect, test } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { browserAt, chatWith, createBot, launchOf, sessionsOf, type TestBot, usersOf } from "../harness/messenger.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let bot: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
})
afterAll(() => world.close())

let people = 40_000

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
type Answer = [number, any]

interface Scenario {
  name: string
  /** A request of one person that can be repeated unchanged, and a check that it has succeeded. */
  prepare(id: number): Promise<{ send(): Promise<Answer>; succeeded(answer: Answer): void | Promise<void> }>
}

async function beginLogin() {
  const browser = browserAt(world, bot.host)
  const [, { token }] = await browser.json("POST", "/api/auth/tg-login/start")
  const status = () => browser.json("GET", `/api/auth/tg-login/status?token=${token}`)
  return { browser, token, status, start: `/start weblogin_${token}` }
}

/** The failures of one call: before or after its effect, with an error or a cut connection. */
const WAYS: Pick<FaultRule, "action" | "when">[] = [
  { action: "fail", when: "before" },
  { action: "cut", when: "before" },
  { action: "fail", when: "after" },
  { action: "cut", when: "after" },
]

const scenarios: Scenario[] = [
  {
    name: "starting a login",
    async prepare() {
      return {
        send: () => browserAt(world, bot.host).json("POST", "/api/auth/tg-login/start"),
        succeeded: ([, body]) => expect(body.url).toContain(body.token),
      }
    },
  },
  {
    name: "confirming it in the bot",
    async prepare(id) {
      const { start, status } = await beginLogin()
      const chat = chatWith(world, bot, id)
      const update = chat.messageOf(start)
      return {
        send: () => chat.post(update),
        async succeeded([, reply]) {
          expect(reply.reply_markup).toBeDefined()
          expect((await status())[1].status).toBe("confirmed")
        },
      }
    },
  },
  {
    name: "polling a confirmed login",
    async prepare(id) {
      const { start, status, browser } = await beginLogin()
      await chatWith(world, bot, id).say(start)
      return {
        send: status,
        async succeeded([, body]) {
          expect(body.status).toBe("confirmed")
          expect((await browser.json("GET", "/api/auth/me"))[0]).toBe(200)
          expect((await status())[0]).toBe(401)
        },
      }
    },
  },
  {
    name: "taking a login back",
    async prepare(id) {
      const { start, status, browser } = await beginLogin()
      const chat = chatWith(world, bot, id)
      const data = (await chat.say(start))[1].reply_markup.inline_keyboard[0][0].callback_data
      await status()
      const update = chat.pressOf(data)
      return {
        send: () => chat.post(update),
        async succeeded() {
          expect((await browser.json("GET", "/api/auth/me"))[0]).toBe(401)
        },
      }
    },
  },
  {
    name: "asking for a magic link",
    async prepare(id) {
      const chat = chatWith(world, bot, id)
      const update = chat.messageOf("/login")
      return {
        send: () => chat.post(update),
        async succeeded([, reply]) {
          const token = /#token=([\w-]{43})/.exec(reply.text)?.[1]
          expect((await browserAt(world, bot.host).json("POST", "/api/auth/magic", { token }))[0]).toBe(200)
        },
      }
    },
  },
  {
    name: "the first sign-in from the mini-app",
    async prepare(id) {
      const body = { init_data: launchOf(world, bot, id) }
      const browser = browserAt(world, bot.host)
      return {
        send: () => browser.json("POST", "/api/auth/messenger-webapp", body),
        async succeeded() {
          expect((await browser.json("GET", "/api/auth/me"))[0]).toBe(200)
          const elsewhere = browserAt(world, bot.host)
          expect((await elsewhere.json("POST", "/api/auth/messenger-webapp", body))[0]).toBe(401)
        },
      }
    },
  },
]

/** Asserts an invariant of a person at every moment: a first sign-in has happened completely or not at all. */
async function expectWhole(id: number): Promise<void> {
  const users = await usersOf(world, bot, id)
  expect(users.length).toBeLessThanOrEqual(1)
  for (const { user_id } of users) {
    await expectBooks(world, user_id)
    const made = await world.sql(
      `select (select count(*)::int from subscriptions where user_id = $1) as trials,
         (select count(*)::int from ledger where user_id = $1) as entries`,
      [user_id],
    )
    expect(made).toEqual([{ trials: 1, entries: 1 }])
    expect(await sessionsOf(world, user_id)).toBeLessThanOrEqual(2)
  }
}

test.each(scenarios)(
  "$name answers 503 for a failure at any call, leaves no partial state, and can be repeated",
  async ({ name, prepare }) => {
    const undisturbed = await prepare(++people)
    await world.plan([])
    const answer = await undisturbed.send()
    const calls = await world.calls()
    await world.clearFaults()
    expect(answer[0]).toBe(200)
    await undisturbed.succeeded(answer)
    let refused = 0
    for (const call of calls) {
      for (const way of WAYS) {
        const what = `${way.action} ${way.when} call ${call.n} (${call.service} ${call.label.slice(0, 60)})`
        const id = ++people
        const { send, succeeded } = await prepare(id)
        // Redis's client retries a broken connection once, so only two breaks lose the call.
        await world.plan([{ call: call.n, ...way, times: way.action === "cut" && call.service === "redis" ? 2 : 1 }])
        const first = await send()
        await world.clearFaults()
        await expectWhole(id)
        if (first[0] !== 200) {
          refused++
          expect(first, what).toEqual([503, { detail: expect.any(String), code: "UNAVAILABLE" }])
        }
        const last = first[0] === 200 ? first : await send()
        expect(last[0], `${what}: ${JSON.stringify(last)}`).toBe(200)
        await succeeded(last)
        await expectWhole(id)
      }
    }
    console.log(`${name}: ${calls.length} calls × ${WAYS.length} ways, ${refused} refused`)
    expect(refused).toBe(calls.length * WAYS.length)
  },
)

test.each(scenarios)("$name works as specified without Redis and without the database", async ({ prepare }) => {
  for (const service of ["redis", "pg"]) {
    const id = ++people
    const { send, succeeded } = await prepare(id)
    await world.plan([{ service, call: 1, times: 1000, action: "fail", when: "before" }])
    const answer = await send()
    await world.clearFaults()
    expect(answer, service).toEqual([503, { detail: expect.any(String), code: "UNAVAILABLE" }])
    await expectWhole(id)
    const again = await send()
    expect(again[0]).toBe(200)
    await succeeded(again)
  }
})

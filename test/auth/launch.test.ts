import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LAUNCH_VECTORS } from "../harness/launch-vectors.ts"
import { browserAt, createBot, launchOf, sessionsOf, signLaunch, type TestBot, usersOf } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

const INVALID = [401, { detail: expect.any(String), code: "INVALID_LAUNCH_DATA" }]

let world: World
let bot: TestBot
beforeAll(async () => {
  world = await createWorld()
  bot = await createBot(world, "acme")
})
afterAll(() => world.close())

let people = 9000
const send = (init_data: string, host = bot.host, body: object = {}) =>
  browserAt(world, host).json("POST", "/api/auth/messenger-webapp", { init_data, ...body })
const seconds = (at = world.clock.ms()) => String(Math.floor(at / 1000))
/** The fields in their order, including the hash. */
const fieldsOf = (data: string) => [...new URLSearchParams(data)] as [string, string][]
const write = (fields: [string, string][]) => new URLSearchParams(fields).toString()

describe("Published launch data", () => {
  test.each(LAUNCH_VECTORS.map((vector, index) => ({ ...vector, index })))(
    "The published launch data of $name is accepted",
    async ({ data, token, id, index, signature }) => {
      const now = world.clock.ms()
      const own = await createBot(world, `vector${index}`, token)
      const authDate = Number(new URLSearchParams(data).get("auth_date")) * 1000
      world.clock.advance(authDate - now)
      try {
        expect(new URLSearchParams(data).has("signature")).toBe(signature)
        expect(await send(data)).toEqual(INVALID)
        if (signature) {
          const stripped = fieldsOf(data).filter(([name]) => name !== "signature")
          expect(await send(write(stripped), own.host)).toEqual(INVALID)
        }
        world.clock.advance(300_000)
        const [status, user] = await send(data, own.host)
        expect([status, user]).toEqual([200, expect.objectContaining({ brand: own.brand })])
        expect((await usersOf(world, own, Number(id)))[0]?.user_id).toBe(user.user_id)
        expect(await send(data, own.host)).toEqual(INVALID)
      } finally {
        world.clock.advance(now - world.clock.ms())
      }
    },
  )
})

describe("Altered launch data", () => {
  test("Launch data with any field changed, removed, doubled, renamed or added, or a flipped bit in the hash, is refused", async () => {
    const id = ++people
    const good = fieldsOf(launchOf(world, bot, id, { chat_type: "private", start_param: "x" }))
    const variants: [string, string][][] = []
    for (const [index, [name, value]] of good.entries()) {
      const put = (...pairs: [string, string][]) => variants.push(good.toSpliced(index, 1, ...pairs))
      const last = value.at(-1) === "0" ? "1" : "0"
      put([name, `${value}x`], [name, value])
      put([name, value], [name, value])
      put([name, `${value.slice(0, -1)}${last}`])
      put([name, ""])
      put([name, ` ${value}`])
      put([`${name}2`, value])
      put([name.toUpperCase(), value])
      put()
      if (name !== "hash") put([name, `${value}\nzzz=1`])
    }
    for (const added of ["a", "can_send_after", "zzz", "user2"]) variants.push([...good, [added, "1"]])
    for (let index = 0; index < 64; index++) {
      variants.push(
        good.map(([name, value]) => {
          const flipped = (Number.parseInt(value[index] ?? "0", 16) ^ 1).toString(16)
          return name === "hash" ? [name, value.slice(0, index) + flipped + value.slice(index + 1)] : [name, value]
        }),
      )
    }
    variants.push(good.map(([name, value]) => [name, name === "hash" ? value.toUpperCase() : value]))
    variants.push(
      good.map(([name, value]) => [name, name === "user" ? value.replace(String(id), String(id + 1)) : value]),
    )
    // Two fields merged into one: the signed text is the same, but the fields differ.
    const sorted = good.filter(([name]) => name !== "hash").sort(([a], [b]) => (a < b ? -1 : 1))
    const hash = good.find(([name]) => name === "hash") as [string, string]
    for (let at = 1; at < sorted.length; at++) {
      const [first, second] = [sorted[at - 1], sorted[at]] as [[string, string], [string, string]]
      variants.push([...sorted.toSpliced(at - 1, 2, [first[0], `${first[1]}\n${second[0]}=${second[1]}`]), hash])
    }
    for (const variant of variants) expect(await send(write(variant)), write(variant)).toEqual(INVALID)
    console.log(`${variants.length} alterations refused`)
    expect(await usersOf(world, bot, id)).toEqual([])
    expect((await send(write(good.toReversed())))[0], "another order of the fields is equal").toBe(200)
    for (const data of [write(good), write(good.toReversed())]) expect(await send(data)).toEqual(INVALID)
  })

  test("Launch data without a user, with an invalid number or in another format is refused", async () => {
    const auth_date = seconds()
    const users = [
      "",
      "x",
      "null",
      "[]",
      "{}",
      '{"id":0}',
      '{"id":-1}',
      '{"id":1.5}',
      '{"id":"x"}',
      '{"id":1e300}',
      '{"id":null}',
    ]
    for (const user of users) expect(await send(signLaunch({ auth_date, user }, bot.token)), user).toEqual(INVALID)
    expect(await send(signLaunch({ auth_date }, bot.token))).toEqual(INVALID)
    for (const data of ["x", "hash=", "&&&", "%", "user=%zz"]) expect(await send(data), data).toEqual(INVALID)
    for (const body of [
      {},
      { init_data: "" },
      { init_data: "a".repeat(8193) },
      { init_data: 1 },
      { init_data: "a", x: 1 },
    ]) {
      expect((await browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", body))[0]).toBe(422)
    }
  })

  test("Old and future launch data is refused, to the second", async () => {
    const at = (offset: number) =>
      send(launchOf(world, bot, ++people, { auth_date: seconds(world.clock.ms() + offset * 1000) }))
    expect((await at(-300))[0]).toBe(200)
    expect(await at(-301)).toEqual(INVALID)
    expect((await at(30))[0]).toBe(200)
    expect(await at(31)).toEqual(INVALID)
    for (const auth_date of ["", "0", "-1", "1e12", "99999999999999", `${seconds()}.5`, ` ${seconds()}`, "now"]) {
      expect(await send(launchOf(world, bot, ++people, { auth_date })), auth_date).toEqual(INVALID)
    }
    const data = launchOf(world, bot, ++people)
    await world.advance(300_001)
    expect(await send(data)).toEqual(INVALID)
  })
})

describe("Launch data of another brand", () => {
  test("Launch data of another brand's bot or host is refused", async () => {
    const other = await createBot(world, "other")
    const [id, otherId] = [++people, ++people]
    expect(await send(launchOf(world, other, otherId), bot.host)).toEqual(INVALID)
    const data = launchOf(world, bot, id)
    expect(await send(data, other.host)).toEqual(INVALID)
    expect(await send(data, "api.test")).toEqual([404, { detail: expect.any(String), code: "BOT_NOT_SET_UP" }])
    expect((await send(data))[0], "none of this has used it up").toBe(200)
    expect((await send(launchOf(world, other, id), other.host))[1].user_id, "each brand has separate users").not.toBe(
      (await usersOf(world, bot, id))[0]?.user_id,
    )
  })
})

describe("A replay", () => {
  test("Of 100 concurrent posts of one launch, one makes a session", async () => {
    const id = ++people
    const data = launchOf(world, bot, id)
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(data)))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(([status]) => status !== 200)) expect(answer).toEqual(INVALID)
    expect(await sessionsOf(world, (await usersOf(world, bot, id))[0]?.user_id)).toBe(1)
  })
})

test("A disabled user cannot sign in, and the page must be our own", async () => {
  const id = ++people
  const { user_id } = (await send(launchOf(world, bot, id)))[1]
  await world.sql("update users set disabled_at = now() where user_id = $1", [user_id])
  expect(await send(launchOf(world, bot, id))).toEqual(INVALID)
  const cross = { "sec-fetch-site": "cross-site" }
  const body = { init_data: launchOf(world, bot, ++people) }
  expect((await browserAt(world, bot.host, cross).json("POST", "/api/auth/messenger-webapp", body))[1].code).toBe(
    "CROSS_ORIGIN",
  )
})

describe("Inside a page of the platform", () => {
  const post = "/api/auth/messenger-webapp"
  const tokenOf = (response: Response) =>
    response.headers.getSetCookie().find((line) => line.startsWith("token=")) ?? ""
  const FRAMED = /^token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/

  test("The mini-app's cookie is sent inside the platform's page, also when it is renewed, and signing out removes it", async () => {
    const browser = browserAt(world, bot.host)
    const signedIn = await browser.call("POST", post, { init_data: launchOf(world, bot, ++people) })
    expect(tokenOf(signedIn)).toMatch(FRAMED)
    await world.advance(2 * 3_600_000)
    expect(tokenOf(await browser.call("GET", "/api/auth/me"))).toMatch(FRAMED)
    expect(tokenOf(await browser.call("DELETE", "/api/account/sessions?which=others"))).toMatch(FRAMED)
    const out = await browser.call("POST", "/api/auth/logout")
    expect(tokenOf(out)).toBe("token=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=None; Partitioned")
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(401)
  })

  test("Pages of other origins can change nothing with it", async () => {
    const browser = browserAt(world, bot.host)
    await browser.call("POST", post, { init_data: launchOf(world, bot, ++people) })
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://web.telegram.org" }
    const [status, { code }] = await browser.json("POST", "/api/account/keys", { name: "k" }, foreign)
    expect([status, code]).toEqual([403, "CROSS_ORIGIN"])
  })

  test("A repeated launch returns the user to the browser that holds its session, and is refused to any other browser", async () => {
    const [browser, other] = [browserAt(world, bot.host), browserAt(world, bot.host)]
    const init_data = launchOf(world, bot, ++people)
    const [, user] = await browser.json("POST", post, { init_data })
    expect(await browser.json("POST", post, { init_data })).toEqual([200, user])
    expect(await sessionsOf(world, user.user_id), "no second session").toBe(1)
    expect(await other.json("POST", post, { init_data })).toEqual(INVALID)
    await other.json("POST", post, { init_data: launchOf(world, bot, ++people) })
    expect(await other.json("POST", post, { init_data }), "another user's session").toEqual(INVALID)
    await browser.call("POST", "/api/auth/logout")
    expect(await browser.json("POST", post, { init_data }), "a session that has ended").toEqual(INVALID)
  })
})

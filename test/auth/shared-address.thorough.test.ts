import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { MAX_SERVERS_BYTES } from "../../src/http/json-bodies.ts"
import { DOORS } from "../../src/http/policies.ts"
import { chatWith, createBot, type TestBot } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

/**
 * The messaging platform calls the webhooks of all bots from a few addresses, so a stranger's bot
 * may call ours from the same address.
 */
const PLATFORM = "149.154.167.220"
const IDP_INTERNAL_SECRET = "a-long-random-secret"

let world: World
let bot: TestBot
beforeAll(async () => {
  world = await createWorld({ env: { IDP_INTERNAL_SECRET } })
  bot = await createBot(world, "acme")
})
afterAll(() => world.close())
afterEach(() => vi.useRealTimers())

const burstOf = (door: string) => DOORS[door]?.burst ?? 0

/** Sends wrong secrets from the address until it is refused. */
async function shutOut(knock: () => Promise<number>, door: string) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  const seen = []
  for (let n = 0; n < burstOf(door) + 5; n++) seen.push(await knock())
  expect(seen.at(-1)).toBe(429)
}

test("A stranger's calls of our webhook do not block the brand's bot, even before its secret is known", async () => {
  const stranger = chatWith(world, bot, 1, { secret: "a-strangers-secret", address: PLATFORM })
  await shutOut(async () => (await stranger.say("hello"))[0], "POST /api/auth/bot")
  const ours = chatWith(world, bot, 2, { address: PLATFORM })
  for (let n = 0; n < 3; n++) expect((await ours.say("/login"))[0]).toBe(200)
  expect((await stranger.say("hello"))[0]).toBe(429)
  // One brand's secret is not accepted at another brand's host.
  const other = await createBot(world, "other")
  expect((await chatWith(world, bot, 3, { address: PLATFORM, host: other.host }).say("hello"))[0]).toBe(429)
})

test("Concurrent calls do not block it either: few wrong secrets of a refused address are looked up at a time", async () => {
  const address = "149.154.167.221"
  const stranger = chatWith(world, bot, 1, { secret: "a-strangers-secret", address })
  await shutOut(async () => (await stranger.say("hello"))[0], "POST /api/auth/bot")
  await world.plan([])
  const seen = await Promise.all(Array.from({ length: 100 }, () => stranger.say("hello")))
  expect(new Set(seen.map(([status]) => status))).toEqual(new Set([429]))
  expect((await world.plan([])).filter(({ service }) => service === "pg").length).toBeLessThanOrEqual(8)
})

test("A server with the internal secret is not blocked by another server with a wrong secret at the same address", async () => {
  const mint = async (secret: string, subject = "7") => {
    const request = new Request("https://api.test/api/auth/idp/session", {
      method: "POST",
      headers: { "x-internal-secret": secret, "content-type": "application/json", "cf-connecting-ip": PLATFORM },
      body: JSON.stringify({ issuer: "https://id.test", subject }),
    })
    return (await world.invoke(request)).status
  }
  await shutOut(() => mint("wrong"), "POST /api/auth/idp/session")
  expect(await mint(IDP_INTERNAL_SECRET)).toBe(200)
  // A person who may not sign in does not block it either, however often they try.
  expect(await mint(IDP_INTERNAL_SECRET, "8")).toBe(200)
  await world.sql(
    "update users set disabled_at = now() where user_id = (select user_id from identities where subject = '8')",
  )
  for (let n = 0; n < burstOf("POST /api/auth/idp/session") + 5; n++)
    expect(await mint(IDP_INTERNAL_SECRET, "8")).toBe(403)
  expect(await mint(IDP_INTERNAL_SECRET)).toBe(200)
  expect(await mint("wrong")).toBe(429)
})

test.each(["/api/auth/bot", "/api/auth/idp/session"])(
  "The operation %s reads no body without the secret, and no large body",
  async (path) => {
    const send = async (length: number, [internal, webhook]: [string, string]) => {
      const init = {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": String(length),
          "x-internal-secret": internal,
          "x-telegram-bot-api-secret-token": webhook,
        },
        // No byte of the body arrives.
        body: new ReadableStream(),
        duplex: "half",
      }
      return (await world.invoke(new Request(`https://${bot.host}${path}`, init as RequestInit))).status
    }
    for (const length of [100, MAX_SERVERS_BYTES, 1024 * 1024]) expect(await send(length, ["wrong", "wrong"])).toBe(401)
    expect(await send(MAX_SERVERS_BYTES + 1, [IDP_INTERNAL_SECRET, bot.secret])).toBe(413)
  },
)

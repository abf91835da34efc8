import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { setBotWebhook } from "../../src/ops/bot-webhook.ts"
import { putBrand } from "../../src/ops/brands.ts"
import { TIME_LIMITS } from "../../src/platform/time-limits.ts"
import { brandOf, openBrandSecret } from "../../src/sign-in/brand-of.ts"
import { authContextOf } from "../harness/auth.ts"
import { browserAt, chatWith, createBot, launchOf } from "../harness/messenger.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const put = (brand: string, change: Partial<Parameters<typeof putBrand>[1]>) =>
  putBrand(authContextOf(world), { brand, keys: world.env.SECRETS_KEYS, ...change })
const at = async (url: string) => (await brandOf(authContextOf(world), url)).brand

test("The request's host determines the brand, with or without port, and other hosts have the worker's own brand", async () => {
  expect(await brandOf(authContextOf(world), "https://unknown.test/")).toEqual({
    brand: "turnpike",
    landing_path: "/chat",
    bot_username: null,
    bot_id: null,
    bot_token: null,
    bot_webhook_secret: null,
  })
  await put("acme", { hosts: ["app.acme.test", "LOCAL.test:8787"], landingPath: "/home" })
  await put("other", { hosts: ["local.test"] })
  await put("turnpike", { hosts: [] })
  expect(await at("https://app.acme.test/api/auth/me")).toBe("acme")
  expect(await at("https://APP.acme.test:8443/")).toBe("acme")
  expect(await at("http://local.test:8787/")).toBe("acme")
  expect(await at("http://local.test:1/")).toBe("other")
  expect(await at("https://evil-app.acme.test/")).toBe("turnpike")
  await expect(put("third", { hosts: ["local.test"] })).rejects.toThrow("Another brand")
  await expect(put("third", { hosts: ["local.test/x"] })).rejects.toThrow("not a host")
  await expect(put("third", { landingPath: "//evil.test" })).rejects.toThrow("a path of the web app")
})

test("Of two brands that claim one host concurrently, one gets it", async () => {
  const asked = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) => put(`twin${n}`, { hosts: ["wanted.test"] })),
  )
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
})

test("A bot's token is sealed for its brand, omitted fields stay unchanged, and the audit log has no secret", async () => {
  const printed = await put("bots", { hosts: ["bots.test"], botUsername: "@bots_bot", botToken: "123:canary" })
  const secret = /webhook secret (\S+)/.exec(printed)?.[1] ?? ""
  expect(secret).toMatch(/^[\w-]{43}$/)
  await put("bots", { landingPath: "/x" })
  const ctx = authContextOf(world)
  const brand = await brandOf(ctx, "https://bots.test/")
  expect(brand).toMatchObject({ brand: "bots", landing_path: "/x", bot_username: "bots_bot" })
  expect(brand.bot_token).not.toContain("canary")
  expect(await openBrandSecret(ctx, brand, "bot_token")).toBe("123:canary")
  expect(await openBrandSecret(ctx, brand, "bot_webhook_secret")).toBe(secret)
  await expect(openBrandSecret(ctx, { ...brand, brand: "acme" }, "bot_token")).rejects.toThrow()
  await expect(put("keyless", { botToken: "1:2", keys: undefined })).rejects.toThrow("SECRETS_KEYS")
  const entries = await world.sql("select * from audit_log where subject_id = 'bots' order by audit_id")
  expect(entries).toHaveLength(2)
  expect(JSON.stringify(entries)).not.toMatch(new RegExp(`canary|${secret}|test\\.[\\w-]+\\.`))
})

test("A bot works during a key rotation: secrets are sealed again when used, and the old key can be removed", async () => {
  const bot = await createBot(world, "rotated")
  const person = chatWith(world, bot, 77)
  const launch = (id: number) =>
    browserAt(world, bot.host).json("POST", "/api/auth/messenger-webapp", { init_data: launchOf(world, bot, id) })
  const newer = `newer:${btoa("fedcba9876543210fedcba9876543210")}`
  world.rebind({ SECRETS_KEYS: `${newer},${world.env.SECRETS_KEYS}` })
  expect((await person.say("/start"))[0]).toBe(200)
  expect((await launch(77))[0]).toBe(200)
  await world.settled()
  const [brand] = await world.sql("select bot_token, bot_webhook_secret from brands where brand = 'rotated'")
  expect(Object.values(brand ?? {})).toEqual([
    expect.stringMatching(/^newer\.brands\./),
    expect.stringMatching(/^newer\.brands\./),
  ])
  world.rebind({ SECRETS_KEYS: newer })
  expect((await person.say("/start"))[0]).toBe(200)
  expect((await launch(78))[0]).toBe(200)
  world.rebind({ SECRETS_KEYS: world.env.SECRETS_KEYS })
})

test("A bot's webhook is set with its secret at its brand's host, and a failure reveals no part of the token", async () => {
  const printed = await put("hooked", { hosts: ["hooked.test"], botUsername: "hooked_bot", botToken: "123:canary" })
  const asked: { url: string; body: unknown }[] = []
  let answer: Response | Error = Response.json({ ok: true, result: true })
  const fetch = async (url: unknown, init?: RequestInit) => {
    asked.push({ url: String(url), body: JSON.parse(String(init?.body)) })
    if (answer instanceof Error) throw answer
    return answer
  }
  const options = { brand: "hooked", host: null, keys: world.env.SECRETS_KEYS, apiUrl: "https://bots.test", fetch }
  const set = (changes = {}) =>
    setBotWebhook(authContextOf(world), { ...options, ...changes } as Parameters<typeof setBotWebhook>[1])
  expect(await set()).toBe("https://hooked.test/api/auth/bot")
  expect(asked).toEqual([
    {
      url: "https://bots.test/bot123:canary/setWebhook",
      body: {
        url: "https://hooked.test/api/auth/bot",
        secret_token: /webhook secret (\S+)/.exec(printed)?.[1],
        allowed_updates: ["callback_query", "message", "chat_member", "my_chat_member"],
      },
    },
  ])
  answer = Response.json({ ok: false, error_code: 401, description: "Unauthorized" }, { status: 401 })
  await expect(set()).rejects.toThrow("The webhook was not registered: Unauthorized.")
  answer = new Error("connect to bot123:canary failed")
  await expect(set()).rejects.toThrow(/^The webhook was not registered: the Bot API does not respond\.$/)
  await expect(set({ brand: "acme" })).rejects.toThrow("has no bot")

  const over = new AbortController()
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(over.signal)
  const hanging = (_url: unknown, init?: RequestInit) =>
    new Promise<Response>((_answer, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
      over.abort(new Error("ten seconds have passed"))
    })
  await expect(set({ fetch: hanging })).rejects.toThrow("the Bot API does not respond")
  expect(timeout).toHaveBeenLastCalledWith(TIME_LIMITS.botApiMs)
  timeout.mockRestore()
})

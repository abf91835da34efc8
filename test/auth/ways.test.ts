import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson, postLogin } from "../harness/auth.ts"
import { browserAt, createBot } from "../harness/messenger.ts"
import { EMAIL_HOOK } from "../harness/notices.ts"
import { OPENID_CLIENTS } from "../harness/openid-clients.ts"
import { enrol } from "../harness/second-factor.ts"
import { createWorld, type World } from "../harness/world.ts"

const PATH = "/api/auth/ways"
const NONE = { session: "none", identity_provider: false, messaging_app: false, password_reset: false }

const NOTHING = { EMAIL_HOOK_URL: undefined, OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined }

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A service without provider, bot and emails offers none of them", async () => {
  expect(await browserAt(world, "api.test").json("GET", PATH)).toEqual([200, NONE])
})

test("A way is offered as soon as it is configured, and a bot only on its brand's host", async () => {
  const { client_id } = OPENID_CLIENTS.basic
  const bot = await createBot(world, "acme")
  world.rebind({ ...EMAIL_HOOK, OIDC_ISSUER: "https://id.example.com", OIDC_CLIENT_ID: client_id })
  try {
    const all = { ...NONE, identity_provider: true, password_reset: true }
    expect(await browserAt(world, "api.test").json("GET", PATH)).toEqual([200, all])
    expect(await browserAt(world, bot.host).json("GET", PATH)).toEqual([200, { ...all, messaging_app: true }])
    world.rebind({ ...NOTHING, OIDC_ISSUER: "https://id.example.com" })
    expect(await browserAt(world, "api.test").json("GET", PATH)).toEqual([200, NONE])
  } finally {
    world.rebind(NOTHING)
  }
})

test("The state of the session is open, ended after it was ended, and none without a cookie", async () => {
  const { userId } = await world.createAccount()
  const [browser, other] = [await world.signIn(userId), await world.signIn(userId)]
  expect(await browser.json("GET", PATH)).toEqual([200, { ...NONE, session: "open" }])
  expect((await other.call("DELETE", `/api/account/sessions/${browser.sessionId}`)).status).toBe(200)
  expect(await browser.json("GET", PATH)).toEqual([200, { ...NONE, session: "ended" }])
  expect(await browser.json("GET", PATH, undefined, { cookie: "token=forged" })).toEqual([
    200,
    { ...NONE, session: "ended" },
  ])
  expect(await browser.json("GET", PATH, undefined, { cookie: null })).toEqual([200, NONE])
})

test("A session that waits for its second factor says so", async () => {
  const { userId, email } = await createPerson(world, { password: "nine tall cranes" })
  await enrol(world, userId)
  const login = await postLogin(world, email, "nine tall cranes")
  expect(login.status).toBe(401)
  const cookie = /token=[^;]+/.exec(String(login.cookie))?.[0] ?? ""
  const response = await browserAt(world, "api.test").call("GET", PATH, undefined, { cookie })
  expect(await response.json()).toEqual({ ...NONE, session: "second_factor" })
})

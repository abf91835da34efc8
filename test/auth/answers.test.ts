import { afterAll, beforeAll, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { mintMagicLink } from "../../src/sign-in/sign-in-token.ts"
import { askAuth, authContextOf, createPerson } from "../harness/auth.ts"
import { chatWith, createBot, launchOf } from "../harness/messenger.ts"
import { EMAIL_HOOK, receiveEmails } from "../harness/notices.ts"
import { codeOf, enrol } from "../harness/second-factor.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { IDP_INTERNAL_SECRET: "between us", ...EMAIL_HOOK } })
})
afterAll(() => world.close())

test("Every operation of the auth API answers exactly what it declares", async () => {
  const app = new App()
  auth.mount(app)
  const { userId, email } = await createPerson(world, { password: PASSWORD })
  const browser = await world.signIn(userId)
  const answered = new Set<string>()
  const emails = receiveEmails(world)

  let cookies: string[] = []
  async function answerOf(id: string, body?: object, { query = "", headers = {} } = {}) {
    const operation = app.operations.find((known) => known.id === id)
    if (!operation) throw new Error(`there is no operation ${id}`)
    const response = await browser.call(operation.method.toUpperCase(), operation.path + query, body, headers)
    const answer = (await response.json()) as { token?: string }
    cookies = response.headers.getSetCookie()
    expect([response.status, answer], id).toEqual([operation.answer.status, operation.answer.schema.parse(answer)])
    answered.add(id)
    return answer
  }

  await answerOf("login", { email, password: PASSWORD })
  await answerOf("getCurrentUser")
  await answerOf("listSignInWays")
  const { token } = await answerOf("createAppToken")
  await answerOf("exchangeToken", { token })
  const { url } = await mintMagicLink(authContextOf(world), { userId, origin: "https://app.test" })
  await answerOf("exchangeToken", { token: url.split("=")[1] })
  const claims = { issuer: "https://id.test", subject: "1" }
  await answerOf("createIdpSession", claims, { headers: { "x-internal-secret": "between us" } })
  const bot = await createBot(world, "turnpike")
  const secret = { "x-telegram-bot-api-secret-token": bot.secret }
  await answerOf("signInMessengerWebApp", { init_data: launchOf(world, bot, 1) })
  const login = await answerOf("startWebLogin")
  const poll = { query: `?token=${login.token}`, headers: { cookie: cookies[0]?.split(";")[0] ?? "" } }
  await answerOf("getWebLogin", undefined, poll)
  const update = chatWith(world, bot, 1).messageOf(`/start weblogin_${login.token}`)
  await answerOf("answerBotUpdate", update, { headers: secret })
  expect(await answerOf("getWebLogin", undefined, poll)).toHaveProperty("user")
  await answerOf("login", { email, password: PASSWORD })
  await answerOf("reauthenticate", { password: PASSWORD })
  await answerOf("startPasswordReset", { email })
  await world.settled()
  const reset = new URL(emails.findLast(({ kind }) => kind === "password_reset")?.data.url ?? "").hash.split("=")[1]
  await answerOf("resetPassword", { token: reset, new_password: "nine tall cranes" })
  const owner = await world.signIn((await world.createAccount()).userId)
  await owner.json("POST", "/api/account/invitations", { email: "joins@people.test", role: "billing" })
  await world.settled()
  const invited = new URL(emails.findLast(({ kind }) => kind === "member_invited")?.data.url ?? "").hash.split("=")[1]
  await answerOf("readInvitation", { token: invited })
  await answerOf("joinAsNewUser", { token: invited, name: "Joins", password: "nine tall cranes" })
  const factor = await enrol(world, userId)
  const waiting = await askAuth(world, "/api/auth/login", { body: { email, password: "nine tall cranes" } })
  await world.advance(30_000)
  const code = codeOf(factor.uri, world.clock.now())
  await answerOf("answerSecondFactor", { code }, { headers: { cookie: waiting.cookie } })
  await answerOf("logout")
  // Operations that only redirect are tested in oauth-login.test.ts.
  const answering = app.operations.filter(({ answer }) => answer.status !== 302).map(({ id }) => id)
  expect([...answered].sort(), "every operation is called here").toEqual(answering.sort())
})

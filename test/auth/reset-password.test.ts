import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { putBrand } from "../../src/ops/brands.ts"
import { askAuth, authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { EMAIL_HOOK, emailsTo, noticesOf, receiveEmails } from "../harness/notices.ts"
import { enrol } from "../harness/second-factor.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
})
afterAll(() => world.close())
beforeEach(() => emails.splice(0))

describe("A link for a new password", () => {
  const start = (email: string, address = "198.51.100.1") =>
    askAuth(world, "/api/auth/password-reset/start", { body: { email }, address })
  const reset = (token: string | undefined, new_password = "nine tall cranes") =>
    askAuth(world, "/api/auth/password-reset", { body: { token, new_password } })
  async function linkOf(email: string) {
    expect(await start(email)).toMatchObject({ status: 200, answer: { ok: true } })
    await world.settled()
    // Other notices, for example about a new second factor, are sent at the same time.
    const sent = emailsTo(emails, email).findLast(({ kind }) => kind === "password_reset")
    return sent && new URL(String(sent.data.url))
  }
  const tokenOf = async (email: string) => (await linkOf(email))?.hash.replace("#token=", "")

  test("A link sets the password once and ends all sessions and links", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const browser = await world.signIn(userId)
    const [one, two] = [await tokenOf(email), await tokenOf(email)]
    expect((await reset(one, "short")).status).toBe(422)
    expect(await reset(one)).toMatchObject({ status: 200, answer: { ok: true } })
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(401)
    expect((await postLogin(world, email, PASSWORD)).status).toBe(401)
    expect((await postLogin(world, email, "nine tall cranes")).status).toBe(200)
    for (const token of [one, two, "x"]) expect((await reset(token)).answer.code).toBe("INVALID_TOKEN")
    const told = { factor: "password", change: "reset" }
    expect((await noticesOf(world, userId)).map(({ data }) => data)).toContainEqual(told)
    expect(emailsTo(emails, email)).toContainEqual({
      kind: "factor_changed",
      data: { ...told, at: expect.any(String) },
    })
    const [entry] = await world.sql("select * from audit_log where action = 'user.password_reset'")
    expect(entry).toMatchObject({ subject_id: String(userId), actor_user_id: String(userId) })
  })

  test("Of several concurrent requests one has an effect, and the link lasts 30 minutes", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const token = await tokenOf(email)
    const answers = await Promise.all([reset(token), reset(token), reset(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    const late = await tokenOf(email)
    await world.advance(30 * 60_000)
    expect((await reset(late)).answer.code).toBe("INVALID_TOKEN")
  })

  test("A link leads to our own host, whatever the request's Host header says", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const hostOf = async (host: string, headers: Record<string, string> = {}) => {
      const request = new Request(`https://${host}/api/auth/password-reset/start`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin", "content-type": "application/json", ...headers },
        body: JSON.stringify({ email }),
      })
      expect((await world.invoke(request)).status).toBe(200)
      await world.settled()
      const sent = emailsTo(emails, email).findLast(({ kind }) => kind === "password_reset")
      return new URL(String(sent?.data.url)).host
    }
    expect(await hostOf("evil.example")).toBe("api.test")
    expect(await hostOf("api.test", { "x-forwarded-host": "evil.example" })).toBe("api.test")
  })

  test("A link is on our own host, with its token in the fragment", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const link = await linkOf(email)
    expect([link?.origin, link?.pathname, link?.search]).toEqual(["https://api.test", "/reset-password", ""])
  })

  test("A link leads to a host of the account's own brand, and is not sent if the brand has no host", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await world.sql("update users set brand = 'late' where user_id = $1", [userId])
    expect(await linkOf(email), "the brand has no host").toBeUndefined()
    await putBrand(authContextOf(world), { brand: "late", hosts: ["app.late.test"], keys: world.env.SECRETS_KEYS })
    expect((await linkOf(email))?.origin).toBe("https://app.late.test")
  })

  test("No link is sent to an unknown or disabled user or an admin without a second factor, and the answer is the same", async () => {
    const [disabled, admin] = [
      await createPerson(world),
      await createPerson(world, { password: PASSWORD, role: "admin" }),
    ]
    await world.sql("update users set disabled_at = now() where user_id = $1", [disabled.userId])
    for (const email of ["nobody@people.test", disabled.email, admin.email])
      expect(await tokenOf(email)).toBeUndefined()
    await enrol(world, admin.userId)
    expect((await reset(await tokenOf(admin.email))).status).toBe(200)
    const login = await postLogin(world, admin.email, "nine tall cranes")
    expect(login.answer.code).toBe("SECOND_FACTOR_REQUIRED")
  })

  test("At most three links are sent per email, and ten per requesting address", async () => {
    const { email } = await createPerson(world, { password: PASSWORD })
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await start(email, `203.0.113.${n}`)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const spread = []
    for (let n = 0; n < 11; n++) spread.push((await start(`nobody-${n}@people.test`, "203.0.113.200")).status)
    expect(spread.at(-1)).toBe(429)
    expect(spread.slice(0, 10)).toEqual(Array(10).fill(200))
  })

  test("The operation does not exist without an operator's email server", async () => {
    world.rebind({ EMAIL_HOOK_URL: "" })
    expect((await start("somebody@people.test")).answer.code).toBe("EMAIL_NOT_CONFIGURED")
    world.rebind(EMAIL_HOOK)
  })
})

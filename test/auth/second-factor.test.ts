import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { mintMagicLink } from "../../src/sign-in/sign-in-token.ts"
import { askAuth, authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { codeOf, enrol } from "../harness/second-factor.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"
const STEP = 30_000

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { IDP_INTERNAL_SECRET: "between us" } })
})
afterAll(() => world.close())

/** A person with a second factor whose last code is used up. */
async function enrolled(role: "user" | "admin" = "user") {
  const person = await createPerson(world, { password: PASSWORD, role })
  const factor = await enrol(world, person.userId)
  await world.advance(STEP)
  return { ...person, ...factor, code: () => codeOf(factor.uri, world.clock.now()) }
}

const me = async (cookie: string) => {
  const { status, answer } = await askAuth(world, "/api/auth/me", { method: "GET", cookie })
  return status === 200 ? answer.user_id : answer.code
}
const answer = (cookie: string, code: string) => askAuth(world, "/api/auth/second-factor", { body: { code }, cookie })

describe("Signing in", () => {
  test("A sign-in without a second factor is unchanged", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const { status, answer: user, cookie } = await postLogin(world, email, PASSWORD)
    expect([status, user.user_id, await me(cookie)]).toEqual([200, userId, userId])
    const nothing = await answer(cookie, "123456")
    expect([nothing.status, nothing.answer.code]).toEqual([401, "SESSION_REQUIRED"])
  })

  test("A sign-in with a second factor gives no access before the code", async () => {
    const person = await enrolled()
    const login = await postLogin(world, person.email, PASSWORD)
    expect([login.status, login.answer.code]).toEqual([401, "SECOND_FACTOR_REQUIRED"])
    expect(await me(login.cookie)).toBe("SECOND_FACTOR_REQUIRED")
    for (const [path, method] of [
      ["/api/account/keys", "GET"],
      ["/api/auth/app-token", "POST"],
      ["/api/auth/reauthenticate", "POST"],
    ]) {
      const body = path?.endsWith("reauthenticate") ? { body: { password: PASSWORD } } : {}
      const refused = await askAuth(world, path ?? "", { method: method ?? "", cookie: login.cookie, ...body })
      expect(refused.answer.code, path).toBe("SECOND_FACTOR_REQUIRED")
    }
    expect((await answer(login.cookie, "000000")).answer.code).toBe("WRONG_CODE")
    const opened = await answer(login.cookie, person.code())
    expect([opened.status, opened.answer.user_id]).toEqual([200, person.userId])
    expect(await me(login.cookie)).toBe(person.userId)
  })

  test("Every other way to sign in requires the code too", async () => {
    const person = await enrolled()
    const ctx = authContextOf(world)
    const { url } = await mintMagicLink(ctx, { userId: person.userId, origin: "https://app.test" })
    const magic = await askAuth(world, "/api/auth/magic", { body: { token: url.split("=")[1] } })
    expect([magic.answer.code, await me(magic.cookie)]).toEqual(["SECOND_FACTOR_REQUIRED", "SECOND_FACTOR_REQUIRED"])
    await world.sql(
      "insert into identities (issuer, subject, user_id, created_at) values ('https://id.test', $1, $2, now())",
      [String(person.userId), person.userId],
    )
    const claims = { issuer: "https://id.test", subject: String(person.userId) }
    const request = new Request("https://api.test/api/auth/idp/session", {
      method: "POST",
      headers: { "x-internal-secret": "between us", "content-type": "application/json" },
      body: JSON.stringify(claims),
    })
    expect(await (await world.invoke(request)).json()).toMatchObject({ code: "SECOND_FACTOR_REQUIRED" })
    const opened = await answer(magic.cookie, person.code())
    const app = await askAuth(world, "/api/auth/app-token", { cookie: magic.cookie })
    expect([opened.status, app.status], "an app's session is made from an open session").toEqual([200, 200])
    const webview = await askAuth(world, "/api/auth/magic", { body: { token: app.answer.token } })
    expect(await me(webview.cookie)).toBe(person.userId)
  })

  test("A sign-in waits ten minutes for the code", async () => {
    const person = await enrolled()
    const login = await postLogin(world, person.email, PASSWORD)
    await world.advance(10 * 60_000)
    expect((await answer(login.cookie, person.code())).answer.code).toBe("SESSION_REQUIRED")
    expect(await me(login.cookie)).toBe("SESSION_REQUIRED")
  })
})

describe("A code", () => {
  test("A code works once, also for concurrent requests, and no older code works after it", async () => {
    const person = await enrolled()
    const logins = [1, 2, 3].map(() => postLogin(world, person.email, PASSWORD))
    const cookies = (await Promise.all(logins)).map(({ cookie }) => cookie)
    const before = person.code()
    await world.advance(STEP)
    const now = person.code()
    const answers = await Promise.all(cookies.map((cookie) => answer(cookie, now)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
    const waiting = cookies[answers.findIndex(({ status }) => status === 403)] as string
    expect((await answer(waiting, before)).answer.code, "the code of the previous step").toBe("WRONG_CODE")
  })

  test("A code may be one time step off, and not two", async () => {
    const person = await enrolled()
    const { cookie } = await postLogin(world, person.email, PASSWORD)
    const code = person.code()
    await world.advance(2 * STEP)
    expect((await answer(cookie, code)).answer.code).toBe("WRONG_CODE")
    const late = person.code()
    await world.advance(STEP)
    expect((await answer(cookie, late)).status).toBe(200)
  })

  test("A code can be tried five times, then once in five minutes", async () => {
    const person = await enrolled()
    const { cookie } = await postLogin(world, person.email, PASSWORD)
    for (let n = 0; n < 5; n++) expect((await answer(cookie, "000000")).answer.code).toBe("WRONG_CODE")
    const refused = await answer(cookie, person.code())
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "300"])
    await world.advance(300_000)
    expect((await answer(cookie, person.code())).status).toBe(200)
  })

  test("Wrong codes from a person who knows the password do not lock the owner out at known places", async () => {
    const person = await enrolled()
    const [home, strange] = ["198.51.100.7", "203.0.113.66"]
    const answerAt = (address: string, cookie: string, code: string) =>
      askAuth(world, "/api/auth/second-factor", { body: { code }, cookie, address })
    const loginAt = async (address: string) => (await postLogin(world, person.email, PASSWORD, address)).cookie
    expect((await answerAt(home, await loginAt(home), person.code())).status).toBe(200)
    await world.advance(STEP)
    // Each of their logins has five attempts, and all of them together have twenty.
    const outcomes: string[] = []
    for (let login = 0; login < 5; login++) {
      const cookie = await loginAt(strange)
      for (let n = 0; n < 6; n++) outcomes.push((await answerAt(strange, cookie, "000000")).answer.code)
    }
    expect(outcomes.filter((code) => code === "WRONG_CODE")).toHaveLength(20)
    expect(outcomes[5]).toBe("LOGIN_THROTTLED")
    expect((await answerAt(strange, await loginAt(strange), person.code())).answer.code).toBe("LOGIN_THROTTLED")
    expect((await answerAt(home, await loginAt(home), person.code())).status).toBe(200)
  })

  test("Five wrong codes in one login do not use up the attempts of another login of the account", async () => {
    const person = await enrolled()
    const [one, two] = [await postLogin(world, person.email, PASSWORD), await postLogin(world, person.email, PASSWORD)]
    for (let n = 0; n < 5; n++) await answer(one.cookie, "000000")
    expect((await answer(one.cookie, person.code())).answer.code).toBe("LOGIN_THROTTLED")
    expect((await answer(two.cookie, person.code())).status).toBe(200)
  })

  test("A recovery code works once, in any letter case, and only its hash is stored", async () => {
    const person = await enrolled()
    const [first = "", second = ""] = person.recoveryCodes
    expect(person.recoveryCodes).toHaveLength(10)
    const [row] = await world.sql("select * from second_factors where user_id = $1", [person.userId])
    expect(JSON.stringify(row)).not.toContain(first.replaceAll("-", ""))
    expect(JSON.stringify(row)).not.toContain(new URL(person.uri).searchParams.get("secret"))
    const one = await postLogin(world, person.email, PASSWORD)
    expect((await answer(one.cookie, first.toLowerCase().replaceAll("-", " "))).status).toBe(200)
    const two = await postLogin(world, person.email, PASSWORD)
    expect((await answer(two.cookie, first)).answer.code).toBe("WRONG_CODE")
    expect((await answer(two.cookie, second)).status).toBe(200)
    expect((await person.browser.json("GET", "/api/account/second-factor"))[1].recovery_codes_left).toBe(8)
  })
})

describe("Setting up a second factor", () => {
  test("The setup needs a fresh proof and a correct code, ends all other sessions, and requires the code from then on", async () => {
    const person = await createPerson(world, { password: PASSWORD })
    const [browser, other] = [await world.signIn(person.userId), await world.signIn(person.userId)]
    await world.advance(10 * 60_000)
    const begin = () => browser.json("POST", "/api/account/second-factor")
    expect((await begin())[1].code).toBe("REAUTHENTICATION_REQUIRED")
    await browser.json("POST", "/api/auth/reauthenticate", { password: PASSWORD })
    const [, abandoned] = await begin()
    expect((await postLogin(world, person.email, PASSWORD)).status, "not confirmed").toBe(200)
    const [, { uri }] = await begin()
    const confirm = (code: string) => browser.json("POST", "/api/account/second-factor/confirm", { code })
    await world.advance(10 * 60_000)
    expect((await confirm(codeOf(uri, world.clock.now())))[1].code, "the setup began with a fresh proof").toBe(
      "REAUTHENTICATION_REQUIRED",
    )
    await browser.json("POST", "/api/auth/reauthenticate", { password: PASSWORD })
    expect((await confirm(codeOf(abandoned.uri, world.clock.now())))[1].code).toBe("WRONG_CODE")
    expect((await confirm(codeOf(uri, world.clock.now())))[0]).toBe(200)
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(200)
    expect((await other.call("GET", "/api/auth/me")).status).toBe(401)
    expect((await begin())[1].code).toBe("CONFLICT")
    expect((await postLogin(world, person.email, PASSWORD)).answer.code).toBe("SECOND_FACTOR_REQUIRED")
  })

  test("A proof requires the code too, removal requires a proof, and an admin can remove the factor", async () => {
    const [person, lost] = [await enrolled(), await enrolled()]
    await world.advance(10 * 60_000)
    const { browser } = person
    expect((await browser.json("DELETE", "/api/account/second-factor"))[1].code).toBe("REAUTHENTICATION_REQUIRED")
    const prove = (body: object) => browser.json("POST", "/api/auth/reauthenticate", body)
    expect((await prove({ password: PASSWORD }))[0]).toBe(422)
    expect((await prove({ password: PASSWORD, code: "000000" }))[1].code).toBe("WRONG_CODE")
    expect((await prove({ password: PASSWORD, code: person.code() }))[0]).toBe(200)
    expect((await browser.json("DELETE", "/api/account/second-factor"))[0]).toBe(200)
    expect((await postLogin(world, person.email, PASSWORD)).status).toBe(200)
    const { userId: adminId } = await createPerson(world, { role: "admin" })
    const stale = await world.signIn(adminId)
    await world.advance(10 * 60_000)
    const refused = await stale.json("DELETE", `/api/admin/users/${lost.userId}/second-factor`)
    expect(refused[1].code).toBe("REAUTHENTICATION_REQUIRED")
    const admin = await world.signIn(adminId)
    expect((await admin.json("DELETE", `/api/admin/users/${lost.userId}/second-factor`))[0]).toBe(200)
    expect((await admin.json("DELETE", `/api/admin/users/${lost.userId}/second-factor`))[0]).toBe(404)
    expect((await postLogin(world, lost.email, PASSWORD)).status).toBe(200)
  })
})

test("The setting treats an admin as a normal user until they have a second factor, also in the current session", async () => {
  const admin = await createPerson(world, { password: PASSWORD, role: "admin" })
  const browser = await world.signIn(admin.userId)
  const users = async (by = browser) => (await by.json("GET", "/api/admin/users"))[1].code
  expect(await users()).toBeUndefined()
  await world.sql("insert into settings (key, value, updated_at) values ('admin_second_factor', '\"required\"', now())")
  expect(await users()).toBe("SECOND_FACTOR_NOT_SET_UP")
  const credit = { reason: "admin_grant", amount_usd: 1, note: "n" }
  const path = `/api/admin/users/${admin.userId}`
  expect((await browser.json("POST", `${path}/credits`, credit, { "idempotency-key": "1" }))[1].code).toBe(
    "SECOND_FACTOR_NOT_SET_UP",
  )
  expect((await browser.json("PUT", path, { name: "Ada" }))[1].code).toBe("SECOND_FACTOR_NOT_SET_UP")
  expect((await browser.json("GET", "/api/account/second-factor"))[1]).toMatchObject({
    required: true,
    enrolled: false,
  })
  const factor = await enrol(world, admin.userId)
  expect(await users(factor.browser)).toBeUndefined()
  await world.sql("delete from settings where key = 'admin_second_factor'")
})

test("An admin without a second factor cannot require one of all admins", async () => {
  const admin = await createPerson(world, { password: PASSWORD, role: "admin" })
  const browser = await world.signIn(admin.userId)
  const require = (by: typeof browser) =>
    by.json("PUT", "/api/admin/settings", { key: "admin_second_factor", value: "required" })
  expect(await require(browser)).toMatchObject([403, { code: "SECOND_FACTOR_NOT_SET_UP" }])
  const factor = await enrol(world, admin.userId)
  expect((await require(factor.browser))[0]).toBe(200)
  await world.sql("delete from settings where key = 'admin_second_factor'")
})

test("A secret is sealed again by the newest key when it is used", async () => {
  const person = await enrolled()
  const sealed = async () =>
    (await world.sql<{ secret: string }>("select secret from second_factors where user_id = $1", [person.userId]))[0]
      ?.secret
  const [former, ring] = [await sealed(), String((world.env as unknown as Record<string, string>).SECRETS_KEYS)]
  const key = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")
  world.rebind({ SECRETS_KEYS: `new:${key},${ring}` })
  const { cookie } = await postLogin(world, person.email, PASSWORD)
  expect((await answer(cookie, person.code())).status).toBe(200)
  expect([former?.startsWith("new."), (await sealed())?.startsWith("new.")]).toEqual([false, true])
  world.rebind({ SECRETS_KEYS: ring })
})

test("A new password alone is no proof if there is a second factor", async () => {
  const person = await enrolled()
  // Ten minutes later, an attacker with the cookie and the password but not the app …
  await world.advance(11 * 60_000)
  const change = { current_password: PASSWORD, new_password: "another long battery staple" }
  expect((await person.browser.json("PUT", "/api/account/password", change))[0]).toBe(200)
  // … can neither remove the factor nor make a key.
  expect((await person.browser.json("DELETE", "/api/account/second-factor"))[1].code).toBe("REAUTHENTICATION_REQUIRED")
  const proof = { password: change.new_password, code: person.code() }
  expect((await person.browser.json("POST", "/api/auth/reauthenticate", proof))[0]).toBe(200)
  expect((await person.browser.json("DELETE", "/api/account/second-factor"))[0]).toBe(200)
})

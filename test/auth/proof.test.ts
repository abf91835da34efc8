import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { askAuth, createPerson, postLogin } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"
const FREE = { input: 0, cached: 0, output: 0 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type Browser = Awaited<ReturnType<World["signIn"]>>
type Act = [method: string, path: string, body?: object, headers?: Record<string, string>]

const outcome = async (browser: Browser, [method, path, body, headers]: Act) => {
  const [status, { code }] = await browser.json(method, path, body, headers)
  return code ?? status
}

/** Asserts that the acts are refused ten minutes after the sign-in and succeed after a proof. */
async function needsProof(browser: Browser, acts: Act[], proof: object) {
  await world.advance(10 * MINUTE)
  for (const act of acts) expect(await outcome(browser, act), act[1]).toBe("REAUTHENTICATION_REQUIRED")
  expect(await browser.json("POST", "/api/auth/reauthenticate", proof)).toEqual([200, { ok: true }])
  for (const act of acts) expect([200, 201], act[1]).toContain(await outcome(browser, act))
}

describe("A fresh proof", () => {
  test("An owner needs a fresh proof for changes that are hard to undo", async () => {
    const { userId } = await createPerson(world, { password: PASSWORD })
    const browser = await world.signIn(userId)
    const [, { key_id }] = await browser.json("POST", "/api/account/keys", { name: "all", scope: "all" })
    await needsProof(
      browser,
      [
        ["POST", "/api/account/keys", { name: "all", scope: "all" }],
        ["POST", `/api/account/keys/${key_id}/rotate`, {}],
        ["POST", "/api/account/keys", { name: "own" }],
      ],
      { password: PASSWORD },
    )
    await world.advance(10 * MINUTE)
    const change = { current_password: PASSWORD, new_password: "nine tall cranes" }
    expect(await outcome(browser, ["PUT", "/api/account/password", change]), "the password is the proof").toBe(200)
    const key: Act = ["POST", "/api/account/keys", { name: "own" }]
    expect(await outcome(browser, key), "the proof covers the following acts too").toBe(201)
  })

  test("A sign-in is the proof for a user without a password who sets a first password", async () => {
    const { userId } = await createPerson(world)
    const browser = await world.signIn(userId)
    await world.advance(10 * MINUTE)
    const first: Act = ["PUT", "/api/account/password", { new_password: "nine tall cranes" }]
    expect(await outcome(browser, first)).toBe("REAUTHENTICATION_REQUIRED")
    const proof: Act = ["POST", "/api/auth/reauthenticate", { password: "nine tall cranes" }]
    expect(await outcome(browser, proof)).toBe("REAUTHENTICATION_REQUIRED")
    expect(await outcome(await world.signIn(userId), first)).toBe(200)
  })

  test("An admin needs a fresh proof for credit, refunds, other users' logins and new admins", async () => {
    const admin = await createPerson(world, { password: PASSWORD, role: "admin" })
    const client = await world.createAccount()
    const turn = await client.runTurn({ space: await client.space() })
    const browser = await world.signIn(admin.userId)
    const user = `/api/admin/users/${client.userId}`
    await needsProof(
      browser,
      [
        ["POST", `${user}/credits`, { reason: "admin_grant", amount_usd: 1, note: "n" }, { "idempotency-key": "1" }],
        ["POST", `${user}/credits`, { reason: "admin_action", amount_usd: -1, note: "n" }, { "idempotency-key": "2" }],
        ["POST", `/api/admin/turns/${turn.turn_id}/refund`, { note: "n" }],
        ["PUT", `${user}/credentials`, { email: "client@people.test", password: "nine tall cranes" }],
        ["PUT", user, { role: "admin" }],
        ["POST", "/api/admin/users", { email: "new-admin@people.test", role: "admin" }],
      ],
      { password: PASSWORD },
    )
    await world.advance(10 * MINUTE)
    expect(await outcome(browser, ["PUT", user, { name: "Ada" }]), "a name needs no proof").toBe(200)
  })

  test("An admin needs a fresh proof for indirect ways to credit, a login or a key", async () => {
    const admin = await createPerson(world, { password: PASSWORD, role: "admin" })
    const { userId } = await createPerson(world)
    const browser = await world.signIn(admin.userId)
    const user = `/api/admin/users/${userId}`
    const plans = { trial: { label: "Trial" }, gold: { label: "Gold", included_credit_usd: 100_000 } }
    const free = { engine: "openai", model: "free-model", label: "Free", enabled: true }
    const subscription = "/api/admin/subscriptions"
    const [, { sub_id }] = await browser.json("POST", subscription, { user_id: userId, plan: "trial" })
    await needsProof(
      browser,
      [
        ["PUT", user, { email: `${userId}@people.test` }],
        ["PUT", user, { email: `${userId}@other.test`, email_verified: true }],
        ["PUT", "/api/admin/settings", { key: "plans", value: plans }],
        ["POST", subscription, { user_id: userId, plan: "gold", alongside: true }],
        ["PUT", `${subscription}/${sub_id}`, { plan: "gold" }],
        ["PUT", "/api/admin/model-catalog/rehearsal%2Fstandard/prices", FREE],
        ["POST", "/api/admin/model-catalog", { ...free, price_usd_per_million_tokens: FREE }],
        ["PUT", "/api/admin/api-keys/engines.OPENAI_BASE_URL", { value: "https://models.people.test/v1" }],
      ],
      { password: PASSWORD },
    )
    await world.advance(10 * MINUTE)
    expect(await outcome(browser, ["PUT", user, { email_verified: false }]), "this change gives no access").toBe(200)
    expect(await outcome(browser, ["PUT", user, { email_verified: true }])).toBe("REAUTHENTICATION_REQUIRED")
    expect(await outcome(browser, ["DELETE", `${subscription}/${sub_id}`]), "less credit").toBe(200)
  })

  test("A proof needs the correct password, with counted attempts, and each factor of the account", async () => {
    const { userId } = await createPerson(world, { password: PASSWORD })
    const browser = await world.signIn(userId)
    const prove = (body: object) => browser.json("POST", "/api/auth/reauthenticate", body)
    expect((await prove({}))[0]).toBe(422)
    expect((await prove({ password: "wrong" }))[1].code).toBe("WRONG_PASSWORD")
    for (let n = 1; n < 10; n++) await prove({ password: "wrong" })
    expect((await prove({ password: PASSWORD }))[1].code).toBe("LOGIN_THROTTLED")
  })

  test("Ending all other sessions does not count as a proof, and the user continues in a new session", async () => {
    const { userId } = await createPerson(world, { password: PASSWORD })
    const browser = await world.signIn(userId)
    await world.advance(10 * MINUTE)
    expect(await outcome(browser, ["DELETE", "/api/account/sessions?which=others"])).toBe(200)
    expect(await outcome(browser, ["POST", "/api/account/keys", { name: "own" }])).toBe("REAUTHENTICATION_REQUIRED")
  })

  test("An app token needs no second proof, and its session inherits the age of the requesting session", async () => {
    const { userId } = await createPerson(world, { password: PASSWORD, role: "admin" })
    const browser = await world.signIn(userId)
    await world.advance(2 * HOUR)
    const [status, { token }] = await browser.json("POST", "/api/auth/app-token")
    expect(status).toBe(200)
    const app = await askAuth(world, "/api/auth/magic", { body: { token } })
    const key = await askAuth(world, "/api/account/keys", { body: { name: "own" }, cookie: app.cookie })
    expect(key.answer.code).toBe("REAUTHENTICATION_REQUIRED")
    await world.advance(10 * HOUR - 1)
    const me = async () => (await askAuth(world, "/api/auth/me", { method: "GET", cookie: app.cookie })).answer.code
    expect(await me()).toBe(undefined)
    await world.advance(1)
    expect(await me(), "an app's session expires no later than the requesting session").toBe("SESSION_REQUIRED")
  })

  test("The error for a user without a password asks for a new sign-in", async () => {
    const { userId } = await createPerson(world)
    const browser = await world.signIn(userId)
    await world.advance(HOUR)
    const [status, { code, detail }] = await browser.json("POST", "/api/auth/reauthenticate", {})
    expect([status, code]).toEqual([403, "REAUTHENTICATION_REQUIRED"])
    expect(detail).toContain("sign in again through your identity provider or the messaging platform")
  })
})

describe("A session's life", () => {
  test("A session lasts at most 90 days, however often it is used", async () => {
    const { userId } = await createPerson(world)
    const browser = await world.signIn(userId)
    for (const days of [29, 29, 29]) {
      await world.advance(days * DAY)
      expect((await browser.call("GET", "/api/auth/me")).status).toBe(200)
    }
    await world.advance(3 * DAY - 1)
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(200)
    await world.advance(1)
    expect((await browser.json("GET", "/api/auth/me"))[1].code).toBe("SESSION_REQUIRED")
  })

  test("Ending other sessions does not prolong a session", async () => {
    const { userId } = await createPerson(world)
    const browser = await world.signIn(userId)
    for (let n = 0; n < 6; n++) {
      await world.advance(15 * DAY - 1)
      expect((await browser.call("DELETE", "/api/account/sessions?which=others")).status).toBe(200)
    }
    await world.advance(6)
    expect((await browser.call("GET", "/api/auth/me")).status).toBe(401)
  })

  test("An admin's session lasts 12 hours, also for a user who becomes an admin", async () => {
    const admin = await createPerson(world, { role: "admin" })
    const other = await createPerson(world)
    const [first, second] = [await world.signIn(admin.userId), await world.signIn(other.userId)]
    await world.advance(12 * HOUR - 1)
    expect((await first.call("GET", "/api/auth/me")).status).toBe(200)
    await world.advance(1)
    expect((await first.call("GET", "/api/auth/me")).status).toBe(401)
    expect((await second.call("GET", "/api/auth/me")).status).toBe(200)
    await world.sql("update users set role = 'admin' where user_id = $1", [other.userId])
    expect((await second.call("GET", "/api/auth/me")).status).toBe(401)
  })

  test("A session ends with the next sign-in in the same browser, by any user", async () => {
    const [one, two] = [
      await createPerson(world, { password: PASSWORD }),
      await createPerson(world, { password: PASSWORD }),
    ]
    const first = await postLogin(world, one.email, PASSWORD)
    const elsewhere = await postLogin(world, one.email, PASSWORD)
    const body = { email: two.email, password: PASSWORD }
    const second = await askAuth(world, "/api/auth/login", { body, cookie: first.cookie })
    const me = async (cookie: string) => (await askAuth(world, "/api/auth/me", { method: "GET", cookie })).answer
    expect((await me(second.cookie)).email).toBe(two.email)
    expect((await me(first.cookie)).code).toBe("SESSION_REQUIRED")
    expect((await me(elsewhere.cookie)).email).toBe(one.email)
    const wrong = { email: two.email, password: "wrong" }
    await askAuth(world, "/api/auth/login", { body: wrong, cookie: second.cookie })
    expect((await me(second.cookie)).email, "a failed login ends no session").toBe(two.email)
  })
})

test("A common password is refused wherever a password is set", async () => {
  const admin = await createPerson(world, { role: "admin" })
  const person = await createPerson(world)
  const [own, theirs] = [await world.signIn(person.userId), await world.signIn(admin.userId)]
  for (const password of ["password", "Password1", "QWERTYUIOP", "iloveyou", "1234567890", "trustno1"]) {
    const answers = [
      await own.json("PUT", "/api/account/password", { new_password: password }),
      await theirs.json("PUT", `/api/admin/users/${person.userId}/credentials`, { password }),
      await theirs.json("POST", "/api/admin/users", { email: "common@people.test", password }),
      await own.json("POST", "/api/auth/password-reset", { token: "t", new_password: password }),
    ]
    for (const [status, { detail }] of answers) {
      expect([status, detail[0].msg], password).toEqual([422, expect.stringContaining("most common passwords")])
    }
  }
  expect((await own.call("PUT", "/api/account/password", { new_password: "nine tall cranes" })).status).toBe(200)
})

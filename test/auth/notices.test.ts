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
  world = await createWorld({ env: { ...EMAIL_HOOK, IDP_INTERNAL_SECRET: "between us" } })
  emails = receiveEmails(world)
})
afterAll(() => world.close())
beforeEach(() => emails.splice(0))

describe("Notices to the owner", () => {
  test("The owner is notified of a sign-in from a new place, and not of usual sign-ins", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await postLogin(world, email, PASSWORD, "198.51.100.1")
    await postLogin(world, email, PASSWORD, "198.51.100.1")
    expect(await noticesOf(world, userId)).toEqual([])
    await postLogin(world, email, PASSWORD, "203.0.113.9")
    await postLogin(world, email, PASSWORD, "203.0.113.9")
    expect(await noticesOf(world, userId)).toEqual([
      {
        type: "account.signed_in",
        data: { session_id: expect.stringMatching(/^ses_/), address: "203.0.113.9", user_agent: null },
      },
    ])
    expect(emailsTo(emails, email)).toEqual([
      {
        kind: "new_login",
        data: { address: "203.0.113.9", user_agent: null, at: world.clock.now().toISOString() },
      },
    ])
    expect(emails[0]).toMatchObject({ authorization: "Bearer hook secret", brand: "turnpike" })
  })

  test("The owner is notified of the first sign-in after a long time", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await world.sql("update users set created_at = '2020-01-01' where user_id = $1", [userId])
    await postLogin(world, email, PASSWORD)
    expect((await noticesOf(world, userId)).map(({ type }) => type)).toEqual(["account.signed_in"])
  })

  test("The owner is notified of a locked account, at most once per hour", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    for (let n = 0; n < 14; n++) await postLogin(world, email, "wrong", "203.0.113.77")
    expect(await noticesOf(world, userId)).toEqual([{ type: "account.locked", data: { address: "203.0.113.77" } }])
    expect(emailsTo(emails, email).map(({ kind }) => kind)).toEqual(["login_locked"])
  })

  test("The owner is notified of a changed factor and of a new key", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const { browser } = await enrol(world, userId)
    await browser.call("DELETE", "/api/account/second-factor")
    await world.advance(1)
    const change = { current_password: PASSWORD, new_password: "nine tall cranes" }
    await browser.call("PUT", "/api/account/password", change)
    await world.advance(1)
    const [, { key_id }] = await browser.json("POST", "/api/account/keys", { name: "Server" })
    await world.advance(1)
    await browser.call("POST", `/api/account/keys/${key_id}/rotate`, {})
    const notices = await noticesOf(world, userId)
    expect(notices.filter(({ type }) => type === "account.factor_changed").map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        { factor: "second_factor", change: "set" },
        { factor: "second_factor", change: "removed" },
        { factor: "password", change: "set" },
      ]),
    )
    expect(notices.filter(({ type }) => type === "key.created").map(({ data }) => data)).toEqual([
      { key_id, name: "Server", scope: "created", test: false, hint: expect.any(String), rotated: false },
      { key_id, name: "Server", scope: "created", test: false, hint: expect.any(String), rotated: true },
    ])
    const kinds = emailsTo(emails, email).map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(["factor_changed", "factor_changed", "factor_changed", "key_created", "key_created"])
  })

  test("The owner is notified in the name of their own brand", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await world.sql("update users set brand = 'acme' where user_id = $1", [userId])
    await putBrand(authContextOf(world), { brand: "acme", hosts: ["app.acme.test"], keys: world.env.SECRETS_KEYS })
    for (const address of ["198.51.100.1", "203.0.113.9"]) await postLogin(world, email, PASSWORD, address)
    const browser = await world.signIn(userId)
    await browser.call("POST", "/api/account/keys", { name: "Server" })
    await askAuth(world, "/api/auth/password-reset/start", { body: { email }, address: "198.51.100.1" })
    const { uri } = await enrol(world, userId)
    expect(new URL(uri).searchParams.get("issuer")).toBe("acme")
    await world.settled()
    const brands = emails.filter(({ to }) => to === email).map(({ kind, brand }) => `${kind} of ${brand}`)
    const kinds = ["factor_changed", "key_created", "new_login", "password_reset"]
    expect(brands.sort()).toEqual(kinds.map((kind) => `${kind} of acme`))
  })

  test("The owner is notified of an identity that a verified email joins, and of an identity that they unlink", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await world.sql("update users set email_verified = true where user_id = $1", [userId])
    const joins = () =>
      world.invoke(
        new Request("https://api.test/api/auth/idp/session", {
          method: "POST",
          headers: { "x-internal-secret": "between us", "content-type": "application/json" },
          body: JSON.stringify({ issuer: "https://id.test", subject: `of ${userId}`, email, email_verified: true }),
        }),
      )
    for (const _ of ["joined", "found"]) expect((await joins()).status).toBe(200)
    const linked = { type: "account.factor_changed", data: { factor: "identity", change: "linked" } }
    expect(await noticesOf(world, userId)).toEqual([linked])
    const entries = await world.sql("select action, actor_user_id::int as actor from audit_log where subject_id = $1", [
      String(userId),
    ])
    expect(entries).toEqual([{ action: "identity.join", actor: userId }])
    await world.advance(1)
    const browser = await world.signIn(userId)
    const [, { items }] = await browser.json("GET", "/api/account/identities")
    await browser.call("DELETE", `/api/account/identities/${items[0].identity_id}`)
    const unlinked = { ...linked, data: { factor: "identity", change: "unlinked" } }
    expect(await noticesOf(world, userId)).toEqual([linked, unlinked])
    const at = expect.any(String)
    expect(emailsTo(emails, email)).toEqual(
      [linked, unlinked].map(({ data }) => ({ kind: "factor_changed", data: { ...data, at } })),
    )
  })

  test("The owner is notified when an admin sets a password or removes a second factor", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    await enrol(world, userId)
    await world.settled()
    emails.splice(0)
    await world.advance(1)
    const admin = await world.signIn((await createPerson(world, { role: "admin" })).userId)
    const user = `/api/admin/users/${userId}`
    expect((await admin.call("DELETE", `${user}/second-factor`)).status).toBe(200)
    await world.advance(1)
    expect((await admin.call("PUT", `${user}/credentials`, { password: "nine tall cranes" })).status).toBe(200)
    const changes = [
      { factor: "second_factor", change: "removed" },
      { factor: "password", change: "set_by_admin" },
    ]
    const [enrolled, ...told] = await noticesOf(world, userId)
    expect(enrolled?.data.change).toBe("set")
    expect(told).toEqual(changes.map((data) => ({ type: "account.factor_changed", data })))
    const at = expect.any(String)
    expect(emailsTo(emails, email)).toEqual(changes.map((data) => ({ kind: "factor_changed", data: { ...data, at } })))
  })

  test("Both addresses are notified when an admin changes an email by either operation, and not of other edits", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    const admin = await world.signIn((await createPerson(world, { role: "admin" })).userId)
    await world.settled()
    emails.splice(0)
    const user = `/api/admin/users/${userId}`
    const edits: [path: string, body: object, to: string | null][] = [
      [`${user}/credentials`, { email: `first-${email}` }, `first-${email}`],
      [`${user}/credentials`, { email: `first-${email}` }, null],
      [user, { email: `second-${email}`, name: "Somebody" }, `second-${email}`],
      [user, { name: "Somebody else" }, null],
    ]
    let former = email
    const notice = { kind: "factor_changed", data: { factor: "email", change: "set_by_admin", at: expect.any(String) } }
    for (const [path, body, to] of edits) {
      await world.advance(1)
      emails.splice(0)
      expect((await admin.call("PUT", path, body)).status).toBe(200)
      await world.settled()
      expect(emailsTo(emails, former), JSON.stringify(body)).toEqual(to ? [notice] : [])
      if (to) expect(emailsTo(emails, to)).toEqual([notice])
      former = to ?? former
    }
    const told = { type: "account.factor_changed", data: { factor: "email", change: "set_by_admin" } }
    expect(await noticesOf(world, userId)).toEqual([told, told])
  })

  test("A sign-in with a code notifies the owner after the code, and an admin's sign-in is audited then", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD, role: "admin" })
    const { recoveryCodes } = await enrol(world, userId)
    await world.settled()
    emails.splice(0)
    const told = async () => (await noticesOf(world, userId)).filter(({ type }) => type === "account.signed_in")
    const noted = () =>
      world.sql("select 1 from audit_log where action = 'user.sign_in' and actor_user_id = $1 and address = $2", [
        userId,
        "203.0.113.9",
      ])
    const { cookie } = await postLogin(world, email, PASSWORD, "203.0.113.9")
    expect([await told(), await noted(), emailsTo(emails, email)], "only the password").toEqual([[], [], []])
    const body = { code: recoveryCodes[0] }
    expect((await askAuth(world, "/api/auth/second-factor", { body, cookie, address: "203.0.113.9" })).status).toBe(200)
    expect(await told()).toMatchObject([{ data: { address: "203.0.113.9" } }])
    expect(await noted()).toHaveLength(1)
    expect(emailsTo(emails, email)).toMatchObject([{ kind: "new_login", data: { address: "203.0.113.9" } }])
  })

  test("The owner is notified of a revoked key once, however often it is revoked", async () => {
    const { userId } = await createPerson(world)
    const browser = await world.signIn(userId)
    const [, { key_id, hint }] = await browser.json("POST", "/api/account/keys", { name: "Server" })
    const [one, other] = await Promise.all([1, 2].map(() => browser.call("POST", `/api/account/keys/${key_id}/revoke`)))
    expect([one?.status, other?.status]).toEqual([200, 200])
    expect((await browser.call("POST", "/api/account/keys/key_nobody/revoke")).status).toBe(404)
    const revoked = (await noticesOf(world, userId)).filter(({ type }) => type === "key.revoked")
    expect(revoked.map(({ data }) => data)).toEqual([{ key_id, name: "Server", scope: "created", test: false, hint }])
  })

  test("Notices are stored whatever the operator's email server answers, and without a server", async () => {
    const { userId, email } = await createPerson(world, { password: PASSWORD })
    world.serve("email.test", () => new Response("no", { status: 500 }))
    const browser = await world.signIn(userId)
    expect((await browser.call("POST", "/api/account/keys", { name: "1" })).status).toBe(201)
    emails = receiveEmails(world)
    world.rebind({ EMAIL_HOOK_URL: "" })
    expect((await browser.call("POST", "/api/account/keys", { name: "2" })).status).toBe(201)
    expect((await noticesOf(world, userId)).map(({ type }) => type)).toEqual(["key.created", "key.created"])
    expect(emailsTo(emails, email)).toEqual([])
    world.rebind(EMAIL_HOOK)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { hashPassword } from "../../src/sign-in/password.ts"
import { createPerson } from "../harness/auth.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { createHostileWorld, type HostileWorld, ISSUER } from "../harness/hostile-provider.ts"
import { EMAIL_HOOK } from "../harness/notices.ts"
import { type Browser, createBrowser } from "../harness/oidc-browser.ts"

const LINK = "/api/account/identities/link"

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld(EMAIL_HOOK)
})
afterAll(() => world.close())
beforeEach(() => world.does({}))

/** A browser in which this user is signed in. */
async function signedIn(userId: number): Promise<Browser> {
  const browser = createBrowser(world)
  browser.cookies.set("token", (await world.signIn(userId)).cookie())
  return browser
}

let subjects = 0
const nobody = () => `subject-${++subjects}`

/** Signs in at the provider as `subject` to link this identity. */
async function link(browser: Browser, subject: string, more: object = {}) {
  await world.does({ claims: { sub: subject, ...more } })
  return world.signInAt({ browser, path: LINK, next: "/account" })
}

async function unlink(userId: number, identityId: string): Promise<[number, string | undefined]> {
  const [status, answer] = await (await world.signIn(userId)).json("DELETE", `/api/account/identities/${identityId}`)
  return [status, answer.code]
}

// biome-ignore lint/suspicious/noExplicitAny: as the operation answers
const identitiesOf = async (userId: number): Promise<any[]> =>
  (await (await world.signIn(userId)).json("GET", "/api/account/identities"))[1].items

const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

describe("Linking an identity", () => {
  test("A linked identity becomes another way to sign in, whatever its email", async () => {
    const { userId, email } = await createPerson(world)
    const other = await createPerson(world)
    const browser = await signedIn(userId)
    const subject = nobody()
    const { response } = await link(browser, subject, { email: other.email, email_verified: true })
    await world.settled()
    expect(world.seen).toContain("email.test/send")
    expect([response.status, response.headers.get("location")]).toEqual([302, "/account"])
    expect(
      response.headers.getSetCookie().some((line) => line.startsWith("token=")),
      "it signs no user in",
    ).toBe(false)
    expect(await identitiesOf(userId)).toEqual([
      {
        identity_id: expect.stringMatching(/^idn_[0-9a-f]{32}$/),
        issuer: ISSUER,
        subject,
        email: other.email,
        email_verified: true,
        created_at: world.clock.now().toISOString(),
        last_used_at: null,
      },
    ])
    const { browser: elsewhere } = await world.signInAt()
    expect(await elsewhere.me()).toMatchObject({ user_id: userId, email })
    expect((await link(await signedIn(userId), subject)).response.status, "again").toBe(302)
    const log = await world.sql("select action, actor_user_id, after from audit_log where subject_id = $1", [
      String(userId),
    ])
    expect(log).toEqual([
      { action: "identity.link", actor_user_id: String(userId), after: { issuer: ISSUER, subject } },
    ])
    const told = await world.sql("select data from events where user_id = $1 and type = 'account.factor_changed'", [
      userId,
    ])
    expect(told, "once").toEqual([{ data: { factor: "identity", change: "linked" } }])
  })

  test("Linking is the only way for an identity to reach an admin's account: a verified email does not suffice", async () => {
    const { userId, email } = await createPerson(world, { role: "admin" })
    await world.sql("update users set email_verified = true where user_id = $1", [userId])
    const subject = nobody()
    await world.does({ claims: { sub: subject, email, email_verified: true } })
    const { response } = await world.signInAt()
    expect(await codeOf(response)).toEqual([403, "LOGIN_REFUSED"])
    expect(await identitiesOf(userId)).toEqual([])
    await link(await signedIn(userId), subject, { email, email_verified: true })
    const { browser } = await world.signInAt()
    expect((await browser.me())?.user_id).toBe(userId)
  })

  test("Linking an identity requires a fresh proof of the user", async () => {
    const { userId } = await createPerson(world, { password: "a long enough one" })
    const browser = await signedIn(userId)
    await world.advance(600_000)
    expect(await codeOf(await browser.go(LINK))).toEqual([403, "REAUTHENTICATION_REQUIRED"])
    const headers = { cookie: `token=${browser.cookies.get("token")}`, "sec-fetch-site": "same-origin" }
    const proof = new Request(`${ORIGIN}/api/auth/reauthenticate`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ password: "a long enough one" }),
    })
    expect((await world.invoke(proof)).status).toBe(200)
    expect((await link(browser, nobody())).response.status).toBe(302)
  })

  test("Linking an identity of another user is refused, also when two accounts try concurrently", async () => {
    const [one, two] = [await createPerson(world), await createPerson(world)]
    const subject = nobody()
    await link(await signedIn(one.userId), subject)
    const { response } = await link(await signedIn(two.userId), subject)
    expect(await codeOf(response)).toEqual([409, "IDENTITY_TAKEN"])
    const wanted = nobody()
    await world.does({ claims: { sub: wanted } })
    const browsers = await Promise.all([one, two].map(({ userId }) => signedIn(userId)))
    const answers = await Promise.all(browsers.map((browser) => world.signInAt({ browser, path: LINK })))
    expect(answers.map(({ response }) => response.status).sort()).toEqual([302, 409])
  })

  test("Linking requires the same session on the way to the provider and back", async () => {
    const [one, two] = [await createPerson(world), await createPerson(world)]
    const stranger = createBrowser(world)
    expect(await codeOf(await stranger.go(LINK))).toEqual([401, "SESSION_REQUIRED"])
    await world.does({ claims: { sub: nobody() } })
    for (const [token, expected] of [
      [(await world.signIn(two.userId)).cookie(), [400, "LOGIN_STATE_INVALID"]],
      ["", [401, "SESSION_REQUIRED"]],
      ["x", [401, "SESSION_REQUIRED"]],
    ] as const) {
      const browser = await signedIn(one.userId)
      const page = await browser.start("/account", LINK)
      browser.cookies.set("token", token)
      const response = await browser.go(world.comeBack(page).href)
      expect((await response.clone().json()) as object).toMatchObject({
        details: { start_again: `${LINK}?next=%2Faccount` },
      })
      expect(await codeOf(response)).toEqual(expected)
    }
    const browser = await signedIn(one.userId)
    const page = await browser.start(undefined, LINK)
    await browser.go("/api/account/me")
    await world.sql("update sessions set ended_at = now() where user_id = $1", [one.userId])
    expect(await codeOf(await browser.go(world.comeBack(page).href))).toEqual([401, "SESSION_REQUIRED"])
    expect(await world.sql("select 1 from identities where user_id = any($1)", [[one.userId, two.userId]])).toEqual([])
  })

  test("Linking starts only from our own pages, so that no other site can attach its identity", async () => {
    const browser = await signedIn((await createPerson(world)).userId)
    for (const site of ["cross-site", "same-site", "none"]) {
      expect(await codeOf(await browser.go(LINK, { "sec-fetch-site": site }))).toEqual([403, "CROSS_ORIGIN"])
    }
    const headers = { cookie: `token=${browser.cookies.get("token")}` }
    expect((await world.invoke(new Request(ORIGIN + LINK, { headers }))).status).toBe(403)
  })
})

describe("Unlinking an identity", () => {
  test("An unlinked identity no longer signs in, and its next sign-in makes a new user", async () => {
    const { userId } = await createPerson(world, { password: "a long enough one" })
    const [first, second] = [nobody(), nobody()]
    for (const subject of [first, second]) await link(await signedIn(userId), subject)
    const [one, two] = await identitiesOf(userId)
    expect([one.subject, two.subject].sort()).toEqual([first, second])
    for (const { identity_id } of [one, two]) expect(await unlink(userId, identity_id)).toEqual([200, undefined])
    expect(await unlink(userId, one.identity_id)).toEqual([404, "NOT_FOUND"])
    const { browser: later } = await world.signInAt()
    expect((await later.me())?.user_id).not.toBe(userId)
    const log = await world.sql("select before from audit_log where action = 'identity.unlink' and subject_id = $1", [
      String(userId),
    ])
    expect(log).toHaveLength(2)
  })

  test("Unlinking refuses another user's identity and the last way to sign in; a password without an email does not count", async () => {
    await world.does({ claims: { sub: nobody() } })
    const userId = (await (await world.signInAt()).browser.me())?.user_id ?? 0
    const [own] = await identitiesOf(userId)
    const stranger = await createPerson(world)
    expect(await unlink(stranger.userId, own.identity_id)).toEqual([404, "NOT_FOUND"])
    expect(await unlink(userId, "idn_unknown")).toEqual([404, "NOT_FOUND"])
    expect(await unlink(userId, own.identity_id)).toEqual([409, "LAST_WAY_IN"])
    await world.sql("update users set password_hash = $2 where user_id = $1", [
      userId,
      await hashPassword("long enough"),
    ])
    expect(await unlink(userId, own.identity_id)).toEqual([409, "LAST_WAY_IN"])
    await world.sql(
      "insert into identities (issuer, subject, user_id, created_at) values ('messenger:turnpike', $1, $2, now())",
      [nobody(), userId],
    )
    expect(await unlink(userId, own.identity_id)).toEqual([200, undefined])
  })

  test("Two concurrent unlinks leave one identity", async () => {
    for (let round = 0; round < 10; round++) {
      const { userId } = await createPerson(world)
      for (const subject of [nobody(), nobody()]) await link(await signedIn(userId), subject)
      const ids = (await identitiesOf(userId)).map(({ identity_id }) => identity_id as string)
      const answers = await Promise.all(ids.map((id) => unlink(userId, id)))
      expect(answers.map(([status]) => status).sort()).toEqual([200, 409])
      expect(await identitiesOf(userId)).toHaveLength(1)
    }
  })
})

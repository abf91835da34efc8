import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hashOfToken } from "../../src/sign-in/session-token.ts"
import { mintMagicLink } from "../../src/sign-in/sign-in-token.ts"
import { startSession } from "../../src/sign-in/start-session.ts"
import { askAuth, authContextOf, createPerson, postLogin } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const me = async (browser: { call(method: string, path: string): Promise<Response> }) =>
  (await browser.call("GET", "/api/account/me")).status

async function threeBrowsers(password?: string) {
  const { userId, email } = await createPerson(world, { ...(password && { password }) })
  const own = await world.signIn(userId)
  await world.advance(1000)
  return { userId, email, own, others: [await world.signIn(userId), await world.signIn(userId)] as const }
}

describe("A user's sessions", () => {
  test("The list has only the user's own sessions and marks the current session", async () => {
    const { own, others } = await threeBrowsers()
    await world.signIn((await createPerson(world)).userId)
    const [status, { items, total }] = await own.json("GET", "/api/account/sessions")
    expect([status, total]).toEqual([200, 3])
    expect(items.find((one: { current: boolean }) => one.current).session_id).toBe(own.sessionId)
    expect(items.map((one: { session_id: string }) => one.session_id).sort()).toEqual(
      [own, ...others].map(({ sessionId }) => sessionId).sort(),
    )
    expect((await own.json("GET", "/api/account/sessions?limit=1&offset=2"))[1].items).toHaveLength(1)
  })

  test("One session can be ended at once; another user's, an ended and an unknown session are not found", async () => {
    const { own, others } = await threeBrowsers()
    const stranger = await world.signIn((await createPerson(world)).userId)
    const end = async (sessionId: string) => (await own.json("DELETE", `/api/account/sessions/${sessionId}`))[0]
    expect(await end(others[0].sessionId)).toBe(200)
    expect([await me(others[0]), await me(others[1]), await me(own)]).toEqual([401, 200, 200])
    for (const gone of [others[0].sessionId, stranger.sessionId, "ses_nobody"]) expect(await end(gone)).toBe(404)
    expect(await me(stranger)).toBe(200)
    const cookie = `token=${own.cookie()}`
    const response = await own.call("DELETE", `/api/account/sessions/${own.sessionId}`)
    expect(response.headers.get("set-cookie")).toContain("Max-Age=0")
    expect((await own.call("GET", "/api/account/me", undefined, { cookie })).status).toBe(401)
  })

  test("Ending all others ends pending sign-ins too, and the current session gets a new cookie", async () => {
    const { own, others } = await threeBrowsers()
    const before = `token=${own.cookie()}`
    const [, { token }] = await others[0].json("POST", "/api/auth/app-token")
    expect((await own.call("DELETE", "/api/account/sessions")).status).toBe(200)
    expect([await me(own), await me(others[0]), await me(others[1])]).toEqual([200, 401, 401])
    expect((await own.call("GET", "/api/account/me", undefined, { cookie: before })).status).toBe(401)
    expect((await askAuth(world, "/api/auth/magic", { body: { token } })).status).toBe(401)
    expect((await own.json("GET", "/api/account/sessions"))[1].total).toBe(1)
    // The session that replaced it can open others again.
    const [, fresh] = await own.json("POST", "/api/auth/app-token")
    expect((await askAuth(world, "/api/auth/magic", { body: { token: fresh.token } })).status).toBe(200)
  })

  test("Ending all sessions invalidates earlier magic links and password checks in progress", async () => {
    const { own, userId } = await threeBrowsers(PASSWORD)
    const ctx = authContextOf(world)
    const { url } = await mintMagicLink(ctx, { userId, origin: "https://app.test" })
    await own.call("DELETE", "/api/account/sessions")
    expect((await askAuth(world, "/api/auth/magic", { body: { token: url.split("=")[1] } })).answer.code).toBe(
      "INVALID_TOKEN",
    )
    const grants = [
      { epoch: 0 },
      { epoch: 1 },
      { epoch: 1, session: { id: own.sessionId, hash: hashOfToken(own.token) } },
    ]
    const started = await Promise.allSettled(
      grants.map((grantedBy) => startSession(ctx, { userId, grantedBy, refusal: "INVALID_CREDENTIALS" })),
    )
    expect(started.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"])
    expect((started[0] as PromiseRejectedResult).reason).toMatchObject({ code: "INVALID_CREDENTIALS" })
  })

  test("Ending all sessions includes sessions whose hourly use is about to be recorded", async () => {
    const { own, others } = await threeBrowsers()
    await world.advance(3_600_000)
    const cookie = `token=${own.cookie()}`
    const response = await own.call("DELETE", "/api/account/sessions?which=all")
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("Max-Age=0")])
    for (const browser of [own, ...others]) {
      expect((await browser.call("GET", "/api/account/me", undefined, browser === own ? { cookie } : {})).status).toBe(
        401,
      )
    }
  })

  test("A session that starts while all are being ended does not survive", async () => {
    for (let round = 0; round < 10; round++) {
      const { own, email } = await threeBrowsers(PASSWORD)
      const [ended, started] = await Promise.all([
        own.call("DELETE", "/api/account/sessions?which=all"),
        postLogin(world, email, PASSWORD, `192.0.2.${round}`),
      ])
      expect(ended.status).toBe(200)
      expect([200, 401]).toContain(started.status)
      // In either order: it was refused, it has ended, or its password was checked after the end.
      const [row] = await world.sql(
        `select count(*) filter (where n.epoch = u.session_epoch)::int as going, u.session_epoch as epoch
           from sessions n join users u using (user_id) where u.email = $1 group by u.session_epoch`,
        [email],
      )
      expect(row?.epoch).toBe(1)
      if (started.status === 401) expect(row?.going).toBe(0)
    }
  })
})

describe("Changing the password", () => {
  const change = (browser: Awaited<ReturnType<typeof threeBrowsers>>["own"], body: object) =>
    browser.json("PUT", "/api/account/password", body)

  test("A password change needs the current password, ends other sessions and tokens, and renews the current session", async () => {
    const { own, others, email } = await threeBrowsers(PASSWORD)
    const before = `token=${own.cookie()}`
    const next = "nine tall cranes by the river"
    expect(await change(own, { new_password: next })).toEqual([
      422,
      { detail: [expect.objectContaining({ loc: ["body", "current_password"] })] },
    ])
    expect((await change(own, { current_password: "x", new_password: next }))[1]).toMatchObject({
      code: "WRONG_PASSWORD",
    })
    expect((await change(own, { current_password: PASSWORD, new_password: "short" }))[0]).toBe(422)
    expect(await me(others[0])).toBe(200)
    const [, { token }] = await others[0].json("POST", "/api/auth/app-token")
    expect(await change(own, { current_password: PASSWORD, new_password: next })).toEqual([200, { ok: true }])
    expect([await me(own), await me(others[0]), await me(others[1])]).toEqual([200, 401, 401])
    expect((await own.call("GET", "/api/account/me", undefined, { cookie: before })).status).toBe(401)
    expect((await askAuth(world, "/api/auth/magic", { body: { token } })).status).toBe(401)
    expect((await postLogin(world, email, PASSWORD)).status).toBe(401)
    expect((await postLogin(world, email, next)).status).toBe(200)
  })

  test("Setting the first password needs no current password, and the audit entry has no hash", async () => {
    const { own, userId, email } = await threeBrowsers()
    expect((await change(own, { new_password: PASSWORD }))[0]).toBe(200)
    expect((await postLogin(world, email, PASSWORD)).status).toBe(200)
    const entries = await world.sql("select * from audit_log where subject_id = $1", [String(userId)])
    expect(entries).toEqual([
      expect.objectContaining({
        actor_user_id: String(userId),
        action: "user.password",
        before: { has_password: false },
        after: { has_password: true },
      }),
    ])
    expect(JSON.stringify(entries)).not.toContain("scrypt")
  })

  test("Of two concurrent password changes, one succeeds and the other is refused", async () => {
    const { own, others, email } = await threeBrowsers(PASSWORD)
    const wanted = ["first of the two", "second of the two"] as const
    const answers = await Promise.all([
      change(own, { current_password: PASSWORD, new_password: wanted[0] }),
      change(others[0], { current_password: PASSWORD, new_password: wanted[1] }),
    ])
    const won = answers.findIndex(([status]) => status === 200)
    expect(answers.map(([status]) => status).sort()).toEqual([200, expect.toSatisfy((s) => s === 409 || s === 401)])
    expect((await postLogin(world, email, wanted[won] as string)).status).toBe(200)
  })

  test("Guesses of the current password are throttled like sign-ins", async () => {
    const { own } = await threeBrowsers(PASSWORD)
    const codes = []
    for (let n = 0; n < 11; n++) {
      codes.push((await change(own, { current_password: `x${n}`, new_password: "irrelevant" }))[1].code)
    }
    expect(codes).toEqual([...Array(10).fill("WRONG_PASSWORD"), "LOGIN_THROTTLED"])
    expect(authContextOf(world).address).toBeNull()
  })
})

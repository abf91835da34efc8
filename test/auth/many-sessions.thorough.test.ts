import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { SESSION_POLICY, TOKEN_POLICY } from "../../src/sign-in/policies.ts"
import { askAuth, createPerson, postLogin } from "../harness/auth.ts"
import { EMAIL_HOOK, receiveEmails } from "../harness/notices.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
})
afterAll(() => world.close())
afterEach(() => vi.useRealTimers())

test("A session that opens others, each in a new place, makes a limited number of rows and emails", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  const emails = receiveEmails(world)
  const { userId, email } = await createPerson(world, { password: "correct horse battery staple" })
  const opened = [(await postLogin(world, email, "correct horse battery staple")).cookie]
  await world.advance(1_000)
  // Each is opened from the newest session.
  const open = async () => {
    // An account gets one more app token every two seconds of the machine's clock, and ids need a new millisecond.
    vi.setSystemTime(Date.now() + TOKEN_POLICY.sign_in.app.everyMs + 1)
    world.clock.advance(1)
    const app = await askAuth(world, "/api/auth/app-token", { cookie: opened.at(-1) ?? "" })
    const [userAgent, address] = [`Browser ${opened.length}`, `203.0.113.${opened.length % 250}`]
    const webview = await askAuth(world, "/api/auth/magic", { body: { token: app.answer.token }, userAgent, address })
    expect(webview.status).toBe(200)
    opened.push(webview.cookie)
  }
  const { mostOpen, mostKept, placesTold } = SESSION_POLICY
  for (let n = 0; n < mostKept + 20; n++) await open()
  await world.settled()
  const [rows] = await world.sql<{ open: number; all: number }>(
    "select count(*) filter (where ended_at is null)::int as open, count(*)::int as all from sessions where user_id = $1",
    [userId],
  )
  expect(rows).toEqual({ open: mostOpen, all: mostKept })
  const me = async (cookie: string) => (await askAuth(world, "/api/auth/me", { method: "GET", cookie })).status
  expect([await me(opened.at(-1) ?? ""), await me(opened[0] ?? "")]).toEqual([200, 401])
  const [told] = await world.sql<{ n: number }>(
    "select count(*)::int as n from events where user_id = $1 and type = 'account.signed_in'",
    [userId],
  )
  // The first sign-in caused no notice.
  expect([told?.n, emails.length]).toEqual([placesTold - 1, placesTold - 1])
})

test("A session that repeatedly ends all others is limited too", async () => {
  const { userId } = await createPerson(world)
  const browser = await world.signIn(userId)
  const { mostOpen, mostKept } = SESSION_POLICY
  for (let n = 0; n < mostKept + 120; n++) {
    const [status] = await browser.json("DELETE", "/api/account/sessions?which=others")
    expect(status).toBe(200)
  }
  const [rows] = await world.sql<{ n: number }>("select count(*)::int as n from sessions where user_id = $1", [userId])
  expect(rows?.n).toBeLessThanOrEqual(mostKept + mostOpen)
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SessionCredential } from "../../src/actor/actor.ts"
import { changeUser } from "../../src/users/change-user.ts"
import { createPerson } from "../harness/auth.ts"
import { isThorough } from "../harness/crash.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { type Documented, documentedAt } from "../harness/documented.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
let dashboard: Documented[]
let v1: Documented[]
beforeAll(async () => {
  world = await createWorld()
  dashboard = (await documentedAt("/api/openapi.json")).filter(({ open }) => !open)
  v1 = (await documentedAt("/v1/openapi.json")).filter(({ open }) => !open)
})
afterAll(() => world.close())

type Browser = Awaited<ReturnType<World["signIn"]>>

const send = ({ method, path, headers, body }: Documented, own: Record<string, string>) =>
  world.invoke(
    new Request(ORIGIN + path, { method, headers: { ...headers, ...own }, ...(body !== undefined && { body }) }),
  )

async function statuses(operations: Documented[], own: Record<string, string>) {
  const seen: Record<string, [number, string]> = {}
  for (const operation of operations) {
    const response = await send(operation, own)
    const text = await response.text()
    const answer = response.status >= 400 ? JSON.parse(text) : {}
    seen[operation.id] = [response.status, answer.code ?? answer.error?.code ?? ""]
  }
  return seen
}

/** The expected answers of all operations to an ended session or key. */
const allOf = (operations: Documented[], status: number, code: string) =>
  Object.fromEntries(operations.map(({ id }) => [id, [status, code]]))

const asPage = (cookie: string) => ({ cookie: `token=${cookie}`, "sec-fetch-site": "same-origin" })

async function arrange() {
  const { userId } = await createPerson(world, { password: PASSWORD })
  const key = await world.makeKey(userId, { scope: "all" })
  return { userId, key: key.value, browser: await world.signIn(userId), other: await world.signIn(userId) }
}

async function adminCredential() {
  const { userId } = await createPerson(world, { role: "admin" })
  const browser = await world.signIn(userId)
  const credential: SessionCredential = { kind: "session", token: browser.token, test: false }
  return { userId, browser, credential }
}

describe("The end of a session takes effect at the next request, for every operation of every group", () => {
  const ends: [string, (browser: Browser, other: Browser, userId: number) => Promise<unknown>][] = [
    ["signing out", (browser) => browser.call("POST", "/api/auth/logout")],
    ["ending it", (browser, other) => other.call("DELETE", `/api/account/sessions/${browser.sessionId}`)],
    ["ending all others", (_, other) => other.call("DELETE", "/api/account/sessions")],
    ["ending all", (_, other) => other.call("DELETE", "/api/account/sessions?which=all")],
    [
      "a change of the password",
      (_, other) =>
        other.call("PUT", "/api/account/password", { current_password: PASSWORD, new_password: "another one of mine" }),
    ],
    [
      "disabling the user",
      async (browser, _, userId) => {
        const { credential } = await adminCredential()
        await changeUser(browser.context, credential, userId, "disable")
      },
    ],
  ]

  /**
   * CI tests every operation after every end of a session; local runs test a third, so that any
   * three ends cover all operations.
   */
  const someAfter = (what: string) =>
    dashboard.filter((_, at) => isThorough || at % 3 === ends.findIndex(([end]) => end === what) % 3)

  test.each(ends)("All operations refuse the session after %s", async (what, end) => {
    const { userId, browser, other } = await arrange()
    const cookie = browser.cookie()
    expect((await browser.call("GET", "/api/account/me", undefined, asPage(cookie))).status).toBe(200)
    await end(browser, other, userId)
    expect(dashboard.length).toBeGreaterThan(25)
    const asked = someAfter(what)
    expect(await statuses(asked, asPage(cookie))).toEqual(allOf(asked, 401, "SESSION_REQUIRED"))
    expect(await world.sql("select 1 from spaces where user_id = $1", [userId]), "no resource was made").toEqual([])
  })

  test("The keys of a disabled user are refused, and other users' keys work", async () => {
    const { userId, browser, key } = await arrange()
    const { credential } = await adminCredential()
    const own = { authorization: `Bearer ${key}` }
    const me = v1.find(({ id }) => id === "getMe") as Documented
    expect((await send(me, own)).status).toBe(200)
    await changeUser(browser.context, credential, userId, "disable")
    expect(v1.length).toBeGreaterThan(40)
    expect(await statuses(v1, own)).toEqual(allOf(v1, 401, "INVALID_API_KEY"))
    await changeUser(browser.context, credential, userId, "enable")
    expect((await send(me, own)).status).toBe(200)
    expect((await browser.call("GET", "/api/account/me")).status, "a session does not become valid again").toBe(401)
  })
})

describe("A role takes effect at the next request", () => {
  test("A changed role takes effect at once for an admin's operations and in the user's own data", async () => {
    const [chief, second, person] = [await adminCredential(), await adminCredential(), await arrange()]
    const roles = async ({ browser }: { browser: Browser }) => [
      (await browser.json("GET", "/api/auth/me"))[1].role,
      (await browser.json("GET", "/api/account/me"))[1].user.role,
    ]
    expect(await roles(second)).toEqual(["admin", "admin"])
    await changeUser(chief.browser.context, chief.credential, second.userId, { role: "user" })
    expect(await roles(second)).toEqual(["user", "user"])
    const refused = changeUser(second.browser.context, second.credential, person.userId, "disable")
    await expect(refused).rejects.toMatchObject({ code: "ADMIN_REQUIRED", status: 403 })
    expect((await person.browser.call("GET", "/api/auth/me")).status).toBe(200)
    await changeUser(chief.browser.context, chief.credential, second.userId, { role: "admin" })
    await changeUser(second.browser.context, second.credential, person.userId, "disable")
    expect((await person.browser.call("GET", "/api/auth/me")).status).toBe(401)
  })

  test("Every operation below /api/admin refuses users who are not admins, and former admins", async () => {
    const [chief, former] = [await adminCredential(), await adminCredential()]
    const admins = dashboard.filter(({ path }) => path.startsWith("/api/admin"))
    await changeUser(chief.browser.context, chief.credential, former.userId, { role: "user" })
    expect(await statuses(admins, asPage(former.browser.cookie()))).toEqual(allOf(admins, 403, "ADMIN_REQUIRED"))
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { ACTING_POLICY } from "../../src/sign-in/policies.ts"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { documentedAt } from "../harness/documented.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let chief: Admin
let admin: Admin
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  chief = await signInAdmin(world)
  client = await world.createAccount()
})
beforeEach(async () => {
  chief = await world.signIn(chief.userId)
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const cookieIn = (response: Response) => /(?:^|, )acting=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1]

/** Starts to act as a user and returns the token of the cookie. */
async function begin(userId = client.userId) {
  const response = await admin.call("POST", `/api/admin/users/${userId}/act-as`)
  expect(response.status).toBe(200)
  expect(response.headers.get("set-cookie")).toMatch(
    /acting=[^;]+;.*Path=\/api\/account; HttpOnly; Secure; SameSite=Lax/,
  )
  return cookieIn(response) as string
}

/** A request from the browser of an admin who acts as a user. */
async function acting(token: string, path = "/api/account/me", method = "GET", body?: object) {
  const response = await admin.call(method, path, body, { cookie: `token=${admin.cookie()}; acting=${token}` })
  return { status: response.status, answer: await response.json<{ code: string }>(), cookie: cookieIn(response) }
}

test("An acting admin sees an account as its owner does, is named in it, and keeps their own session", async () => {
  const slug = await client.space()
  const token = await begin()
  expect((await acting(token)).answer).toMatchObject({
    user: { user_id: client.userId },
    acting_admin: { user_id: admin.userId, name: "Ada" },
    balance: { balance_usd: 10 },
  })
  expect((await acting(token, "/api/account/spaces")).answer).toMatchObject({ items: [{ space_id: slug }] })
  expect((await acting(token, "/api/account/ledger")).answer).toMatchObject({ total: 1 })
  expect((await acting(token, "/api/auth/me")).answer).toMatchObject({ user_id: admin.userId })
  expect((await acting(token, "/api/admin/users")).status).toBe(200)
  const own = await admin.json("GET", "/api/account/me")
  expect(own[1]).toMatchObject({ user: { user_id: admin.userId }, acting_admin: null })
  const owner = await world.signIn(client.userId)
  const sessions = (await owner.json("GET", "/api/account/sessions"))[1]
  expect(sessions.items.map((session: { session_id: string }) => session.session_id)).toEqual([owner.sessionId])
})

test("An acting admin cannot change any data through the operations of an owner", async () => {
  const token = await begin()
  const unsafe = (await documentedAt("/api/openapi.json")).filter(
    ({ path, method }) => path.startsWith("/api/account") && method !== "GET",
  )
  expect(unsafe.length).toBeGreaterThan(15)
  const audit = await world.sql("select 1 from audit_log")
  for (const { id, path, method, body, headers } of unsafe) {
    const cookie = `token=${admin.cookie()}; acting=${token}`
    const sent = { ...headers, cookie, "sec-fetch-site": "same-origin" }
    const request = new Request(ORIGIN + path, { method, headers: sent, ...(body !== undefined && { body }) })
    const response = await world.invoke(request)
    expect([response.status, ((await response.json()) as { code: string }).code], id).toEqual([403, "ACTING_READ_ONLY"])
  }
  expect(await acting(token, "/api/account/identities/link")).toMatchObject({ status: 403 })
  expect(await world.sql("select 1 from audit_log")).toEqual(audit)
})

test("The acting token works nowhere else, and a session's token does not work as an acting token", async () => {
  const token = await begin()
  const asSession = (path: string, method = "GET") => admin.json(method, path, undefined, { cookie: `token=${token}` })
  for (const path of ["/api/account/me", "/api/auth/me", "/api/admin/users"]) {
    expect(await asSession(path), path).toMatchObject([401, { code: "SESSION_REQUIRED" }])
  }
  expect(await asSession("/api/auth/app-token", "POST")).toMatchObject([401, {}])
  const owner = await world.signIn(client.userId)
  for (const wrong of [owner.cookie(), admin.cookie(), "", `${token}x`]) {
    expect(await acting(wrong), wrong).toMatchObject({ status: 401, cookie: "" })
  }
})

test("Acting lasts at most half an hour, and its end is reported once", async () => {
  const token = await begin()
  for (let minutes = 0; minutes < 30; minutes += 10) {
    expect((await acting(token)).status).toBe(200)
    await world.advance(ACTING_POLICY.lifeMs / 3 - (minutes === 20 ? 1000 : 0))
  }
  expect((await acting(token)).status).toBe(200)
  await world.advance(1000)
  expect(await acting(token)).toMatchObject({ status: 401, answer: { code: "SESSION_REQUIRED" }, cookie: "" })
})

describe("Acting ends at the next request", () => {
  const ends: [string, (userId: number) => Promise<unknown>][] = [
    ["when it is ended", (userId) => admin.call("DELETE", `/api/admin/users/${userId}/act-as`)],
    ["when another admin ends it", (userId) => chief.call("DELETE", `/api/admin/users/${userId}/act-as`)],
    ["with the admin's role", () => chief.call("PUT", `/api/admin/users/${admin.userId}`, { role: "user" })],
    ["with the admin's account", () => chief.call("PUT", `/api/admin/users/${admin.userId}`, { disabled: true })],
    ["with the admin's session", () => admin.call("POST", "/api/auth/logout")],
    ["with all sessions of the admin", () => chief.call("DELETE", `/api/admin/users/${admin.userId}/sessions`)],
    ["with all sessions of the user", (userId) => chief.call("DELETE", `/api/admin/users/${userId}/sessions`)],
    ["with the user's account", (userId) => chief.call("PUT", `/api/admin/users/${userId}`, { disabled: true })],
    ["when the user becomes an admin", (userId) => chief.call("PUT", `/api/admin/users/${userId}`, { role: "admin" })],
  ]
  test.each(ends)("Acting ends when %s", async (_, end) => {
    const { userId } = await createPerson(world)
    const token = await begin(userId)
    const cookie = `acting=${token}`
    const look = async () => (await admin.call("GET", "/api/account/me", undefined, { cookie })).status
    expect(await look()).toBe(200)
    await end(userId)
    expect(await look()).toBe(401)
  })
})

test("Signing in as another user ends acting in this browser, and so does signing out", async () => {
  await begin()
  const password = "nine tall cranes"
  const { email } = await createPerson(world, { password })
  for (const [path, body] of [["/api/auth/login", { email, password }], ["/api/auth/logout"]] as const) {
    const response = await world.invoke(
      new Request(ORIGIN + path, {
        method: "POST",
        headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get("set-cookie"), path).toMatch(/acting=; Max-Age=0; Path=\/api\/account/)
  }
})

test("The start and the end of acting are audited with both ids, and an end without a start is not", async () => {
  const { userId } = await createPerson(world)
  await begin(userId)
  await begin(userId)
  const end = () => admin.json("DELETE", `/api/admin/users/${userId}/act-as`)
  expect(await end()).toEqual([200, { ended: 2 }])
  expect(await end()).toEqual([200, { ended: 0 }])
  const [, { items }] = await admin.json("GET", `/api/admin/audit?subject_type=user&subject_id=${userId}`)
  const entry = (action: string) => ({
    action,
    actor_user_id: admin.userId,
    actor_name: "Ada",
    subject_id: String(userId),
  })
  expect(items).toMatchObject([entry("user.end_acting"), entry("user.act_as"), entry("user.act_as")])
  expect(items[1].after).toMatchObject({ user_id: userId, admin_user_id: admin.userId })
})

test("Acting as an admin, a disabled user or an unknown user is refused", async () => {
  const { userId } = await createPerson(world)
  await chief.json("PUT", `/api/admin/users/${userId}`, { disabled: true })
  const tryAs = (id: number) => admin.json("POST", `/api/admin/users/${id}/act-as`)
  for (const id of [chief.userId, admin.userId, userId]) {
    expect(await tryAs(id)).toMatchObject([409, { code: "ACTING_NOT_ALLOWED" }])
  }
  expect(await tryAs(999_999_999)).toMatchObject([404, { code: "NOT_FOUND" }])
  const [status] = await admin.json("DELETE", "/api/admin/users/999999999/act-as")
  expect(status).toBe(404)
})

test("Where texts need a reason, acting needs one too, and each page with texts is in the audit log once", async () => {
  const space = await client.space()
  const turn = await client.runTurn({ space, text: "PRIVATE WORDS" })
  await chief.json("PUT", "/api/admin/settings", { key: "turn_texts_for_operators", value: "with_reason" })
  try {
    const path = `/api/admin/users/${client.userId}/act-as`
    expect((await admin.call("POST", path)).status).toBe(422)
    const begun = await admin.call("POST", `${path}?reason=Ticket+4711`)
    expect(begun.status).toBe(200)
    const token = cookieIn(begun) as string
    for (let look = 0; look < 2; look++) await acting(token, `/api/account/turns/${turn.turn_id}`)
    await acting(token, "/api/account/ledger")
    expect((await acting(token, "/api/account/end-users/customer-1/export")).status).toBe(403)
    const log = await world.sql<{ action: string; after: { reason?: string; path?: string } }>(
      "select action, after from audit_log where actor_user_id = $1 and action in ('user.act_as', 'acting.read') order by audit_id",
      [admin.userId],
    )
    expect(log.map(({ action, after }) => [action, after.reason ?? after.path])).toEqual([
      ["user.act_as", "Ticket 4711"],
      ["acting.read", `/api/account/turns/${turn.turn_id}`],
      ["acting.read", "/api/account/end-users/customer-1/export"],
    ])
  } finally {
    await chief.json("PUT", "/api/admin/settings", { key: "turn_texts_for_operators", value: "shown" })
  }
})

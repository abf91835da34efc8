import { afterAll, beforeAll, expect, test } from "vitest"
import { type AdminEstate, adminOperations, createAdminEstate, requestOf } from "../harness/admin-requests.ts"
import { dumpMoney, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: AdminEstate
beforeAll(async () => {
  world = await createWorld()
  estate = await createAdminEstate(world, "every operation of admins")
})
afterAll(() => world.close())

const entries = () =>
  world.sql<{ action: string; actor_user_id: number; request_id: string; text: string }>(
    "select action, actor_user_id::int, request_id, a::text as text from audit_log a order by audit_id",
  )

test.each(adminOperations)("The operation $id needs a signed-in admin and our own pages", async (operation) => {
  const { method, path, body, headers } = await requestOf(estate, operation)
  const user = await world.signIn(estate.client.userId)
  const ended = await signInAdmin(world)
  await ended.call("POST", "/api/auth/logout")
  const before = [await dumpMoney(world), (await entries()).length]
  expect(await user.json(method, path, body, headers)).toMatchObject([403, { code: "ADMIN_REQUIRED" }])
  expect(await ended.json(method, path, body, headers)).toMatchObject([401, { code: "SESSION_REQUIRED" }])
  const bare = await estate.admin.json(method, path, body, { ...headers, cookie: null })
  expect(bare).toMatchObject([401, { code: "SESSION_REQUIRED" }])
  const key = { ...headers, cookie: null, authorization: `Bearer ${estate.client.key}` }
  expect((await estate.admin.json(method, path, body, key))[0], "an API key is not a session").toBe(401)
  if (method !== "GET") {
    for (const site of ["cross-site", "same-site", "none"]) {
      const crossed = await estate.admin.json(method, path, body, { ...headers, "sec-fetch-site": site })
      expect(crossed, site).toMatchObject([403, { code: "CROSS_ORIGIN" }])
    }
  }
  if (body) {
    const text = await estate.admin.json(method, path, JSON.stringify(body), {
      ...headers,
      "content-type": "text/plain",
    })
    expect(text).toMatchObject([415, { code: "UNSUPPORTED_MEDIA_TYPE" }])
  }
  expect([await dumpMoney(world), (await entries()).length]).toEqual(before)
})

test.each(adminOperations)(
  "The operation $id answers what it declares and is audited once if it writes",
  async (operation) => {
    const { method, path, body, headers } = await requestOf(estate, operation)
    const before = await entries()
    const response = await estate.admin.call(method, path, body, headers)
    const answer = operation.answer.binary ? await response.text() : await response.json()
    expect([response.status, answer]).toEqual([operation.answer.status, operation.answer.schema.parse(answer)])
    if (operation.versioned) expect(response.headers.get("etag")).toBe(`"${(answer as { version: number }).version}"`)
    const made = (await entries()).slice(before.length)
    // Each look at a customer's turn is audited, although it changes nothing. A preview changes nothing.
    const isNoted = operation.id === "getAnyTurn" || (method !== "GET" && operation.id !== "previewUsersChange")
    expect(made.map(({ action }) => action)).toHaveLength(isNoted ? 1 : 0)
    for (const entry of made) {
      expect(entry).toMatchObject({
        actor_user_id: estate.admin.userId,
        request_id: response.headers.get("x-request-id"),
      })
      expect(entry.text.toLowerCase()).not.toContain("canary")
    }
    expect(JSON.stringify(answer).toLowerCase()).not.toContain("canary")
  },
)

const checked = adminOperations.filter(({ versioned }) => versioned === "checked")

test.each(checked)(
  "The operation $id refuses an edit of another version and answers the current row",
  async (operation) => {
    const { method, path, body, headers } = await requestOf(estate, operation)
    const before = await entries()
    for (const stale of ['"999999"', 'W/"1"', '"elsewhere"']) {
      const response = await estate.admin.call(method, path, body, { ...headers, "if-match": stale })
      const refused = (await response.json()) as { code: string; details: { current: { version: number } } }
      expect([response.status, refused.code]).toEqual([412, "VERSION_MISMATCH"])
      expect(refused.details.current).toEqual(operation.answer.schema.parse(refused.details.current))
      expect(response.headers.get("etag")).toBe(`"${refused.details.current.version}"`)
    }
    for (const malformed of ["1", '"1', '"1", "2"', "", '"a"b"']) {
      const answer = await estate.admin.json(method, path, body, { ...headers, "if-match": malformed })
      expect(answer, malformed).toMatchObject([400, { code: "IF_MATCH_INVALID" }])
    }
    expect(await entries()).toEqual(before)
    const current = await estate.admin.call(method, path, body, { ...headers, "if-match": '"999999"' })
    const etag = current.headers.get("etag") ?? ""
    expect((await estate.admin.call(method, path, body, { ...headers, "if-match": etag })).status).toBe(
      operation.answer.status,
    )
    expect(await entries()).toHaveLength(before.length + 1)
  },
)

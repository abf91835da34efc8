import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { holdRows } from "../harness/locks.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const later = (ms: number) => new Date(world.clock.ms() + ms).toISOString()

/**
 * The caller as `find_caller` returns it now, for `noteUse`. Other transactions may have changed
 * the row since.
 */
async function findCaller(kind: "key" | "session", token: string): Promise<string> {
  const hash = kind === "key" ? "encode(sha256($2::bytea), 'hex')" : "$2"
  const [row] = await world.sql<{ caller: string }>(
    `select ${RELEASE}.find_caller(${RELEASE}.request_of($1, ${hash}, false, $3::timestamptz))::text as caller`,
    [kind, token, later(0)],
  )
  return row?.caller as string
}

const noteUse = (caller: string, at: string) =>
  world.sql(`select from ${RELEASE}.note_use($1::${RELEASE}.caller, $2)`, [caller, at])

describe("A key's last use", () => {
  /** The time of the last recorded use, and the transactions that last wrote and locked its row. */
  async function noted({ userId }: TestClient) {
    const [row] = await world.sql<{ at: string | null; by: string }>(
      "select last_used_at as at, xmin || ' ' || xmax as by from api_keys where user_id = $1",
      [userId],
    )
    return row as { at: string | null; by: string }
  }

  test("A key's last use is recorded once per minute, and its row is not touched in between", async () => {
    const client = await world.createAccount()
    const first = later(0)
    await client.call("GET", "/v1/me")
    const before = await noted(client)
    expect(before.at).toBe(first)
    for (const ms of [1, SECOND, MINUTE - SECOND - 2]) {
      await world.advance(ms)
      await client.call("GET", "/v1/me")
      expect(await noted(client), `${ms} ms later`).toEqual(before)
    }
    await world.advance(1)
    await client.call("GET", "/v1/me")
    expect((await noted(client)).at).toBe(later(0))
  })

  test("Concurrent calls that all read an old last use record it once", async () => {
    const client = await world.createAccount()
    const caller = await findCaller("key", client.key)
    const first = later(0)
    await noteUse(caller, first)
    await noteUse(caller, later(MINUTE - 1))
    expect((await noted(client)).at).toBe(first)
    await noteUse(caller, later(MINUTE))
    expect((await noted(client)).at).toBe(later(MINUTE))
  })

  test("A locked key row does not delay a call, and a later call records the use", async () => {
    const client = await world.createAccount()
    const release = await holdRows(world, `select from api_keys where user_id = ${client.userId} for no key update`)
    expect((await client.call("GET", "/v1/me")).status).toBe(200)
    expect((await noted(client)).at).toBeNull()
    await release()
    expect((await noted(client)).at, "the call has not waited until now").toBeNull()
    await client.call("GET", "/v1/me")
    expect((await noted(client)).at).toBe(later(0))
  })
})

describe("A session's last use", () => {
  async function noted(sessionId: string) {
    const [row] = await world.sql(
      "select last_seen_at as at, expires_at as until, xmin || ' ' || xmax as by from sessions where session_id = $1",
      [sessionId],
    )
    return row as { at: string; until: string; by: string }
  }

  async function open() {
    const { userId } = await world.createAccount()
    return world.signIn(userId)
  }

  test("A session's last use is recorded once per hour and extends it to 30 days; its row is not touched in between", async () => {
    const browser = await open()
    const before = await noted(browser.sessionId)
    expect(before).toMatchObject({ at: later(0), until: later(30 * DAY) })
    for (const ms of [MINUTE, HOUR - MINUTE - 1]) {
      await world.advance(ms)
      await browser.call("GET", "/api/account/me")
      expect(await noted(browser.sessionId)).toEqual(before)
    }
    await world.advance(1)
    await browser.call("GET", "/api/account/me")
    expect(await noted(browser.sessionId)).toMatchObject({ at: later(0), until: later(30 * DAY) })
  })

  test("Concurrent requests extend a session once, and an ended session stays unchanged", async () => {
    const browser = await open()
    await world.advance(HOUR)
    const caller = await findCaller("session", browser.token)
    const first = later(0)
    await noteUse(caller, first)
    await noteUse(caller, later(HOUR - 1))
    expect((await noted(browser.sessionId)).at).toBe(first)
    await browser.call("POST", "/api/auth/logout")
    const ended = await noted(browser.sessionId)
    await noteUse(caller, later(HOUR))
    expect(await noted(browser.sessionId)).toMatchObject({ at: ended.at, until: ended.until })
  })

  test("A locked session row does not delay a request, and a later request records the use", async () => {
    const browser = await open()
    const before = await noted(browser.sessionId)
    await world.advance(HOUR)
    const release = await holdRows(
      world,
      `select from sessions where session_id = '${browser.sessionId}' for no key update`,
    )
    expect((await browser.call("GET", "/api/account/me")).status).toBe(200)
    await release()
    expect((await noted(browser.sessionId)).at).toBe(before.at)
    await browser.call("GET", "/api/account/me")
    expect((await noted(browser.sessionId)).at).toBe(later(0))
  })
})

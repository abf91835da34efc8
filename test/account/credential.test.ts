import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SessionCredential } from "../../src/actor/actor.ts"
import { readAs } from "../../src/actor/call-as.ts"
import type { createContext } from "../../src/actor/context.ts"
import { endSession } from "../../src/sign-in/end-session.ts"
import { sessionIdOf } from "../../src/sign-in/session-token.ts"
import { startSession } from "../../src/sign-in/start-session.ts"
import { createSpace } from "../../src/spaces/create-space.ts"
import { getTurn } from "../../src/turns/get-turn.ts"
import { listTurns } from "../../src/turns/list-turns.ts"
import { getBalance } from "../../src/wallets/get-balance.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 24 * 3_600_000

let world: World
let context: ReturnType<typeof createContext>
beforeAll(async () => {
  world = await createWorld()
  context = contextOf(world)
})
afterAll(() => world.close())

async function signedIn(userId: number, test = false): Promise<SessionCredential> {
  return { kind: "session", token: (await startSession(context, { userId })).token, test }
}

const whoIs = async (credential: SessionCredential) =>
  (await readAs(context, credential, (db) => db.selectFrom("caller").select("caller.user_id"))).actor

const expiresAt = async ({ token }: SessionCredential) => {
  const [row] = await world.sql<{ expires_at: string }>("select expires_at from sessions where session_id = $1", [
    sessionIdOf(token),
  ])
  return new Date(row?.expires_at ?? 0).getTime()
}

describe("A session as the credential of a verb", () => {
  test("Key operations work for the signed-in owner, over all of their spaces and no other user's", async () => {
    const owner = await world.createAccount({ usd: 3 })
    const other = await signedIn((await world.createAccount()).userId)
    const sent = await owner.runTurn({ space: await owner.space() })
    const session = await signedIn(owner.userId)
    expect((await getTurn(context, session, sent.turn_id)).result).toBe(sent.result)
    expect((await listTurns(context, session, { filters: {}, limit: 5 })).data.map((turn) => turn.turn_id)).toEqual([
      sent.turn_id,
    ])
    expect((await getBalance(context, session)).balance_usd).toBe(3 - sent.billed_cost_usd)
    expect((await createSpace(context, session, { title: "Mine" })).made).toMatchObject({
      user_id: owner.userId,
      created_by_key_id: null,
    })
    await expect(getTurn(context, other, sent.turn_id)).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect((await listTurns(context, other, { filters: {}, limit: 5 })).data).toEqual([])
    expect(await whoIs(session)).toMatchObject({
      kind: "session",
      key_id: null,
      scope: "all",
      space_id: null,
      role: "user",
    })
  })

  test("A session sees test data only if it requests it, and then no other data", async () => {
    const tester = await world.createAccount({ test: true })
    const sent = await tester.runTurn({ space: await tester.space() })
    const live = await signedIn(tester.userId)
    await expect(getTurn(context, live, sent.turn_id)).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect((await getTurn(context, { ...live, test: true }, sent.turn_id)).test).toBe(true)
  })

  test("An ended, expired or unknown session, and a disabled user, get the dashboard's 401", async () => {
    const { userId } = await world.createAccount()
    const [ended, expired, disabled] = [await signedIn(userId), await signedIn(userId), await signedIn(userId)]
    const unknown: SessionCredential = { kind: "session", token: "ses_nobody.secret", test: false }
    const refused = { code: "SESSION_REQUIRED", status: 401 }
    await endSession(context, ended)
    await expect(whoIs(ended)).rejects.toMatchObject(refused)
    await expect(whoIs(unknown)).rejects.toMatchObject(refused)
    expect((await whoIs(expired)).user_id).toBe(userId)
    await world.sql("update sessions set expires_at = $2 where session_id = $1", [
      sessionIdOf(expired.token),
      world.clock.now().toISOString(),
    ])
    await expect(whoIs(expired)).rejects.toMatchObject(refused)
    await world.sql("update users set disabled_at = now() where user_id = $1", [userId])
    await expect(whoIs(disabled)).rejects.toMatchObject(refused)
    await expect(startSession(context, { userId })).rejects.toMatchObject(refused)
  })

  test("A session that is used after an hour lasts 30 more days, and use within the hour writes nothing", async () => {
    const session = await signedIn((await world.createAccount()).userId)
    const started = world.clock.ms()
    await world.advance(3_599_999)
    await whoIs(session)
    expect(await expiresAt(session)).toBe(started + 30 * DAY_MS)
    await world.advance(1)
    await whoIs(session)
    expect(await expiresAt(session)).toBe(started + 3_600_000 + 30 * DAY_MS)
    await world.advance(30 * DAY_MS - 1)
    await whoIs(session)
    await world.advance(30 * DAY_MS)
    await expect(whoIs(session)).rejects.toMatchObject({ code: "SESSION_REQUIRED" })
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ENDING_POLICY } from "../../src/ending/causes.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { isThorough } from "../harness/crash.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const RACES = isThorough ? 30 : 4

/** An account with a space, a key to revoke and another key that stays valid. */
async function arrange({ usd = 10, test = false } = {}) {
  const account = await world.createAccount({ usd })
  const browser = await world.signIn(account.userId)
  const key = async () => {
    const made = await world.makeKey(account.userId, { scope: "all", test })
    return { ...world.createClient(account.userId, made.value), key_id: made.key_id }
  }
  const [revoked, staying] = [await key(), await key()]
  const space = await revoked.space()
  const revoke = () => browser.json("POST", `/api/account/keys/${revoked.key_id}/revoke`)
  return { account, browser, revoked, staying, space, revoke }
}

const send = async (client: TestClient, body: { space: string } & Record<string, unknown>) =>
  turnOf(await client.sendTurn(body))

describe("Revoking a key", () => {
  test("A revocation takes effect at the next request, can be repeated, and is final", async () => {
    const { browser, revoked, staying, revoke } = await arrange()
    const [status, first] = await revoke()
    expect([status, first.revoked_at]).toEqual([200, world.clock.now().toISOString()])
    const response = await revoked.call("GET", "/v1/me")
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      "INVALID_API_KEY",
    ])
    expect((await staying.call("GET", "/v1/me")).status).toBe(200)
    await world.advance(1000)
    expect((await revoke())[1]).toEqual(first)
    const path = `/api/account/keys/${revoked.key_id}`
    for (const [method, at, body] of [
      ["PATCH", path, { name: "x" }],
      ["POST", `${path}/rotate`, {}],
    ] as const) {
      const [status, error] = await browser.json(method, at, body)
      expect([status, error.code]).toEqual([409, "KEY_REVOKED"])
    }
  })

  test.each([false, true])(
    "A revocation cancels the key's queued turns, frees their holds and wakes the turns after them (test: %s)",
    async (kind) => {
      const { account, revoked, staying, space, revoke } = await arrange({ test: kind })
      const line = { space, end_user_ref: "one" }
      const queued = [
        await send(revoked, line),
        await send(revoked, line),
        await send(revoked, { space, end_user_ref: "two" }),
      ]
      const behind = await send(staying, line)
      await world.settled()
      // Every callback arrived while the conversation was busy, so only the end of the first turn
      // can wake the last one.
      await world.qstash.reset()
      await revoke()
      for (const { turn_id } of queued) {
        expect(await staying.getTurn(turn_id)).toMatchObject({
          state: "cancelled",
          status_reason: "key_revoked",
          billed_cost_usd: 0,
          held_usd: 0,
        })
      }
      expect((await staying.getTurn(behind.turn_id)).state).toBe("queued")
      await expectBooks(world, account.userId)
      await world.drain()
      expect((await staying.getTurn(behind.turn_id)).state).toBe("done")
      await expectPromises(world, account.userId)
    },
  )

  test("A revocation stops a running turn at its next boundary and bills the completed work", async () => {
    const { account, revoked, staying, space, revoke } = await arrange()
    const sent = await send(revoked, { space, text: "[steps 2]\n[think 35000 ms]" })
    const running = world.drain()
    await world.clock.sleeping(1, 35_000)
    await revoke()
    expect(await staying.getTurn(sent.turn_id)).toMatchObject({ state: "running" })
    await world.advance(35_000)
    await running
    const ended = await staying.getTurn(sent.turn_id)
    expect(ended).toMatchObject({ state: "cancelled", status_reason: "key_revoked" })
    expect(ended.billed_cost_usd).toBeGreaterThan(0)
    await expectPromises(world, account.userId)
  })

  test("A revocation cancels more turns than one statement can process, and leaves other keys' turns", async () => {
    const { account, revoked, staying, space, revoke } = await arrange({ usd: 1 })
    const sent = await send(revoked, { space })
    const kept = await send(staying, { space, max_cost_usd: 0.1 })
    const count = TURN_POLICY.cancelBatch + 7
    await world.sql(
      `insert into turns select (jsonb_populate_record(t, jsonb_build_object('turn_id', t.turn_id || n, 'idempotency_key', n::text,
         'position', 100 + n, 'hold_credit_micros', 1, 'held_credit_micros', 1))).*
       from turns t, generate_series(1, $2::int) n where t.turn_id = $1`,
      [sent.turn_id, count],
    )
    await world.sql(
      `insert into open_turns select (jsonb_populate_record(o, jsonb_build_object('turn_id', t.turn_id, 'position', t.position, 'wake_at', 'infinity'))).*
       from open_turns o, turns t where o.turn_id = $1 and t.idempotency_key ~ '^[0-9]+$'`,
      [sent.turn_id],
    )
    await world.sql(
      "insert into turn_events select turn_id, 1, 'evt' || turn_id, 'turn.queued', '{}', created_at from turns where idempotency_key ~ '^[0-9]+$'",
    )
    await world.sql("update wallets set held_credit_micros = held_credit_micros + $2 where user_id = $1", [
      account.userId,
      count,
    ])
    await world.settled()
    await revoke()
    const states = await world.sql("select state, count(*)::int from turns where user_id = $1 group by 1 order by 1", [
      account.userId,
    ])
    expect(states).toEqual(
      [
        { state: "queued", count: 1 },
        { state: "cancelled", count: count + 1 },
      ].sort((a, b) => (a.state < b.state ? -1 : 1)),
    )
    await expectBooks(world, account.userId)
    await world.drain()
    expect((await staying.getTurn(kept.turn_id)).state).toBe("done")
    await expectPromises(world, account.userId)
  })

  test("The sweeper ends a turn whose acceptance raced with the revocation, for some minutes after it", async () => {
    const { account, revoked, staying, space, revoke } = await arrange()
    const sent = await send(revoked, { space })
    await world.settled()
    await world.qstash.reset()
    // As if the acceptance had committed right after the revocation.
    await world.sql("update turns set key_id = $2 where turn_id = $1", [sent.turn_id, staying.key_id])
    await revoke()
    await world.sql("update turns set key_id = $2 where turn_id = $1", [sent.turn_id, revoked.key_id])
    await world.sweep()
    expect(await staying.getTurn(sent.turn_id)).toMatchObject({ state: "cancelled", status_reason: "key_revoked" })
    const ending = async () =>
      (await world.sql("select 1 from api_keys where ending_turns and user_id = $1", [account.userId])).length
    expect(await ending()).toBe(1)
    await world.advance(ENDING_POLICY.settlesMs)
    await world.sweep()
    expect(await ending()).toBe(0)
    await expectPromises(world, account.userId)
  })

  test("A revocation that races with accepting and running turns ends each turn once, and the books agree", async () => {
    for (let round = 0; round < RACES; round++) {
      const { account, revoked, staying, space, revoke } = await arrange({ usd: 2 })
      const body = (n: number) => ({ space, end_user_ref: `c${n % 3}`, max_cost_usd: 0.1 })
      const first = await Promise.all(Array.from({ length: 6 }, (_, n) => revoked.sendTurn(body(n))))
      expect(first.map(({ status }) => status)).toEqual(Array(6).fill(202))
      const late = Array.from({ length: 4 }, (_, n) => (n % 2 ? revoked : staying).sendTurn(body(n)))
      const [[status], ...answers] = await Promise.all([revoke(), ...late, world.drain()] as const)
      expect(status).toBe(200)
      for (const answer of answers) {
        if (answer instanceof Response) expect([202, 401]).toContain(answer.status)
      }
      await world.advance(61_000)
      await world.sweep()
      await world.drain()
      const turns = await expectPromises(world, account.userId)
      const byKey = await world.sql<{ state: string }>("select state from turns where key_id = $1", [staying.key_id])
      expect(byKey.map(({ state }) => state)).toEqual(Array(2).fill("done"))
      expect(turns.length).toBeGreaterThanOrEqual(8)
    }
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ENDING_POLICY } from "../../src/ending/causes.ts"
import { settleTurn } from "../../src/runs/settle-turns.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { effortOf } from "../harness/plans.ts"
import { expectPromises } from "../harness/promises.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  // The statistics would count dead rows of earlier worlds among the rows that a statement reads.
  world = await createWorld({ isNew: true })
})
afterAll(() => world.close())

/**
 * Turns that follow `turnId` in its conversation, as accept_turn would insert them, with a hold of
 * one credit micro each.
 */
async function queueBehind(turnId: string, count: number): Promise<void> {
  const copies = `jsonb_build_object('turn_id', t.turn_id || lpad(n::text, 6, '0'), 'idempotency_key', t.turn_id || n, 'state', 'queued',
    'position', t.position + n, 'hold_credit_micros', 1, 'held_credit_micros', 1, 'last_event_seq', 1)`
  await world.sql(
    `with made as (insert into turns select (jsonb_populate_record(t, ${copies})).* from turns t, generate_series(1, $2::int) n
         where t.turn_id = $1 returning turn_id, conversation_id, position, user_id, test, created_at, end_user_ref),
       open as (insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane)
         select turn_id, conversation_id, position, user_id, test, 'queued', 'infinity', created_at, hashtext(end_user_ref) from made),
       logged as (insert into turn_events select turn_id, 1, 'evt_' || turn_id, 'turn.queued', '{}', created_at from made)
     update wallets w set held_credit_micros = w.held_credit_micros + $2 where w.user_id = (select user_id from turns where turn_id = $1)`,
    [turnId, count],
  )
  await world.sql(
    `update conversations c set last_position = c.last_position + $2
     where c.conversation_id = (select conversation_id from turns where turn_id = $1)`,
    [turnId, count],
  )
}

const QUEUED = 3_000

describe(`A conversation with ${QUEUED} queued turns`, () => {
  let client: TestClient
  let head: string

  beforeAll(async () => {
    client = await world.createAccount({ usd: 1000 })
    head = (await turnOf(await client.sendTurn({ space: await client.space() }))).turn_id
    await world.settled()
    await world.qstash.reset()
    await queueBehind(head, QUEUED)
    // Autovacuum would do this within a minute.
    await world.sql("analyze open_turns")
  })

  test("The sweeper reads only the conversation's first turn", async () => {
    await world.advance(61_000)
    const looked = await effortOf(world, client, (ctx) => sweepTurns(ctx))
    expect(looked.rowsOf("open_turns")).toBeLessThan(10)
  })

  test("The end of the first turn calls the next turn, and the sweeper finds it if that call is lost", async () => {
    const claim = await claimTurn(contextOf(world), head)
    if (!claim) throw new Error("not claimed")
    const ended = await effortOf(world, client, (ctx) => settleTurn(ctx, claim.turn, { state: "done", result: "r" }))
    expect(ended.rowsOf("open_turns")).toBeLessThan(10)
    const [next] = await world.sql<{ turn_id: string; wake_at: string }>(
      "select turn_id, wake_at::text from open_turns where conversation_id = $1 order by position limit 1",
      [claim.turn.conversation_id],
    )
    expect(next?.turn_id).toBe(`${head}000001`)
    expect(new Date(next?.wake_at ?? "").getTime()).toBeLessThanOrEqual(world.clock.now().getTime())
  })

  test("One sweep cancels all of its turns if no worker starts them", async () => {
    await world.advance(3_600_000)
    await world.sweep()
    const states = await world.sql(
      "select state, status_reason, count(*)::int from turns where user_id = $1 group by 1, 2 order by 1, 2",
      [client.userId],
    )
    expect(states).toEqual([
      { state: "cancelled", status_reason: "expired", count: QUEUED },
      { state: "done", status_reason: null, count: 1 },
    ])
    expect(
      await world.sql("select held_credit_micros as held from wallets where user_id = $1", [client.userId]),
    ).toEqual([{ held: "0" }])
  })
})

describe("A worker whose claim committed without an answer", () => {
  test("The worker repeats the claim and continues with the turn at once", async () => {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.settled()
    await world.plan([{ service: "pg", match: "claim_turn", call: 1, action: "cut", when: "after" }])
    await world.drain()
    await world.clearFaults()
    expect((await client.getTurn(turn_id)).state).toBe("done")
    await expectPromises(world, client.userId)
  })

  test("The worker leaves the turn to the next delivery of its message, within 15 s", async () => {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.settled()
    await world.plan([{ service: "pg", match: "claim_turn", call: 1, times: 2, action: "cut", when: "after" }])
    await world.drain()
    await world.clearFaults()
    expect((await client.getTurn(turn_id)).state).toBe("running")
    await world.advance(15_000)
    await world.drain()
    expect((await client.getTurn(turn_id)).state).toBe("done")
    await expectPromises(world, client.userId)
  })

  test("A duplicate of the same delivery does not take the turn from the worker", async () => {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.settled()
    await world.qstash.reset()
    const ctx = contextOf(world)
    const delivery = { message: "msg_1", retried: 0 }
    const first = await claimTurn(ctx, turn_id, delivery)
    expect(await claimTurn(ctx, turn_id, delivery)).toBeNull()
    expect(await claimTurn(ctx, turn_id, { message: "msg_2", retried: 1 })).toBeNull()
    const second = await claimTurn(ctx, turn_id, { message: "msg_1", retried: 1 })
    expect(second?.turn.epoch).toBe((first?.turn.epoch ?? 0) + 1)
    expect(await settleTurn(ctx, first?.turn as never, { state: "done", result: "late" })).toBe(false)
  })
})

test("A turn never starts before the earlier one has ended, even if its worker's clock is wrong", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const sent = [await turnOf(await client.sendTurn({ space })), await turnOf(await client.sendTurn({ space }))]
  await world.settled()
  await world.qstash.reset()
  const claim = await claimTurn(contextOf(world), sent[0]?.turn_id ?? "")
  if (!claim) throw new Error("not claimed")
  const ahead = { ...world.clock, now: () => new Date(world.clock.now().getTime() + 900) }
  await settleTurn({ ...contextOf(world), clock: ahead }, claim.turn, { state: "done", result: "r" })
  await claimTurn(contextOf(world), sent[1]?.turn_id ?? "")
  const [one, two] = await Promise.all(sent.map(({ turn_id }) => client.getTurn(turn_id)))
  expect(two?.started_at).toBe(one?.finished_at)
})

test("An account whose expired turns cannot be ended does not block other accounts, however many turns it has", async () => {
  const [broken, other] = [await world.createAccount({ usd: 1000 }), await world.createAccount()]
  const head = await turnOf(await broken.sendTurn({ space: await broken.space() }))
  await world.settled()
  await queueBehind(head.turn_id, ENDING_POLICY.expireLook)
  await world.advance(1000)
  const later = await turnOf(await other.sendTurn({ space: await other.space() }))
  await world.settled()
  await world.qstash.reset()
  await world.advance(3_600_000)
  await world.sql(`create function break_turn() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`)
  await world.sql(
    `create trigger broken before update on turns for each row when (new.user_id = ${broken.userId}) execute function break_turn()`,
  )
  try {
    await world.sweep()
  } finally {
    await world.sql("drop function break_turn() cascade")
  }
  expect(await other.getTurn(later.turn_id)).toMatchObject({ state: "cancelled", status_reason: "expired" })
  expect((await broken.getTurn(head.turn_id)).state).toBe("queued")
  await world.sweep()
  expect(await broken.getTurn(head.turn_id)).toMatchObject({ state: "cancelled", status_reason: "expired" })
})

test("The next turn of a conversation continues at once, although the answer to the earlier turn's end was lost", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  const [first, second] = [
    await turnOf(await client.sendTurn({ space })),
    await turnOf(await client.sendTurn({ space })),
  ]
  await world.plan([{ service: "pg", match: "settle_turn", call: 1, action: "cut", when: "after" }])
  await world.drain()
  await world.clearFaults()
  // No sweeper ran: the worker that ended the first turn checked whether its statement had committed.
  expect((await client.getTurn(first.turn_id)).state).toBe("done")
  expect((await client.getTurn(second.turn_id)).state).toBe("done")
  expect(receiver.types(first.turn_id), "its webhook has not waited either").toEqual(["turn.done"])
})

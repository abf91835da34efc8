import { afterAll, beforeAll, expect, test } from "vitest"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const STREAMS = 500
const SLOTS = 40

const never = new AbortController().signal

let world: World
beforeAll(async () => {
  world = await createWorld()
  world.rebind({ TURN_SLOTS: String(SLOTS), END_USER_TURN_SLOTS: "4" })
})
afterAll(() => world.close())

/** A request of the busy account: it reads the events of its turn, or its turn waits in the queue. */
async function send(client: TestClient, space: string, { n, streams }: { n: number; streams: boolean }) {
  const body = { space, end_user_ref: `user-${n % 100}`, conversation: `c${n}`, text: "[think 2000 ms]\n[reply ok]" }
  const headers = { "idempotency-key": crypto.randomUUID(), ...(streams && { accept: "text/event-stream" }) }
  const response = await client.call("POST", "/v1/turns", body, headers)
  const text = await response.text()
  expect([200, 202], text).toContain(response.status)
}

/** The most turns of an account, and of one of its end users, that ran at the same moment. */
async function mostAtOnce(client: TestClient) {
  const [row] = await world.sql<{ account: number; end_user: number }>(
    `select max(n.account)::int as account, max(n.end_user)::int as end_user from (
       select count(*) as account, count(*) filter (where o.end_user_ref = t.end_user_ref) as end_user
       from turns t join turns o on o.user_id = t.user_id and o.started_at <= t.started_at and o.finished_at > t.started_at
       where t.user_id = $1 group by t.turn_id) n`,
    [client.userId],
  )
  return row
}

async function openTurns(client: TestClient): Promise<number> {
  const rows = await world.sql("select from open_turns where user_id = $1", [client.userId])
  return rows.length
}

/** Delivers each message of the queue when it is due, also while earlier deliveries and runs in place last. */
async function deliverUntil(work: Promise<unknown>): Promise<void> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    for (const delivery of await world.qstash.due()) {
      void world.deliver(delivery).then((response) => {
        const headers = Object.fromEntries(response.headers)
        return world.qstash.answer({ delivery_id: delivery.delivery_id, status: response.status, headers })
      })
    }
    await Promise.race([ended, world.clock.sleep(20, never)])
  }
  await ended
}

/** Sends many turns of one account, then one of another. Returns how long that one was queued, in ms. */
async function delayBeside(streams: boolean): Promise<number> {
  const [busy, other] = [await world.createAccount({ usd: 1_000 }), await world.createAccount()]
  const [space, elsewhere] = [await busy.space(), await other.space()]
  const sent = Array.from({ length: STREAMS }, (_, n) => send(busy, space, { n, streams }))
  const accepted = async () => {
    const [row] = await world.sql<{ count: number }>("select count(*)::int from turns where user_id = $1", [
      busy.userId,
    ])
    return row?.count ?? 0
  }
  while ((await accepted()) < STREAMS) await world.isCalm(250)
  const { turn_id: turnId } = await turnOf(await other.sendTurn({ space: elsewhere, text: "[reply ok]" }))
  const ended = (async () => {
    while ((await other.getTurn(turnId)).state !== "done") await world.clock.sleep(50, never)
  })()
  await passTime(world, deliverUntil(Promise.all([...sent, ended])))
  while ((await openTurns(busy)) > 0) {
    await passTime(world, deliverUntil(world.clock.sleep(1_000, never)))
    await world.sweep()
  }
  const most = await mostAtOnce(busy)
  expect(most?.account).toBeLessThanOrEqual(SLOTS)
  expect(most?.account).toBeGreaterThan(SLOTS / 2)
  expect(most?.end_user).toBeLessThanOrEqual(4)
  const turn = await other.getTurn(turnId)
  return Date.parse(turn.started_at ?? "") - Date.parse(turn.created_at)
}

test("Five hundred streams of one account delay another account's turn no more than queued turns do", async () => {
  const [queued, streamed] = [await delayBeside(false), await delayBeside(true)]
  console.log(`queued for ${queued} ms next to ${STREAMS} queued turns, ${streamed} ms next to ${STREAMS} streams`)
  expect(streamed).toBeLessThanOrEqual(queued + 250)
})

import { afterEach, beforeEach, expect, test } from "vitest"
import { IN_PLACE_POLICY } from "../../src/turns/policies.ts"
import { holdRows } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { makeReady } from "../harness/runner.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const send = (client: TestClient, body: object, key: string = crypto.randomUUID(), wait = 30) =>
  client.call(
    "POST",
    `/v1/turns?wait=${wait}`,
    { end_user_ref: "customer-1", text: "hello", ...body },
    { "idempotency-key": key },
  )

const messagesOfQueue = async () => (await world.qstash.due()).length

test("A request that waits runs its turn, without a message and a runner", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  const response = await send(client, { space, text: "[reply Here.]\n[use input=10 output=10]" })
  expect(response.status, await response.clone().text()).toBe(200)
  const turn = await turnOf(response)
  expect(turn).toMatchObject({ state: "done", result: "Here." })
  await world.settled()
  expect(await messagesOfQueue()).toBe(0)
  expect(await world.sql("select from runners")).toEqual([])
  const [bill] = await expectPromises(world, client.userId)
  expect(bill?.billed).toBe((10 * 10_000_000 + 10 * 50_000_000) / 1_000_000)
})

test("The same request again returns the ended turn and runs nothing", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const first = await send(client, { space }, "once")
  const second = await send(client, { space }, "once")
  expect([first.headers.get("idempotent-replayed"), second.headers.get("idempotent-replayed")]).toEqual([null, "true"])
  expect(await second.json()).toEqual(await first.json())
  expect(await world.sql("select from turns where user_id = $1", [client.userId])).toHaveLength(1)
})

test("A request that cannot read its turn at once reads it again, and otherwise answers with the accepted turn", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  await world.plan([{ service: "pg", match: "get_turn", call: 1, times: 2, action: "fail", when: "before" }])
  const late = await passTime(world, send(client, { space, text: "[reply Late.]" }))
  expect([late.status, (await turnOf(late)).result]).toEqual([200, "Late."])
  await world.plan([{ service: "pg", match: "get_turn", call: 1, times: 99, action: "fail", when: "before" }])
  const unread = await passTime(world, send(client, { space, text: "[reply Unread.]" }), 100)
  await world.clearFaults()
  expect(unread.status, await unread.clone().text()).toBe(202)
  expect((await client.getTurn((await turnOf(unread)).turn_id)).result).toBe("Unread.")
})

test("A refusal is the same as without a wait", async () => {
  const client = await world.createAccount({ usd: 0 })
  const space = await client.space()
  const [here, queued] = [await send(client, { space }), await client.sendTurn({ space })]
  expect(here.status).toBe(402)
  const body = async (response: Response) => {
    const { error } = (await response.json()) as { error: { request_id: string } }
    return { ...error, request_id: "" }
  }
  expect(await body(here)).toEqual(await body(queued))
})

test("A turn after another one of its conversation waits for it, and both run in order", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const first = await turnOf(await client.sendTurn({ space, text: "first" }))
  const second = await world.untilAnswered(send(client, { space, text: "second" }))
  expect(second.status).toBe(200)
  const turns = await world.sql<{ text: string }>(
    "select text from turns where user_id = $1 order by started_at, position",
    [client.userId],
  )
  expect(turns.map(({ text }) => text)).toEqual(["first", "second"])
  expect((await client.getTurn(first.turn_id)).state).toBe("done")
})

test("An older ready turn of the account goes first", async () => {
  const client = await world.createAccount()
  const [older] = await makeReady(world, client, ["customer-2"])
  const space = await client.space()
  const pending = send(client, { space })
  await world.clock.sleeping(1, IN_PLACE_POLICY.startPauseMs.least)
  const states = await world.sql<{ state: string }>("select state from open_turns where user_id = $1", [client.userId])
  expect(states.map(({ state }) => state)).toEqual(["queued", "queued"])
  expect((await world.untilAnswered(pending)).status).toBe(200)
  expect((await client.getTurn(older as string)).state).toBe("done")
})

test("Requests that run their turns at the same moment never exceed the slots of an account", async () => {
  world.rebind({ TURN_SLOTS: 2, END_USER_TURN_SLOTS: 2 })
  const client = await world.createAccount()
  const space = await client.space()
  const text = "[think 1000 ms]\n[reply ok]"
  const pending = Array.from({ length: 8 }, (_, n) => send(client, { space, text, end_user_ref: `customer-${n}` }))
  const answers = await world.untilAnswered(Promise.all(pending))
  const over = await world.sql(
    `select t.turn_id from turns t join turns o on o.user_id = t.user_id and o.started_at <= t.started_at and o.finished_at > t.started_at
     where t.user_id = $1 group by t.turn_id having count(*) > 2`,
    [client.userId],
  )
  expect(over).toEqual([])
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
})

test("Requests of one account at the same moment all run their turns, although each takes the lock of its slots", async () => {
  world.rebind({ TEST_TURN_SLOTS: 100, TURN_SLOTS: 100, END_USER_TURN_SLOTS: 100 })
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  await world.settled()
  const text = "[think 3000 ms]\n[reply ok]"
  const pending = Array.from({ length: 50 }, (_, n) => send(client, { space, text, end_user_ref: `customer-${n}` }))
  const answers = await world.untilAnswered(Promise.all(pending))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  const [turns] = await world.sql<{ here: number; tries: number }>(
    `select count(*) filter (where claim_message = turn_id)::int as here, max(epoch)::int as tries
     from turns where user_id = $1`,
    [client.userId],
  )
  expect(turns).toEqual({ here: 50, tries: 1 })
  expect(await messagesOfQueue()).toBe(0)
  await expectPromises(world, client.userId)
})

test.each(["before", "after"] as const)(
  "Turns that start together end once, although a statement that claims them fails %s its effect",
  async (when) => {
    const client = await world.createAccount({ usd: 100 })
    const space = await client.space()
    await world.settled()
    const slots = `hashtext('slots'), hashtext('${client.userId} false')`
    const letGo = await holdRows(world, `select from pg_advisory_xact_lock(${slots})`)
    await world.plan([{ service: "pg", match: "start_accepted", call: 1, times: 2, action: "fail", when }])
    const text = "[think 3000 ms]\n[reply ok]"
    const pending = Array.from({ length: 12 }, (_, n) => send(client, { space, text, end_user_ref: `customer-${n}` }))
    const accepted = "select from open_turns where user_id = $1"
    while ((await world.sql(accepted, [client.userId])).length < pending.length);
    await letGo()
    const answers = await world.untilAnswered(Promise.all(pending))
    const starts = (await world.calls()).filter(({ label }) => label.includes("start_accepted"))
    await world.clearFaults()
    expect(starts.length).toBeGreaterThan(2)
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    const turns = await expectPromises(world, client.userId)
    expect(turns.map(({ state }) => state)).toEqual(Array(12).fill("done"))
  },
)

test("A run whose client has left continues, then cuts the call, and a runner continues from its text", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const left = new AbortController()
  const request = new Request("https://api.test/v1/turns?wait=30", {
    method: "POST",
    headers: {
      authorization: `Bearer ${client.key}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify({ space, end_user_ref: "customer-1", text: "[think 25000 ms]\n[reply Late.]" }),
    signal: left.signal,
  })
  const pending = world.invoke(request)
  await world.clock.sleeping(1, 25_000)
  await world.clock.sleeping(1, 30_000)
  left.abort(new Error("gone"))
  const answer = await pending
  expect(answer.status).toBe(202)
  await world.advance(20_000)
  await world.settled()
  const { turn_id: turnId } = await turnOf(answer)
  await world.untilAnswered(client.call("GET", `/v1/turns/${turnId}?wait=30`))
  const ended = await world.untilAnswered(client.call("GET", `/v1/turns/${turnId}?wait=30`))
  expect(await turnOf(ended)).toMatchObject({ state: "done", result: "Late." })
  const [turn] = await expectPromises(world, client.userId)
  expect(turn?.state).toBe("done")
})

test("A turn whose request cannot reach the other worker is queued", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  world.rebind({ CALLBACKS_URL: "https://elsewhere.test" })
  world.serve("elsewhere.test", () => new Response("gone", { status: 502 }))
  const pending = send(client, { space }, "key", 1)
  await world.clock.sleeping(1)
  world.rebind({})
  expect((await world.untilAnswered(pending)).status).toBeLessThan(300)
  expect(await world.sql("select from turns where user_id = $1", [client.userId])).toHaveLength(1)
})

test("A turn whose acceptance had no answer is found again, and otherwise the error does not say that nothing was done", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await world.settled()
  const lost = { service: "pg", match: "start_turn", call: 1, times: 2, action: "fail", when: "after" } as const
  const busy = { service: "pg", match: "accept_turn", call: 1, action: "fail", when: "before" } as const
  await world.plan([lost, { ...busy, times: 3 }])
  const found = await passTime(world, send(client, { space, text: "[reply Found.]" }, "found"), 100)
  expect(found.status, await found.clone().text()).toBeLessThan(300)
  await world.plan([lost, { ...busy, times: 99 }])
  const unsure = await passTime(world, send(client, { space, text: "[reply Unsure.]" }, "unsure"), 100)
  const { error } = (await unsure.json()) as { error: { code: string; message: string } }
  expect([unsure.status, error.code]).toEqual([503, "UNAVAILABLE"])
  expect(error.message).toContain("too busy to say whether the turn was accepted")
  await world.clearFaults()
  const again = await world.untilAnswered(send(client, { space, text: "[reply Unsure.]" }, "unsure"))
  // The claim without an answer keeps the turn for its lease.
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
  expect(await world.sql("select from turns where user_id = $1", [client.userId])).toHaveLength(2)
})

test("The feed of an account has the events of a turn in place in their order", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  for (let nth = 0; nth < 12; nth++) await passTime(world, send(client, { space, text: "[think 50 ms]" }))
  const page = (await (await client.call("GET", "/v1/events?limit=100")).json()) as {
    data: { type: string; data: { turn?: { turn_id: string } } }[]
  }
  const byTurn = Map.groupBy(page.data.reverse(), ({ data }) => data.turn?.turn_id ?? "none")
  byTurn.delete("none")
  expect(byTurn.size).toBe(12)
  for (const events of byTurn.values()) {
    expect(events.map(({ type }) => type)).toEqual(["turn.queued", "turn.running", "turn.done"])
  }
})

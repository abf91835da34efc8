import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { REFUND_POLICY } from "../../src/billing/policies.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { expectBooks } from "../harness/promises.ts"
import { searchEverywhere } from "../harness/search.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const REASON = "The agent answered the wrong customer."

async function arrange() {
  const client = await world.createAccount({ usd: 1 })
  const browser = await world.signIn(client.userId)
  const turn = await client.runTurn({ space: await client.space() })
  const ask = (turnId: string, reason = REASON) =>
    browser.json("PUT", `/api/account/turns/${turnId}/refund-request`, { reason })
  return { client, browser, turn, ask }
}

const decide = (turnId: string, decision: "refund" | "decline", answer: string) =>
  admin.json("POST", `/api/admin/refund-requests/${turnId}/decision`, { decision, answer })

const noticesOf = (userId: number) =>
  world.sql<{ data: object }>(
    "select data from events where user_id = $1 and type = 'refund.decided' order by event_id",
    [userId],
  )

const balanceOf = async (userId: number) =>
  (
    await world.sql<{ balance: number }>(
      "select balance_credit_micros::float8 as balance from wallets where user_id = $1",
      [userId],
    )
  )[0]?.balance

describe("A request for a refund", () => {
  test("The owner asks, an operator refunds once, and the owner is told", async () => {
    const { client, browser, turn, ask } = await arrange()
    const request = { turn_id: turn.turn_id, state: "open", reason: REASON, answer: null, decided_at: null }
    expect(await ask(turn.turn_id)).toMatchObject([200, { ...request, amount_usd: turn.billed_cost_usd }])
    const [, open] = await admin.json("GET", `/api/admin/refund-requests?state=open&user_id=${client.userId}`)
    expect(open).toMatchObject({ total: 1, items: [{ ...request, account: { user_id: client.userId } }] })
    const decided = { state: "refunded", answer: "Sorry for that." }
    const answers = await Promise.all(Array.from({ length: 5 }, () => decide(turn.turn_id, "refund", decided.answer)))
    for (const answer of answers) expect(answer).toMatchObject([200, decided])
    expect(await balanceOf(client.userId)).toBe(10_000_000)
    const [, { items }] = await browser.json("GET", `/api/account/refund-requests?turn=${turn.turn_id}`)
    expect(items).toMatchObject([decided])
    expect(await noticesOf(client.userId)).toEqual([
      { data: { turn_id: turn.turn_id, decision: decided.state, answer: decided.answer } },
    ])
    const [, ledger] = await browser.json("GET", `/api/account/ledger?turn=${turn.turn_id}&reason=admin_action`)
    expect(ledger.items).toMatchObject([{ amount_usd: turn.billed_cost_usd, note: decided.answer }])
    const [, activity] = await browser.json("GET", `/api/account/activity?subject_id=${turn.turn_id}`)
    expect(activity.items).toMatchObject([
      { action: "turn.refund", by: "operator", after: null },
      { action: "turn.refund_request", by: "owner", after: {} },
    ])
    expect(await ask(turn.turn_id, "Once more.")).toMatchObject([200, { ...decided, reason: REASON }])
    await expectBooks(world, client.userId)
  })

  test("A declined request has its answer, books nothing and is final, until an operator refunds the turn", async () => {
    const { client, browser, turn, ask } = await arrange()
    const before = await balanceOf(client.userId)
    await ask(turn.turn_id)
    const declined = { state: "declined", answer: "Your tool returned it." }
    expect(await decide(turn.turn_id, "decline", declined.answer)).toMatchObject([200, declined])
    expect(await decide(turn.turn_id, "decline", "Again.")).toMatchObject([200, declined])
    expect(await decide(turn.turn_id, "refund", "Yes.")).toMatchObject([409, { code: "REFUND_DECIDED" }])
    expect(await balanceOf(client.userId)).toBe(before)
    expect(await noticesOf(client.userId)).toEqual([
      { data: { turn_id: turn.turn_id, decision: declined.state, answer: declined.answer } },
    ])
    const [, activity] = await browser.json("GET", "/api/account/activity?action=turn.refund_decline")
    expect(activity.items).toMatchObject([{ by: "operator", subject_id: turn.turn_id }])
    expect((await admin.json("POST", `/api/admin/turns/${turn.turn_id}/refund`, { note: "After all." }))[0]).toBe(200)
    const [, { items }] = await browser.json("GET", "/api/account/refund-requests")
    expect(items).toMatchObject([{ state: "refunded", answer: "After all." }])
  })

  test("A refund without a request needs none, and a decision of two admins at once has one outcome", async () => {
    const { client, turn, ask } = await arrange()
    await ask(turn.turn_id)
    const [refund, decline] = await Promise.all([
      decide(turn.turn_id, "refund", "Yes."),
      decide(turn.turn_id, "decline", "No."),
    ])
    const [, { items }] = await admin.json("GET", `/api/admin/refund-requests?user_id=${client.userId}`)
    const isRefunded = items[0].state === "refunded"
    expect([refund[0], decline[0]].sort()).toEqual([200, 409])
    expect(refund[0] === 200).toBe(isRefunded)
    expect((await balanceOf(client.userId)) === 10_000_000).toBe(isRefunded)
    const other = await client.runTurn({ space: await client.space() })
    await admin.json("POST", `/api/admin/turns/${other.turn_id}/refund`, { note: "Sorry." })
    expect(await ask(other.turn_id)).toMatchObject([409, { code: "TURN_REFUNDED" }])
    expect(await decide(other.turn_id, "refund", "Yes.")).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test("A request and a refund at the same time leave no open request for a refunded turn", async () => {
    for (let round = 0; round < 8; round++) {
      const { turn, ask, browser } = await arrange()
      await Promise.all([
        ask(turn.turn_id),
        admin.json("POST", `/api/admin/turns/${turn.turn_id}/refund`, { note: "Sorry." }),
      ])
      const [, { items }] = await browser.json("GET", "/api/account/refund-requests")
      expect(items.filter(({ state }: { state: string }) => state !== "refunded")).toEqual([])
    }
  })

  test("The erasure of an end user removes the reason and the note of a credit everywhere, and keeps the amounts", async () => {
    const { client, browser, ask } = await arrange()
    const [reason, note] = ["marker-of-reason", "marker-of-note"]
    const turn = await client.runTurn({ space: await client.space(), end_user_ref: "jane" })
    expect((await ask(turn.turn_id, `Jane Doe says: ${reason}`))[0]).toBe(200)
    const credit = { amount_usd: 1, note: `For Jane: ${note}` }
    const once = { "idempotency-key": crypto.randomUUID() }
    expect((await browser.json("POST", "/api/account/end-users/jane/credits", credit, once))[0]).toBe(201)
    expect(Object.keys(await searchEverywhere(world, { reason, note }))).toEqual(["note", "reason"])
    expect((await browser.json("DELETE", "/api/account/end-users/jane"))[0]).toBe(200)
    await world.settled()
    expect(await searchEverywhere(world, { reason, note })).toEqual({})
    const [, { items }] = await browser.json("GET", `/api/account/refund-requests?turn=${turn.turn_id}`)
    expect(items).toMatchObject([{ state: "open", reason: "", amount_usd: turn.billed_cost_usd }])
  })

  test("A turn of another account, an open turn and a free turn have no request", async () => {
    const { client, ask } = await arrange()
    const stranger = await arrange()
    expect(await ask(stranger.turn.turn_id)).toMatchObject([404, { code: "NOT_FOUND" }])
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    expect(await ask(turn_id)).toMatchObject([409, { code: "TURN_NOT_ENDED" }])
    await client.call("POST", `/v1/turns/${turn_id}/cancel`)
    expect(await ask(turn_id)).toMatchObject([409, { code: "TURN_NOT_BILLED" }])
    expect((await stranger.browser.json("GET", "/api/admin/refund-requests"))[0]).toBe(403)
  })

  test("An account has a bounded number of open requests, also at once", async () => {
    const { client, ask } = await arrange()
    const space = await client.space()
    const turns = await Promise.all([1, 2].map(() => client.sendTurn({ space }).then(turnOf)))
    await world.drain()
    await world.sql(
      "insert into refund_requests (turn_id, user_id, amount_credit_micros, reason, requested_at) select 'turn_' || n, $1, 1, 'x', now() from generate_series(1, $2::int) n",
      [client.userId, REFUND_POLICY.openRequests - 1],
    )
    const answers = await Promise.all(turns.map(({ turn_id }) => ask(turn_id)))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409])
  })
})

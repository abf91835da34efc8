import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CREDIT_REASONS } from "../../src/billing/buckets.ts"
import { creditAccount } from "../../src/billing/credit-account.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { type Admin, bookCommission, dumpMoney, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { isThorough } from "../harness/crash.ts"
import { isSharded } from "../harness/force-shards.ts"
import { holdWrites, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld({ failing: /^23514 book_entry$/ })
  await waitForLocks(world)
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const USD = 10_000_000
const ROUNDS = isThorough || isSharded ? 20 : 5
const payment = (userId: number, reference: string, micros = USD) =>
  creditAccount(contextOf(world), {
    userId,
    micros,
    reference,
    reason: "credit_purchase",
    actor: "payment:stripe",
    note: "Card 4242",
  })

describe("Credit", () => {
  test("Credit is booked for every reason, in its bucket and with a running total, as its owner sees it", async () => {
    const client = await world.createAccount({ usd: 0 })
    for (const [n, reason] of CREDIT_REASONS.entries()) {
      await creditAccount(contextOf(world), {
        userId: client.userId,
        reason,
        micros: (n + 1) * USD,
        reference: `all:${client.userId}:${reason}`,
        actor: n % 2 ? "system" : "admin:7",
        note: `Because of ${reason}`,
      })
    }
    await creditAccount(contextOf(world), {
      userId: client.userId,
      reason: "admin_action",
      micros: -USD,
      reference: `less:${client.userId}`,
      actor: "operator",
    })
    const browser = await world.signIn(client.userId)
    const [, { items }] = await browser.json("GET", "/api/account/ledger")
    const seen = items.map((entry: Record<string, unknown>) => [
      entry.reason,
      entry.bucket,
      entry.amount_usd,
      entry.balance_after_energy,
      entry.actor,
      entry.note,
    ])
    expect(seen.reverse()).toEqual([
      ["admin_grant", "free", 1, 10, "operator", "Because of admin_grant"],
      ["admin_action", "free", 2, 30, "system", "Because of admin_action"],
      ["operator_topup", "free", 3, 60, "operator", "Because of operator_topup"],
      ["signup_credit", "bonus", 4, 100, "system", "Because of signup_credit"],
      ["referral_signup_credit", "bonus", 5, 150, "operator", "Because of referral_signup_credit"],
      ["manual_topup", "paid", 6, 210, "system", "Because of manual_topup"],
      ["credit_purchase", "paid", 7, 280, "operator", "Because of credit_purchase"],
      ["admin_action", null, -1, 270, "operator", null],
    ])
    const of = async (bucket: string) => (await browser.json("GET", `/api/account/ledger?bucket=${bucket}`))[1].total
    expect([await of("free"), await of("bonus"), await of("paid"), await of("spent")]).toEqual([3, 2, 2, 0])
    expect((await browser.json("GET", "/api/account/ledger?bucket=excluded"))[0]).toBe(422)
    await expectBooks(world, client.userId)
  })

  test("Credit is booked once per reference, also by 30 concurrent requests, and another amount, account or reason is refused", async () => {
    const [client, stranger] = [await world.createAccount({ usd: 0 }), await world.createAccount({ usd: 0 })]
    const answers = await Promise.all(Array.from({ length: 30 }, () => payment(client.userId, "pay:1")))
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(answers.map(({ made }) => made.ledger_id)).size).toBe(1)
    const before = await dumpMoney(world)
    const reused = { code: "IDEMPOTENCY_KEY_REUSED" }
    await expect(payment(client.userId, "pay:1", 2 * USD)).rejects.toMatchObject(reused)
    await expect(payment(stranger.userId, "pay:1")).rejects.toMatchObject(reused)
    expect(await dumpMoney(world)).toEqual(before)
    // Two accounts request it concurrently, and one of them gets it.
    const rivals = await Promise.allSettled(
      [client, stranger, client, stranger].map(({ userId }) => payment(userId, "pay:2")),
    )
    expect(rivals.filter(({ status }) => status === "rejected")).toHaveLength(2)
    const rows = await world.sql("select user_id from ledger where reference = 'pay:2'")
    expect(rows).toHaveLength(1)
    for (const { userId } of [client, stranger]) await expectBooks(world, userId)
  })

  test("A payment under a reference that another account takes at the same moment returns that account's entry", async () => {
    const accounts = [await world.createAccount({ usd: 0 }), await world.createAccount({ usd: 0 })]
    const letGo = await holdWrites(world, "before insert on ledger")
    const booking = Promise.all(
      accounts.map(({ userId }) =>
        world.sql<{ entry: object; replayed: boolean }>(
          `select to_jsonb(entry) as entry, replayed from ${RELEASE}.book_entry($1, 'credit_purchase', $2, null, 'pay:3', null, null, 'payment:stripe',
             'Card 4242', $3)`,
          [userId, USD, world.clock.now().toISOString()],
        ),
      ),
    )
    await untilBlocked(world, 2)
    await letGo()
    const [one, other] = await booking
    expect([one?.[0]?.replayed, other?.[0]?.replayed].sort()).toEqual([false, true])
    expect(one?.[0]?.entry).toMatchObject({ reference: "pay:3" })
    expect(other?.[0]?.entry).toEqual(one?.[0]?.entry)
    expect(await world.sql("select from ledger where reference = 'pay:3'")).toHaveLength(1)
    for (const { userId } of accounts) await expectBooks(world, userId)
  })

  test("A correction takes at most the available amount and leaves held credit untouched", async () => {
    const client = await world.createAccount({ usd: 1 })
    await client.sendTurn({ space: await client.space() })
    const take = (usd: number, reference: string) =>
      creditAccount(contextOf(world), {
        userId: client.userId,
        reason: "admin_action",
        micros: -Math.round(usd * USD),
        reference,
        actor: "operator",
      })
    await expect(take(0.7500001, "take:1")).rejects.toMatchObject({ code: "BALANCE_TOO_LOW" })
    expect((await take(0.75, "take:1")).made.balance_after_credit_micros).toBe(0.25 * USD)
    await expect(take(0.0000001, "take:2")).rejects.toMatchObject({ code: "BALANCE_TOO_LOW" })
    await world.settled()
    await world.drain()
    await expectBooks(world, client.userId)
    const wrong = creditAccount(contextOf(world), {
      userId: client.userId,
      reason: "admin_grant",
      micros: -1,
      reference: "take:3",
      actor: "x",
    })
    await expect(wrong).rejects.toMatchObject({ code: "VALIDATION_FAILED" })
    await expect(payment(987_654, "pay:nobody")).rejects.toMatchObject({ code: "NOT_FOUND" })
  })

  test(`The running total stays exact while turns run and other bookings happen, in ${ROUNDS} rounds of 20 concurrent bookings`, async () => {
    const client = await world.createAccount({ usd: 5 })
    const space = await client.space()
    for (let round = 0; round < ROUNDS; round++) {
      const book = Array.from({ length: 10 }, (_, n) => payment(client.userId, `round:${round}:${n % 5}`, 1 + n))
      const send = Array.from({ length: 10 }, (_, n) => client.sendTurn({ space, end_user_ref: `c${n}` }))
      await Promise.allSettled([...book, ...send, world.drain()])
      await world.drain()
      await expectBooks(world, client.userId)
    }
    expect((await reconcileAsAdmin(admin)).findings).toEqual([])
  })
})

test("A commission is a currency amount and not credit, booked once per referrer and source", async () => {
  const client = await world.createAccount({ usd: 3 })
  const commission = (source: string, minor: number, currency = "EUR") =>
    bookCommission(contextOf(world), { userId: client.userId, currency, minor, source })
  const answers = await Promise.all(Array.from({ length: 10 }, () => commission("payment-1", 125)))
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
  for (const [minor, currency] of [
    [0, "EUR"],
    [1, "eur"],
  ] as const) {
    await expect(commission("payment-2", minor, currency)).rejects.toThrow("ledger_currency")
  }
  const browser = await world.signIn(client.userId)
  const [, { items }] = await browser.json("GET", "/api/account/ledger")
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({
    reason: "referral_credit_commission",
    bucket: null,
    amount_credit_micros: null,
    amount_usd: null,
    actor: "system",
    currency: "EUR",
    currency_amount_minor: 125,
    balance_after_usd: 3,
    note: "Referral",
  })
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})

describe("A refund", () => {
  test("A refund returns the whole bill once and leaves the bill, usage and caps unchanged", async () => {
    const client = await world.createAccount({ usd: 1 })
    const turn = await client.runTurn({ space: await client.space() })
    const counters = () =>
      world.sql("select * from spend_counters where user_id = $1 order by 2, 3, 4", [client.userId])
    const before = await counters()
    const asked = Array.from({ length: 10 }, () =>
      refundTurn(contextOf(world), { turnId: turn.turn_id, actor: "operator", note: "Sorry." }),
    )
    const answers = await Promise.all(asked)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(answers[0]?.made).toMatchObject({
      amount_credit_micros: Math.round(turn.billed_cost_usd * 1e7),
      reason: "admin_action",
    })
    expect(await counters()).toEqual(before)
    const { billed_cost_usd, refunded_usd } = await client.getTurn(turn.turn_id)
    expect([billed_cost_usd, refunded_usd]).toEqual([turn.billed_cost_usd, turn.billed_cost_usd])
    expect(await (await client.call("GET", "/v1/balance")).json()).toMatchObject({ balance_usd: 1 })
    const browser = await world.signIn(client.userId)
    const [, { items }] = await browser.json("GET", `/api/account/ledger?turn=${turn.turn_id}`)
    expect(items).toMatchObject([
      {
        reason: "admin_action",
        bucket: "refunded",
        amount_usd: turn.billed_cost_usd,
        turn_id: turn.turn_id,
        actor: "operator",
        note: "Sorry.",
      },
      { reason: "usage", bucket: "spent", amount_usd: -turn.billed_cost_usd, actor: "turn", note: null },
    ])
    await expectBooks(world, client.userId)
  })

  test("A refund is refused for a turn that is unknown, open or without a bill", async () => {
    const client = await world.createAccount({ usd: 1 })
    const space = await client.space()
    const refund = (turnId: string) => refundTurn(contextOf(world), { turnId, actor: "operator", note: "x" })
    await expect(refund("turn_none")).rejects.toMatchObject({ code: "NOT_FOUND" })
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    await expect(refund(turn_id)).rejects.toMatchObject({ code: "TURN_NOT_ENDED" })
    await client.call("POST", `/v1/turns/${turn_id}/cancel`)
    await expect(refund(turn_id)).rejects.toMatchObject({ code: "TURN_NOT_BILLED" })
    const free = await client.runTurn({ space, text: "[fail INTERNAL]" })
    expect(free).toMatchObject({ state: "failed", error: { code: "INTERNAL" }, billed_cost_usd: 0 })
    await expect(refund(free.turn_id)).rejects.toMatchObject({ code: "TURN_NOT_BILLED" })
  })

  test("A charged turn that fails because of us is refunded automatically and once", async () => {
    const client = await world.createAccount({ usd: 1 })
    const space = await client.space()
    for (const code of ["INTERNAL", "ENGINE_LOST", "MODEL_UNAVAILABLE"]) {
      const { turn_id, billed_cost_usd } = await client.runTurn({
        space,
        text: "[use input=10 output=10]\n[write a.txt x]\n[fail OUT_OF_STOCK]",
      })
      expect(billed_cost_usd).toBeGreaterThan(0)
      await world.sql("update turns set error_code = $2, failed_by_us = true where turn_id = $1", [turn_id, code])
      await world.advance(3_600_001)
      await Promise.all([world.sweep(), world.sweep()])
      await world.sweep()
      const refunds = await world.sql(
        "select actor, note, amount_credit_micros::float8 as micros from ledger where turn_id = $1 and reason = 'admin_action'",
        [turn_id],
      )
      expect(refunds).toEqual([
        {
          actor: "system",
          note: `Refunded automatically: the turn failed with ${code}, which is our failure.`,
          micros: Math.round(billed_cost_usd * 1e7),
        },
      ])
    }
    await expectBooks(world, client.userId)
    expect((await reconcileAsAdmin(admin)).findings).toEqual([])
  })
})

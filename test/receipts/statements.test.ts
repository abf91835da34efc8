import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import {
  canonical,
  decimal,
  digestOfAll,
  isSigned,
  micros,
  NO_DIGEST,
} from "../../examples/verify-receipts/documents.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import type { MonthStatement, MonthSums } from "../../src/receipts/get-statement.ts"
import { RECEIPT_POLICY } from "../../src/receipts/policies.ts"
import type { Receipt, RefundDocument } from "../../src/receipts/receipt-document.ts"
import type { SignedDocument } from "../../src/receipts/sign-document.ts"
import { contextOf } from "../harness/context.ts"
import { ownerWithAll } from "../harness/estate.ts"
import { readSigningKeys } from "../harness/receipts.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000

/** The receipts of a page, so that a month needs few turns to have many pages. */
const setPage = (receipts: number) => Object.assign(RECEIPT_POLICY, { page: receipts })

type Document = SignedDocument<Receipt | RefundDocument>

const monthNow = () => new Date(world.clock.ms()).toISOString().slice(0, 7)

/** Moves the clock to the start of the next month (UTC) and some time after it. */
async function intoNextMonth(ms: number): Promise<void> {
  const now = new Date(world.clock.ms())
  await world.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime() + ms)
}

async function documentsOf(client: TestClient, month: string, limit = 100): Promise<Document[]> {
  const all: Document[] = []
  for (let cursor = ""; ; ) {
    const response = await client.call("GET", `/v1/usage/statements/${month}/documents?limit=${limit}${cursor}`)
    expect(response.status, await response.clone().text()).toBe(200)
    const { data, next_cursor } = (await response.json()) as { data: Document[]; next_cursor: string | null }
    expect(data.length).toBeLessThanOrEqual(limit)
    all.push(...data)
    if (next_cursor === null) return all
    cursor = `&cursor=${next_cursor}`
  }
}

async function statementOf(client: TestClient, month: string): Promise<MonthStatement> {
  const response = await client.call("GET", `/v1/usage/statements/${month}`)
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}

/** Computes a statement from its documents alone, and compares it with the ledger. */
async function expectProven(client: TestClient, month: string): Promise<MonthSums> {
  await readSigningKeys(world)
  const { state, statement } = await statementOf(client, month)
  expect(state).toBe("final")
  const { document } = statement as SignedDocument<MonthSums>
  expect(isSigned(statement as SignedDocument<MonthSums>)).toBe(true)
  const days = new Map<string, { receipts: number; charged: bigint; digest: string }>()
  const refunds = { count: 0, amount: 0n, digest: NO_DIGEST }
  for (const signed of await documentsOf(client, month)) {
    expect(isSigned(signed)).toBe(true)
    const { digest, document: one } = signed
    if (one.document === "refund") {
      refunds.count++
      refunds.amount += micros(one.refunded_usd)
      refunds.digest = digestOfAll([refunds.digest, digest])
      continue
    }
    const name = one.ended_at.slice(0, 10)
    const day = days.get(name) ?? { receipts: 0, charged: 0n, digest: NO_DIGEST }
    const charged = day.charged + micros(one.total_usd)
    days.set(name, { receipts: day.receipts + 1, charged, digest: digestOfAll([day.digest, digest]) })
  }
  const rows = [...days].map(([day, { receipts, charged, digest }]) => ({
    day,
    receipts,
    amount_usd: decimal(charged),
    digest,
  }))
  expect(canonical(document.days)).toBe(canonical(rows))
  expect(document.receipts.digest).toBe(digestOfAll(rows.map(({ digest }) => digest)))
  expect(document.refunds).toEqual({ ...refunds, amount: undefined, amount_usd: decimal(refunds.amount) })
  const [booked] = await world.sql<{ charged: number; refunded: number }>(
    `select coalesce(-sum(amount_credit_micros) filter (where reason in ('usage', 'space_usage')), 0)::float8 as charged,
       coalesce(sum(amount_credit_micros) filter (where reason = 'admin_action' and turn_id is not null), 0)::float8 as refunded
     from ledger where user_id = $1 and created_at >= $2 and created_at < $3`,
    [client.userId, document.from, document.to],
  )
  expect(micros(document.receipts.amount_usd) + micros(document.other_charges.amount_usd)).toBe(
    BigInt(booked?.charged ?? -1),
  )
  expect(micros(document.refunds.amount_usd)).toBe(BigInt(booked?.refunded ?? -1))
  expect(micros(document.total_usd)).toBe(BigInt((booked?.charged ?? 0) - (booked?.refunded ?? 0)))
  return document
}

describe("A monthly statement", () => {
  test("It equals its receipts and the ledger, and a refund counts in the month in which it was booked", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await intoNextMonth(DAY)
    const first = monthNow()
    const turns = []
    for (const text of [
      "[use input=101 output=7]",
      "[use input=11 output=3]\n[fail OUT_OF_STOCK]",
      "[use input=0 output=0]",
    ]) {
      turns.push(await client.runTurn({ space, text }))
      await world.advance(DAY)
    }
    await intoNextMonth(-1)
    const last = await client.runTurn({ space })
    expect(last.finished_at?.slice(0, 7)).toBe(first)
    await intoNextMonth(RECEIPT_POLICY.settlesMs)
    const second = monthNow()
    await client.runTurn({ space })
    const refunded = turns[0] as { turn_id: string }
    await refundTurn(contextOf(world), { turnId: refunded.turn_id, actor: "operator", note: "late" })

    const statement = await expectProven(client, first)
    expect([statement.receipts.count, statement.refunds.count, statement.days.length]).toEqual([4, 0, 4])
    await intoNextMonth(RECEIPT_POLICY.settlesMs)
    expect(await expectProven(client, second)).toMatchObject({ receipts: { count: 1 }, refunds: { count: 1 } })
    expect((await statementOf(client, first)).statement?.document).toEqual(statement)
  })

  test("The usage of a month by model, end user and day is its receipts, less the turns of the web chat", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    await intoNextMonth(DAY)
    const month = monthNow()
    for (const end_user_ref of ["customer-1", "customer-2"]) await client.runTurn({ space, end_user_ref })
    const owner = await world.signIn(client.userId)
    const [, chat] = await owner.json("POST", "/api/account/chat/turns", { space, text: "Hello" })
    await world.drain()
    const [, { billed_cost_usd }] = await owner.json("GET", `/api/account/chat/turns/${chat.turn_id}`)
    await intoNextMonth(RECEIPT_POLICY.settlesMs)
    const { from, to, receipts } = await expectProven(client, month)
    expect(receipts.count).toBe(3)
    for (const by of ["model", "end_user_ref", "day"]) {
      const answer = await client.call("GET", `/v1/usage?group_by=${by}&from=${from}&to=${to}`)
      const { data } = (await answer.json()) as { data: { billed_usd: number }[] }
      const billed = data.reduce((sum, group) => sum + group.billed_usd, 0)
      expect(billed + billed_cost_usd, by).toBeCloseTo(Number(receipts.amount_usd), 7)
    }
  })

  test("A month that is not over has documents and no statement, and a month before the account is 404", async () => {
    const client = await ownerWithAll(world, 10)
    await client.runTurn({ space: await client.space() })
    const month = monthNow()
    expect(await documentsOf(client, month)).toHaveLength(1)
    const open = { month, state: "open", receipts_read: 0, statement: null }
    expect(await statementOf(client, month)).toEqual(open)
    await intoNextMonth(RECEIPT_POLICY.settlesMs - 1)
    expect(await statementOf(client, month)).toEqual(open)
    await world.advance(1)
    expect((await statementOf(client, month)).state).toBe("final")
    const listed = (await (await client.call("GET", "/v1/usage/statements")).json()) as { data: { month: string }[] }
    expect(listed.data.slice(0, 2)).toMatchObject([
      { month: monthNow(), state: "open" },
      { month, state: "final", receipts: 1 },
    ])
    const first = new Date(`${listed.data.at(-1)?.month}-01`)
    const before = new Date(first.getTime() - 1).toISOString().slice(0, 7)
    for (const early of [before, "2020-01"]) {
      const answer = await client.call("GET", `/v1/usage/statements/${early}`)
      expect(answer.status, "a month before the account's usage").toBe(404)
      expect(await answer.json()).toMatchObject({
        error: { message: `The usage of the account began after ${early}.` },
      })
    }
    expect((await client.call("GET", "/v1/usage/statements/2020-13")).status).toBe(422)
    expect((await client.call("GET", "/v1/usage/statements/2099-01")).status, "a month that has not begun").toBe(404)
  })

  test("A large month is read page by page, also if runs overlap or a page fails", async () => {
    const whole = RECEIPT_POLICY.page
    onTestFinished(() => void setPage(whole))
    setPage(20)
    const client = await ownerWithAll(world, 100)
    const space = await client.space()
    await intoNextMonth(DAY)
    const { turn_id } = await client.runTurn({ space })
    // Copies of one turn, so that the month has more receipts than a request reads.
    const count = RECEIPT_POLICY.page * RECEIPT_POLICY.requestPages + 15
    await world.sql(
      `insert into turns select (jsonb_populate_record(t, jsonb_build_object('turn_id', 'turn_copy' || lpad(n::text, 6, '0'), 'position', 1000 + n,
         'idempotency_key', 'copy' || n, 'finished_at', t.finished_at + n / 3 * interval '1 minute', 'billed_credit_micros', 0,
         'cost_credit_micros', 0))).* from turns t, generate_series(1, ${count}) n where t.turn_id = $1`,
      [turn_id],
    )
    await world.sql(
      `insert into ended_turns select (jsonb_populate_record(e, jsonb_build_object('turn_id', 'turn_copy' || lpad(n::text, 6, '0'),
         'finished_at', e.finished_at + n / 3 * interval '1 minute', 'billed_credit_micros', 0))).*
       from ended_turns e, generate_series(1, ${count}) n where e.turn_id = $1`,
      [turn_id],
    )
    const month = monthNow()
    await intoNextMonth(RECEIPT_POLICY.settlesMs)
    const begun = await statementOf(client, month)
    expect(begun).toMatchObject({
      state: "building",
      statement: null,
      receipts_read: RECEIPT_POLICY.page * RECEIPT_POLICY.requestPages,
    })
    await Promise.all([world.sweep(), world.sweep(), client.call("GET", `/v1/usage/statements/${month}`)])
    await world.sweep()
    expect((await expectProven(client, month)).receipts.count).toBe(count + 1)
  })

  test("Only a live key to all spaces reads statements, and only its own account's", async () => {
    const client = await ownerWithAll(world, 10)
    await client.runTurn({ space: await client.space() })
    const month = monthNow()
    const narrow = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "created" })).value)
    const testing = world.createClient(
      client.userId,
      (await world.makeKey(client.userId, { scope: "all", test: true })).value,
    )
    for (const path of ["", `/${month}`, `/${month}/documents`]) {
      for (const other of [narrow, testing]) {
        expect((await other.call("GET", `/v1/usage/statements${path}`)).status).toBe(403)
      }
    }
    expect(await documentsOf(await ownerWithAll(world, 10), month)).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Admin, dumpMoney, signInAdmin } from "../harness/books.ts"
import { expectBooks } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let client: TestClient
let turnId: string
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount()
  turnId = (await client.runTurn({ space: await client.space() })).turn_id
})
afterAll(() => world.close())

const CREDIT = { reason: "admin_grant", amount_usd: 2.5, note: "Welcome." }
const keyed = () => ({ "idempotency-key": crypto.randomUUID() })

test("A role that is granted or revoked takes effect at the next request", async () => {
  const other = await signInAdmin(world)
  const look = async () => (await other.json("GET", "/api/admin/system"))[0]
  expect(await look()).toBe(200)
  await world.sql("update users set role = 'user' where user_id = $1", [other.userId])
  expect(await look()).toBe(403)
  await world.sql("update users set role = 'admin' where user_id = $1", [other.userId])
  expect(await look()).toBe(200)
  await world.sql("update users set disabled_at = now() where user_id = $1", [other.userId])
  expect(await look()).toBe(401)
})

describe("A credit by an admin", () => {
  const credit = (body: object, headers: Record<string, string> = keyed(), userId: number | string = client.userId) =>
    admin.json("POST", `/api/admin/users/${userId}/credits`, body, headers)

  test("A credit is booked once per Idempotency-Key, with the admin and the reason", async () => {
    const headers = keyed()
    const answers = await Promise.all(Array.from({ length: 8 }, () => credit(CREDIT, headers)))
    expect(answers.map(([status]) => status)).toEqual(Array(8).fill(201))
    expect(new Set(answers.map(([, { ledger_id }]) => ledger_id)).size).toBe(1)
    expect(answers[0]?.[1]).toMatchObject({
      user_id: client.userId,
      actor: `admin:${admin.userId}`,
      bucket: "free",
      amount_usd: 2.5,
      amount_energy: 25,
      note: "Welcome.",
    })
    const again = await admin.call("POST", `/api/admin/users/${client.userId}/credits`, CREDIT, headers)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    for (const change of [{ amount_usd: 2.4 }, { reason: "operator_topup" }, { note: "Other." }]) {
      const [status, { detail }] = await credit({ ...CREDIT, ...change }, headers)
      expect([status, detail[0].type]).toEqual([422, "idempotency_key_reused"])
    }
    const other = await signInAdmin(world)
    const [status, entry] = await other.json("POST", `/api/admin/users/${client.userId}/credits`, CREDIT, headers)
    expect([status, entry.ledger_id !== answers[0]?.[1].ledger_id], "another admin's keys are separate").toEqual([
      201,
      true,
    ])
    const owner = await world.signIn(client.userId)
    expect((await owner.json("GET", "/api/account/ledger?limit=1"))[1].items[0]).toMatchObject({
      actor: "operator",
      note: "Welcome.",
    })
    await expectBooks(world, client.userId)
  })

  test("A wrong credit is refused, and no entry is booked", async () => {
    const before = await dumpMoney(world)
    const faults: [object, string][] = [
      [{ ...CREDIT, amount_usd: 0 }, "amount_usd"],
      [{ ...CREDIT, amount_usd: -1 }, "amount_usd"],
      [{ ...CREDIT, amount_usd: 0.00000001 }, "amount_usd"],
      [{ ...CREDIT, amount_usd: 1_000_000.1 }, "amount_usd"],
      [{ ...CREDIT, amount_usd: "1e0" }, "amount_usd"],
      [{ ...CREDIT, reason: "usage" }, "reason"],
      [{ ...CREDIT, reason: "referral_credit_commission" }, "reason"],
      [{ ...CREDIT, note: " " }, "note"],
      [{ ...CREDIT, note: "x".repeat(501) }, "note"],
      [{ ...CREDIT, more: 1 }, "more"],
    ]
    for (const [body, field] of faults) {
      const [status, { detail }] = await credit(body)
      expect([status, detail[0].loc], JSON.stringify(body)).toEqual([422, ["body", field]])
    }
    expect(await credit(CREDIT, {})).toMatchObject([400, { code: "IDEMPOTENCY_KEY_REQUIRED" }])
    expect(await credit(CREDIT, keyed(), 999_999)).toMatchObject([404, { code: "NOT_FOUND" }])
    expect((await credit(CREDIT, keyed(), "me"))[0]).toBe(422)
    const less = { reason: "admin_action", amount_usd: -999_999, note: "Too much." }
    expect(await credit(less)).toMatchObject([409, { code: "BALANCE_TOO_LOW" }])
    expect(await dumpMoney(world)).toEqual(before)
    const { userId } = await world.createAccount({ usd: 0 })
    const least = await credit({ ...less, amount_usd: -0.0000001 }, keyed(), userId)
    expect(least).toMatchObject([409, { detail: expect.stringMatching(/^0\.0000001 USD /) }])
    expect((await credit({ ...less, amount_usd: -0.5 }))[1]).toMatchObject({ amount_usd: -0.5, bucket: null })
    await expectBooks(world, client.userId)
  })
})

test("A second refund returns the first refund, and a turn without a bill is refused", async () => {
  const refund = (id: string) => admin.call("POST", `/api/admin/turns/${id}/refund`, { note: "Again." })
  const [first, second] = [await refund(turnId), await refund(turnId)]
  expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"])
  expect(await first.json()).toEqual(await second.json())
  expect((await refund("turn_none")).status).toBe(404)
  const { turn_id } = (await (await client.sendTurn({ space: await client.space() })).json()) as { turn_id: string }
  expect(await (await refund(turn_id)).json()).toMatchObject({ code: "TURN_NOT_ENDED" })
  await client.call("POST", `/v1/turns/${turn_id}/cancel`)
  expect([(await refund(turn_id)).status, (await (await refund(turn_id)).json()) as object]).toMatchObject([
    409,
    { code: "TURN_NOT_BILLED" },
  ])
})

test("The status shows pending and overdue work, the last sweeps and the state of the books", async () => {
  const owner = await world.createAccount()
  const space = await owner.space()
  await world.drain()
  await world.sweep()
  for (let n = 0; n < 3; n++) await owner.sendTurn({ space, end_user_ref: `c${n}` })
  await world.settled()
  const status = async () => (await admin.json("GET", "/api/admin/system"))[1]
  expect(await status()).toMatchObject({
    database: { ok: true, round_trip_ms: expect.any(Number) },
    turns: { queued: 3, running: 0, blocked: 0, overdue: 0 },
    webhooks: { pending: 0, overdue: 0 },
    postings: { queued: 0, oldest_seconds: null },
    reconciliation_running: null,
    reconciliation: { findings_total: 0, findings: [] },
  })
  await world.qstash.reset()
  await world.advance(60_000 + 120_000)
  expect((await status()).turns).toMatchObject({ queued: 3, running: 0, blocked: 0, overdue: 3 })
  const at = world.clock.now().toISOString()
  await world.plan([{ service: "pg", match: "forget_idempotency_keys", call: 1, action: "fail", when: "before" }])
  await world.sweep()
  await world.clearFaults()
  const { sweeps } = await status()
  const names = sweeps.map(({ name }: { name: string }) => name)
  expect(names).toEqual([...names].sort())
  expect(names).toEqual(expect.arrayContaining(["turns", "webhooks", "books", "idempotency_keys"]))
  for (const { name, ran_at, ok, succeeded_at } of sweeps) {
    const failed = name === "idempotency_keys"
    expect([ran_at, ok, succeeded_at === at], name).toEqual([at, !failed, !failed])
  }
})

import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, reconcileAsAdmin, signInAdmin, tamper } from "../harness/books.ts"
import {
  askForBills,
  availableOf,
  chargesOf,
  createInfraWorld,
  DAY,
  dropFile,
  dueOf,
  expectInfraBooks,
  GIB,
  HOUR,
  storeFile,
  useContainer,
} from "../harness/infra.ts"
import { createRandom } from "../harness/random.ts"
import type { World } from "../harness/world.ts"

let world: World
let admin: Admin
let account: (usd?: number) => Promise<number>
beforeAll(async () => {
  ;({ world, admin, account } = await createInfraWorld())
})
afterAll(() => world.close())

test("Two admins who bill concurrently bill each account once for all its use, in 20 rounds", async () => {
  const second = await signInAdmin(world)
  const users = await Promise.all([account(1), account(1), account(0.000005)])
  let used = 0
  for (let round = 0; round < 20; round++) {
    for (const userId of users) await useContainer(world, userId, 10)
    used += 1
    await world.advance(1)
    const answers = await Promise.all([askForBills(admin), askForBills(second)])
    expect(answers.map(([status]) => status)).toEqual([200, 200])
    const billed = answers.flatMap(([, { bills }]) => bills.map((one: { user_id: number }) => one.user_id))
    expect(billed.sort(), `round ${round}`).toEqual([...users].sort())
  }
  for (const userId of users.slice(0, 2)) {
    const rows = await chargesOf(world, userId)
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(used)
    expect(new Set(rows.map(({ reference }) => reference)).size).toBe(rows.length)
  }
  await expectInfraBooks(world, admin, users)
})

test("A lost answer or statement bills no account twice, and the next request continues", async () => {
  for (const when of ["before", "after"] as const) {
    for (const name of ["begin_infra_run", "bill_infra_slice"]) {
      const userId = await account(1)
      await useContainer(world, userId, 1000)
      await world.plan([{ service: "pg", match: name, when, call: 1, action: "cut" }])
      const [status] = await askForBills(admin)
      await world.clearFaults()
      expect(status, `${name} ${when}`).toBe(503)
      expect((await askForBills(admin))[0]).toBe(200)
      expect(await chargesOf(world, userId)).toMatchObject([{ amount: 100 }])
    }
  }
})

test("After a month of accounts that run out of credit, ledger, dues and reconciliation agree, and a second run finds nothing", async () => {
  const random = createRandom("a month of containers and storage")
  const users = await Promise.all(
    Array.from({ length: 12 }, (_, n) => account(n % 3 === 0 ? 0.002 : n % 3 === 1 ? 0.02 : 5)),
  )
  const stored = new Map<string, { userId: number; bytes: number }>()
  /** The exact use of each account since its last bill, in credit micros. */
  const open = new Map(users.map((userId) => [userId, 0]))
  const model = new Map(users.map((userId) => [userId, { due: 0, paid: 0 }]))
  const use = (userId: number, micros: number) => open.set(userId, (open.get(userId) ?? 0) + micros)
  for (let day = 0; day < 30; day++) {
    for (const userId of users) {
      if (random.int(3) === 0) {
        const bytes = 1 + random.int(GIB / 4)
        stored.set(await storeFile(world, userId, bytes), { userId, bytes })
      }
      if (random.int(2) === 0) {
        const ms = random.int(100_000)
        await useContainer(world, userId, ms)
        use(userId, ms / 10)
      }
      if (random.int(10) === 0) {
        const credit = { reason: "admin_grant", amount_usd: 0.005, note: "More." }
        await admin.json("POST", `/api/admin/users/${userId}/credits`, credit, {
          "idempotency-key": crypto.randomUUID(),
        })
      }
    }
    for (const file of [...stored.keys()]) {
      if (random.int(6) > 0) continue
      await dropFile(world, file)
      stored.delete(file)
    }
    const ms = HOUR + random.int(DAY)
    await world.advance(ms)
    for (const { userId, bytes } of stored.values()) use(userId, (bytes / GIB) * (ms / HOUR) * 5000)
    if (random.int(4) > 0) continue
    const before = new Map(
      await Promise.all(users.map(async (userId) => [userId, await availableOf(world, userId)] as const)),
    )
    const [, dry] = await askForBills(admin, "?dry_run=true")
    const [, answer] = await askForBills(admin)
    expect(answer.bills).toEqual(dry.bills)
    for (const userId of users) {
      const known = model.get(userId) as { due: number; paid: number }
      const exact = open.get(userId) ?? 0
      const bill = answer.bills.find((one: { user_id: number }) => one.user_id === userId)
      if (exact < 1 && known.due === 0) expect(bill).toBeUndefined()
      else {
        const cost = bill ? Math.round(bill.cost_usd * 1e7) : 0
        expect(Math.abs(cost - exact), `account ${userId} on day ${day}`).toBeLessThanOrEqual(0.51)
        const paid = Math.min(cost + known.due, before.get(userId) ?? 0)
        expect(bill ? Math.round(bill.billed_usd * 1e7) : 0).toBe(paid)
        model.set(userId, { due: known.due + cost - paid, paid: known.paid + paid })
        open.set(userId, 0)
      }
      expect(await dueOf(world, userId)).toBe(model.get(userId)?.due)
      expect((await chargesOf(world, userId)).reduce((sum, { amount }) => sum + amount, 0)).toBe(
        model.get(userId)?.paid,
      )
    }
    const [, again] = await askForBills(admin)
    expect(again).toMatchObject({ finished: true, accounts: 0, billed_usd: 0, bills: [] })
  }
  expect(users.filter((userId) => (model.get(userId)?.due ?? 0) > 0).length, "some accounts run out").toBeGreaterThan(2)
  expect(users.filter((userId) => model.get(userId)?.due === 0).length, "some accounts do not").toBeGreaterThan(2)
  await expectInfraBooks(world, admin, users)
})

test("The reconciliation finds a charge whose bill is lost or changed, and a due that does not match its bills", async () => {
  const userId = await account(1)
  await useContainer(world, userId, 1000)
  await askForBills(admin)
  const books = tamper(world)
  const found = async (spoil: string, mend: string) => {
    await books.unguarded(spoil)
    const report = await reconcileAsAdmin(admin)
    await books.unguarded(mend)
    return report.findings.map(({ kind, user_id, expected_usd, found_usd }) => [kind, user_id, expected_usd, found_usd])
  }
  const mine = `user_id = ${userId}`
  expect(
    await found(
      `update infra_bills set billed_credit_micros = 70 where ${mine}`,
      `update infra_bills set billed_credit_micros = 100 where ${mine}`,
    ),
  ).toEqual([
    ["infra_due", userId, 0.000003, 0],
    ["infra_bill", userId, 0.000007, 0.00001],
  ])
  expect(
    await found(
      `create table kept as select * from infra_bills where ${mine}; delete from infra_bills where ${mine}`,
      "insert into infra_bills overriding system value select * from kept; drop table kept",
    ),
  ).toEqual([["charge_without_turn", userId, 0, 0.00001]])
  const due = (micros: number) => `update infra_accounts set due_credit_micros = ${micros} where ${mine}`
  expect(await found(due(9), due(0))).toEqual([["infra_due", userId, 0, 0.0000009]])
  expect((await reconcileAsAdmin(admin)).findings_total).toBe(0)
})

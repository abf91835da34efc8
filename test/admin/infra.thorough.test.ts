import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { INFRA_POLICY } from "../../src/billing/policies.ts"
import type { Admin } from "../harness/books.ts"
import {
  askForBills,
  availableOf,
  chargesOf,
  createInfraWorld,
  dropFile,
  dueOf,
  expectInfraBooks,
  GIB,
  HOUR,
  setPrices,
  storeFile,
  useContainer,
} from "../harness/infra.ts"
import type { World } from "../harness/world.ts"

let world: World
let admin: Admin
let account: (usd?: number) => Promise<number>
beforeAll(async () => {
  ;({ world, admin, account } = await createInfraWorld())
})
afterAll(() => world.close())
// Bills the usage of the previous test, so that each test starts with no amount due.
beforeEach(async () => void (await askForBills(admin)))

const nothing = { finished: true, accounts: 0, cost_usd: 0, billed_usd: 0, due_usd: 0, bills: [] }

test("A billing run without usage reports no bills and is audited", async () => {
  const [status, answer] = await askForBills(admin)
  expect([status, answer]).toEqual([200, { dry_run: false, until: world.clock.now().toISOString(), ...nothing }])
})

test.each(["?dry_run=perhaps", "?dry_run=", "?dryrun=true"])("A billing run refuses %s", async (query) => {
  expect((await askForBills(admin, query))[0]).toBe(422)
})

describe("Billing of an account's infrastructure", () => {
  test("Container seconds and GiB-hours of files are billed once, by one ledger row", async () => {
    const userId = await account()
    const from = await availableOf(world, userId)
    const kept = await storeFile(world, userId, 2 * GIB)
    const gone = await storeFile(world, userId, GIB)
    await useContainer(world, userId, 1500)
    await useContainer(world, userId, 500)
    await world.advance(3 * HOUR)
    await dropFile(world, gone)
    await world.advance(7 * HOUR)
    // 2 GiB × 10 h + 1 GiB × 3 h at 5,000, and 2 s at 100.
    const bill = {
      user_id: userId,
      starts_at: null,
      ends_at: world.clock.now().toISOString(),
      container_seconds: 2,
      stored_gib_hours: 23,
      cost_usd: 0.01152,
      due_before_usd: 0,
      billed_usd: 0.01152,
      due_usd: 0,
    }
    const sums = { finished: true, accounts: 1, cost_usd: 0.01152, billed_usd: 0.01152, due_usd: 0, bills: [bill] }
    const until = world.clock.now().toISOString()
    expect(await askForBills(admin, "?dry_run=true")).toEqual([200, { dry_run: true, until, ...sums }])
    expect(await chargesOf(world, userId), "a dry run writes no rows").toEqual([])
    expect(await askForBills(admin, "?dry_run=false")).toEqual([200, { dry_run: false, until, ...sums }])
    expect(await availableOf(world, userId)).toBe(from - 115_200)
    expect(await chargesOf(world, userId)).toEqual([
      {
        amount: 115_200,
        reference: expect.stringMatching(`^infra:${userId}:\\d+$`),
        actor: "system",
        turn_id: null,
        note: `Containers and storage until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC`,
      },
    ])
    expect(await askForBills(admin)).toEqual([200, { dry_run: false, until, ...nothing }])
    const owner = await world.signIn(userId)
    const [, { items }] = await owner.json("GET", "/api/account/ledger?reason=space_usage")
    expect(items).toMatchObject([{ amount_usd: -0.01152, bucket: "spent", turn_id: null, actor: "system" }])
    await world.advance(HOUR)
    const [, second] = await askForBills(admin)
    expect(second.bills).toEqual([
      {
        ...bill,
        starts_at: until,
        ends_at: world.clock.now().toISOString(),
        container_seconds: 0,
        stored_gib_hours: 2,
        cost_usd: 0.001,
        billed_usd: 0.001,
      },
    ])
    await dropFile(world, kept)
    await expectInfraBooks(world, admin, [userId])
  })

  test("Real uploads are billed until they are deleted, and test data is not billed", async () => {
    const client = await world.createAccount()
    const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
    const upload = async (own: typeof client | typeof tests) => {
      const form = new FormData()
      form.set("file", new File([new Uint8Array(1024)], "a.bin"))
      const request = new Request(`https://api.test/v1/spaces/${await own.space()}/files`, {
        method: "POST",
        headers: { authorization: `Bearer ${own.key}` },
        body: form,
      })
      const response = await world.invoke(request)
      expect(response.status).toBe(201)
      return ((await response.json()) as { file_id: string }).file_id
    }
    const file = await upload(client)
    await upload(tests)
    await setPrices(admin, { stored_gib_hour_usd: 1 })
    await world.advance(100 * HOUR)
    expect((await client.call("DELETE", `/v1/files/${file}`)).status).toBe(200)
    await world.advance(100 * HOUR)
    await world.sweep()
    await world.advance(100 * HOUR)
    const [, { bills }] = await askForBills(admin)
    await setPrices(admin)
    const mine = bills.find((one: { user_id: number }) => one.user_id === client.userId)
    expect(mine.stored_gib_hours).toBeCloseTo((1024 * 100) / GIB, 9)
    expect(mine.cost_usd).toBe(Math.round(((1024 * 100) / GIB) * 1e7) / 1e7)
  })

  test("An account with too little credit pays what it has, and the rest is billed first next time", async () => {
    const userId = await account(0.00005)
    await useContainer(world, userId, 10_000)
    const [, poor] = await askForBills(admin)
    expect(poor).toMatchObject({ cost_usd: 0.0001, billed_usd: 0.00005, due_usd: 0.00005 })
    expect([await availableOf(world, userId), await dueOf(world, userId)]).toEqual([0, 500])
    expect(await askForBills(admin)).toMatchObject([200, nothing])
    await useContainer(world, userId, 1000)
    const [, without] = await askForBills(admin)
    expect(without.bills).toMatchObject([
      { cost_usd: 0.00001, due_before_usd: 0.00005, billed_usd: 0, due_usd: 0.00006 },
    ])
    expect(await chargesOf(world, userId)).toHaveLength(1)
    const credit = { reason: "admin_grant", amount_usd: 0.000055, note: "More." }
    await admin.json("POST", `/api/admin/users/${userId}/credits`, credit, { "idempotency-key": crypto.randomUUID() })
    const [, partly] = await askForBills(admin)
    expect(partly.bills).toMatchObject([
      { cost_usd: 0, due_before_usd: 0.00006, billed_usd: 0.000055, due_usd: 0.000005 },
    ])
    const [, system] = await admin.json("GET", "/api/admin/system")
    expect(system.containers).toMatchObject({ due_usd: 0.000005, billed_until: world.clock.now().toISOString() })
    await admin.json("POST", `/api/admin/users/${userId}/credits`, credit, { "idempotency-key": crypto.randomUUID() })
    expect((await askForBills(admin))[1]).toMatchObject({ billed_usd: 0.000005, due_usd: 0 })
    expect((await chargesOf(world, userId)).map(({ amount }) => amount)).toEqual([500, 550, 50])
    await expectInfraBooks(world, admin, [userId])
  })

  test("An account that never had credit owes the whole amount", async () => {
    const { userId } = await world.createAccount({ usd: 0 })
    await world.sql("delete from wallet_shards where user_id = $1", [userId])
    await world.sql("delete from wallets where user_id = $1", [userId])
    await useContainer(world, userId, 1000)
    expect((await askForBills(admin))[1].bills).toMatchObject([{ user_id: userId, billed_usd: 0, due_usd: 0.00001 }])
    expect([await chargesOf(world, userId), await dueOf(world, userId)]).toEqual([[], 100])
  })

  test("A billing run does not touch the holds of running turns", async () => {
    const client = await world.createAccount({ usd: 0.05 })
    const held = await client.sendTurn({ space: await client.space(), max_cost_usd: 0.03 })
    expect(held.status).toBe(202)
    await world.settled()
    const free = await availableOf(world, client.userId)
    await useContainer(world, client.userId, 10_000_000)
    const [, { bills }] = await askForBills(admin)
    expect(bills).toMatchObject([{ cost_usd: 0.1, billed_usd: free / 1e7, due_usd: 0.1 - free / 1e7 }])
    await world.drain()
    await expectInfraBooks(world, admin, [client.userId])
  })

  test("An account is notified when a billing run uses up its balance", async () => {
    const { userId } = await world.createAccount({ usd: 0.0001 })
    const client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
    await useContainer(world, client.userId, 1_000_000)
    await askForBills(admin)
    const page = (await (await client.call("GET", "/v1/events")).json()) as { data: { type: string }[] }
    expect(page.data.map(({ type }) => type)).toContain("balance.depleted")
  })

  test("An amount below one credit micro waits, and prices of 0 bill nothing", async () => {
    const userId = await account()
    await useContainer(world, userId, 4)
    expect(await askForBills(admin)).toMatchObject([200, nothing])
    await useContainer(world, userId, 6)
    expect((await askForBills(admin))[1].bills).toMatchObject([{ container_seconds: 0.01, cost_usd: 1e-7 }])
    await setPrices(admin, { container_second_usd: 0 })
    await useContainer(world, userId, 1_000_000)
    expect(await askForBills(admin)).toMatchObject([200, nothing])
    await setPrices(admin)
    expect(await askForBills(admin), "use at a price of 0 stays free").toMatchObject([200, nothing])
  })
})

test("A run that exceeds its time continues with the next request and bills each account once", async () => {
  const users = await Promise.all(Array.from({ length: 25 }, () => account(1)))
  for (const userId of users) await useContainer(world, userId, 1000)
  const policy = INFRA_POLICY as { requestMs: number }
  const { requestMs } = policy
  policy.requestMs = 0
  const answers = []
  try {
    for (let finished = false; !finished; finished = answers.at(-1).finished)
      answers.push((await askForBills(admin))[1])
  } finally {
    policy.requestMs = requestMs
  }
  expect(answers.reduce((sum, { accounts }) => sum + accounts, 0)).toBe(25)
  expect(answers.length).toBeGreaterThanOrEqual(3)
  for (const userId of users) expect(await chargesOf(world, userId)).toMatchObject([{ amount: 100 }])
  const references = await Promise.all(
    users.map(async (userId) => (await chargesOf(world, userId))[0]?.reference.split(":")[2]),
  )
  expect(new Set(references).size).toBe(1)
})

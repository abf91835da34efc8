import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Context } from "../../src/actor/context.ts"
import { POSTING_POLICY, sweepPostings } from "../../src/billing/post-charges.ts"
import { callOne } from "../../src/platform/db.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { BARE } from "../harness/customer.ts"
import { holdRows, untilBlocked } from "../harness/locks.ts"
import { effortOf } from "../harness/plans.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { chainOf, giveShards, queueCharges, walletOf } from "../harness/shards.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const SHARDS = TURN_POLICY.walletShards
test("An account whose turns wait for each other's locks gets shards, and loses them when it is idle", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space(BARE)
  const send = (n: number) => client.sendTurn({ space, end_user_ref: `c${n}` })
  for (let round = 0; round < 40 && (await walletOf(world, client.userId)).shards === 0; round++) {
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(n)))
  }
  expect((await walletOf(world, client.userId)).shards).toBe(SHARDS)
  await expectBooks(world, client.userId)
  await Promise.all(Array.from({ length: 30 }, (_, n) => send(n)))
  await world.drain()
  await expectPromises(world, client.userId)
  await chainOf(world, client.userId)
  await world.advance(3_600_000)
  await world.sweep()
  expect(await walletOf(world, client.userId)).toMatchObject({ shards: 0, held: 0, queued: 0 })
  await expectPromises(world, client.userId)
})

test("An account with little credit never gets shards, and a sharded account that runs low loses them", async () => {
  const poor = await world.createAccount({ usd: 31 })
  const space = await poor.space(BARE)
  await world.sql("update wallets set waits = 1000 where user_id = $1", [poor.userId])
  await poor.sendTurn({ space })
  expect((await walletOf(world, poor.userId)).shards).toBe(0)
  await world.drain()
  const spender = await world.createAccount({ usd: 17 })
  await giveShards(world, spender)
  const theirs = await spender.space(BARE)
  await spender.runTurn({ space: theirs, max_cost_usd: 2, text: "[use input=1000000 output=10]" })
  expect(await walletOf(world, spender.userId)).toMatchObject({ shards: 0, queued: 0 })
  await expectPromises(world, spender.userId)
})

describe("Admission without all locks", () => {
  // The limit: 64 holds besides the turn's own.
  const H = 50_000
  test.each([
    ["just above the limit", SHARDS * H + H, false],
    ["a credit micro below it", SHARDS * H + H - 1, true],
    ["far below it", 3 * H, true],
  ])("Admission is correct with an available amount that is %s", async (_name, balance, isExact) => {
    const client = await world.createAccount({ usd: balance / 1e7 })
    await giveShards(world, client, H)
    const space = await client.space(BARE)
    const letGo = await holdRows(world, `select from wallets where user_id = ${client.userId} for no key update`)
    const sent = client.sendTurn({ space, max_cost_usd: H / 1e7 })
    const waits = await Promise.race([sent.then(() => false), untilBlocked(world, 1, sent).then(() => true)])
    await letGo()
    expect((await sent).status).toBe(202)
    expect(waits, "for the locks of the whole account").toBe(isExact)
    expect(await walletOf(world, client.userId)).toMatchObject({ held: H, balance })
    await world.drain()
    await expectPromises(world, client.userId)
  })

  test("A hold that exceeds a shard is taken under all locks at once", async () => {
    const client = await world.createAccount({ usd: 1000 })
    await giveShards(world, client, H)
    await world.plan([])
    const response = await client.sendTurn({ space: await client.space(BARE), max_cost_usd: (H + 1) / 1e7 })
    expect((await world.calls()).filter(({ label }) => label.includes("accept_turn"))).toHaveLength(1)
    await world.clearFaults()
    expect(response.status).toBe(202)
    await world.drain()
    await expectPromises(world, client.userId)
  })

  const ROUNDS = 40
  test(`A hundred concurrent turns near the limit use all available credit and no more, in ${ROUNDS} rounds`, async () => {
    const random = createRandom("around the border")
    for (let round = 0; round < ROUNDS; round++) {
      const shards = random.pick([2, 8, 64])
      const hold = 30_000 + random.int(20_000)
      const fits = 1 + random.int(shards * 2)
      const client = await world.createAccount({ usd: 0 })
      await world.sql(
        `select * from ${RELEASE}.book_entry($1, 'operator_topup', $2, null, null, null, null, 'test', null, $3)`,
        [client.userId, fits * hold, world.clock.now()],
      )
      await giveShards(world, client, hold, shards)
      const space = await client.space(BARE)
      const turn = { space, text: "[use input=1 output=0]", max_cost_usd: hold / 1e7 }
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => client.sendTurn({ ...turn, end_user_ref: `c${n}` })),
      )
      const accepted = answers.filter(({ status }) => status === 202).length
      expect(accepted, `round ${round}, seed ${random.seed}: ${shards} shards of ${hold}`).toBe(Math.min(100, fits))
      await world.drain()
      await expectPromises(world, client.userId)
    }
  })
})

describe("Posting", () => {
  let client: TestClient
  beforeEach(async () => {
    client = await world.createAccount({ usd: 1000 })
    await giveShards(world, client)
  })

  /** Holds more than is posted, so that no charge can be posted. */
  const holdInShard = (micros: number) =>
    world.sql("update wallet_shards set held_credit_micros = $2 where user_id = $1 and shard = 1", [
      client.userId,
      micros,
    ])

  const settled = async (count: number) => {
    expect(await walletOf(world, client.userId)).toMatchObject({ queued: 0, balance: 1e10 - 100 * count })
    const rows = await chainOf(world, client.userId)
    expect(rows).toHaveLength(count + 1)
    const moments = rows.slice(1).map(({ created }) => created)
    expect(moments, "the entries have the order in which the turns ended").toEqual(moments.toSorted())
    expect(new Set(rows.map(({ turn_id }) => turn_id)).size).toBe(count + 1)
    await expectBooks(world, client.userId)
  }

  test("The balance, /v1/me and the ledger include charges that are not posted yet", async () => {
    await queueCharges(world, client, 7)
    const me = await (await client.call("GET", "/v1/me")).json()
    expect(me).toMatchObject({ balance: { balance_usd: (1e10 - 700) / 1e7 } })
    const owner = await world.signIn(client.userId)
    expect((await owner.json("GET", "/api/account/ledger"))[1]).toMatchObject({ total: 8 })
    await settled(7)
  })

  test("Ten concurrent posters, sometimes killed at one of their calls, post each row once", async () => {
    await queueCharges(world, client, 3000)
    for (let tries = 0; (await walletOf(world, client.userId)).queued > 0; tries++) {
      expect(tries).toBeLessThan(40)
      const ways = [
        { action: "fail", when: "before" },
        { action: "cut", when: "after" },
      ] as const
      await world.plan(
        Array.from({ length: 4 }, (_, n) => ({
          service: "pg",
          match: "post_charges",
          call: 3 * n + 2,
          ...(ways[n % 2] as (typeof ways)[0]),
        })),
      )
      await Promise.all(Array.from({ length: 10 }, () => sweepPostings(contextOf(world))))
      await world.clearFaults()
    }
    await settled(3000)
  })

  /**
   * Makes charges of an account that cannot be posted, and five seconds later charges of another
   * account, which it returns.
   */
  async function queueBehindStuck(): Promise<TestClient> {
    const other = await world.createAccount({ usd: 1000 })
    await giveShards(world, other)
    await queueCharges(world, client, 3)
    await world.advance(5000)
    await queueCharges(world, other, 3)
    await holdInShard(1e11)
    return other
  }

  test("An account whose charges cannot be posted delays no other account and is reported", async () => {
    const other = await queueBehindStuck()
    const admin = await signInAdmin(world)
    expect(await sweepPostings(contextOf(world))).toMatchObject({ posted: 3, failed: expect.any(Number) })
    const [, system] = await admin.json("GET", "/api/admin/system")
    expect(system.postings).toMatchObject({ queued: 3 })
    expect(system.postings.oldest_seconds).toBeGreaterThan(4)
    expect((await walletOf(world, other.userId)).queued).toBe(0)
    await holdInShard(0)
    await sweepPostings(contextOf(world))
    await settled(3)
  })

  test("The sweeper reaches later accounts even if a whole batch of earlier ones cannot be posted", async () => {
    const other = await queueBehindStuck()
    const policy = POSTING_POLICY as { sweepAccounts: number }
    const { sweepAccounts } = policy
    policy.sweepAccounts = 1
    try {
      await sweepPostings(contextOf(world))
    } finally {
      policy.sweepAccounts = sweepAccounts
    }
    expect((await walletOf(world, other.userId)).queued).toBe(0)
    expect((await walletOf(world, client.userId)).queued).toBe(3)
  })

  const BACKLOG = 100_000
  test(`A backlog of ${BACKLOG} rows is posted in one sweep`, async () => {
    await queueCharges(world, client, BACKLOG)
    await world.sweep()
    await settled(BACKLOG)
  })

  test("A batch reads only its own rows, also in a session that planned while the queue was empty", async () => {
    const limit = 100
    const post = (ctx: Context) =>
      callOne(ctx.db, "post_charges", { user_id: client.userId, limit, moment: ctx.clock.now() })
    await world.sql("vacuum analyze postings")
    // A session caches a generic plan at the sixth call.
    for (let call = 0; call < 8; call++) await effortOf(world, client, post)
    const other = await world.createAccount({ usd: 1000 })
    await giveShards(world, other)
    await queueCharges(world, other, 4000)
    await queueCharges(world, client, 4000)
    const batch = await effortOf(world, client, post)
    expect(batch.written("postings")).toMatchObject({ deleted: limit })
    expect(batch.scans).not.toContain("postings")
    expect(batch.rowsOf("postings"), "once to find the row, once to delete it").toBeLessThanOrEqual(2 * limit)
    await sweepPostings(contextOf(world))
    await settled(4000)
  })

  test("The low and depleted events are sent once each, when the balance reaches their thresholds", async () => {
    await queueCharges(world, client, 10, 1_000_000_000)
    await world.sweep()
    const events = await world.sql<{ type: string; balance: number }>(
      "select type, (data -> 'balance_credit_micros')::float8 as balance from events where user_id = $1 order by event_id",
      [client.userId],
    )
    expect(events.map(({ type }) => type)).toEqual(["balance.low", "balance.depleted"])
    expect(events[1]?.balance).toBe(0)
  })

  test("The reconciliation reports the difference between shards and queue", async () => {
    const admin = await signInAdmin(world)
    await queueCharges(world, client, 5)
    await world.sql(
      "update wallet_shards set balance_credit_micros = balance_credit_micros - 3 where user_id = $1 and shard = 2",
      [client.userId],
    )
    await world.sql(
      "update wallet_shards set held_credit_micros = held_credit_micros + 9 where user_id = $1 and shard = 3",
      [client.userId],
    )
    const { findings } = await reconcileAsAdmin(admin)
    const ours = findings.filter(({ user_id }) => user_id === client.userId)
    expect(ours.map(({ kind, repaired }) => [kind, repaired])).toEqual([
      ["held", true],
      ["unposted", false],
    ])
    expect((await walletOf(world, client.userId)).held).toBe(0)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { POSTING_POLICY, sweepPostings } from "../../src/billing/post-charges.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { BARE } from "../harness/customer.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const SHARDS = TURN_POLICY.walletShards
const contextOf = () => createContext(parseBaseEnv(world.env), () => {}, { clock: world.clock })

/** Gives an account shards, as contention would. */
async function giveShards(
  { userId }: TestClient,
  hold: number = TURN_POLICY.defaultHold,
  shards: number = SHARDS,
): Promise<void> {
  await world.sql(
    `with grown as (update wallets set shards = $2, shard_hold_credit_micros = $3 where user_id = $1)
     insert into wallet_shards (user_id, shard) select $1, n from generate_series(0, $2::int - 1) n`,
    [userId, shards, hold],
  )
}

const walletOf = async (userId: number) => {
  const [row] = await world.sql<{ shards: number; balance: number; held: number; queued: number }>(
    `select w.shards, s.balance::float8 as balance, s.held::float8 as held,
       (select count(*)::int from postings where user_id = $1) as queued
     from wallets w, ${RELEASE}.wallet_sums(w.user_id) s where w.user_id = $1`,
    [userId],
  )
  if (!row) throw new Error("no wallet")
  return row
}

/** Ledger rows in their order, whose running totals are one chain. */
async function chainOf(userId: number) {
  const rows = await world.sql<{ turn_id: string | null; amount: number; total: number; created: string }>(
    `select turn_id, amount_credit_micros::float8 as amount, balance_after_credit_micros::float8 as total, created_at::text as created
     from ledger where user_id = $1 order by ledger_id`,
    [userId],
  )
  let total = 0
  for (const row of rows) {
    total += row.amount
    expect(row.total, "the running totals are one chain").toBe(total)
  }
  return rows
}

/** Charges in the queue of an account, as so many settles of turns that are long done would have left them. */
async function queueCharges({ userId }: TestClient, count: number, amount = 100): Promise<void> {
  await world.sql(
    `with queued as (
       insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at)
       select $1::bigint, 'usage', -$3::bigint, 'turn_' || $1::bigint || '_' || n, $4::timestamptz + n * interval '1 ms' from generate_series(1, $2::int) n)
     update wallet_shards set balance_credit_micros = balance_credit_micros - $2::bigint * $3::bigint where user_id = $1::bigint and shard = 0`,
    [userId, count, amount, world.clock.now()],
  )
}

test("an account whose turns wait for each other gets shards, and gives them back when it is idle", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space(BARE)
  const send = (n: number) => client.sendTurn({ space, end_user_ref: `c${n}` })
  for (let round = 0; round < 40 && (await walletOf(client.userId)).shards === 0; round++) {
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(n)))
  }
  expect((await walletOf(client.userId)).shards).toBe(SHARDS)
  await expectBooks(world, client.userId)
  await Promise.all(Array.from({ length: 30 }, (_, n) => send(n)))
  await world.drain()
  await expectPromises(world, client.userId)
  await chainOf(client.userId)
  await world.advance(3_600_000)
  await world.sweep()
  expect(await walletOf(client.userId)).toMatchObject({ shards: 0, held: 0, queued: 0 })
  await expectPromises(world, client.userId)
})

test("an account that has little is never given shards, and one that has little left gives them back", async () => {
  const poor = await world.createAccount({ usd: 31 })
  const space = await poor.space(BARE)
  await world.sql("update wallets set waits = 1000 where user_id = $1", [poor.userId])
  await poor.sendTurn({ space })
  expect((await walletOf(poor.userId)).shards).toBe(0)
  await world.drain()
  const spender = await world.createAccount({ usd: 17 })
  await giveShards(spender)
  const theirs = await spender.space(BARE)
  await spender.runTurn({ space: theirs, max_cost_usd: 2, text: "[use input=1000000 output=10]" })
  expect(await walletOf(spender.userId)).toMatchObject({ shards: 0, queued: 0 })
  await expectPromises(world, spender.userId)
})

describe("what is admitted without all locks", () => {
  // The border: 64 holds beside the turn's own.
  const H = 50_000
  test.each([
    ["just above the border", SHARDS * H + H, false],
    ["a credit micro below it", SHARDS * H + H - 1, true],
    ["far below it", 3 * H, true],
  ])("%s", async (_name, balance, isExact) => {
    const client = await world.createAccount({ usd: balance / 1e7 })
    await giveShards(client, H)
    const space = await client.space(BARE)
    await world.plan([])
    const response = await client.sendTurn({ space, max_cost_usd: H / 1e7 })
    const accepts = (await world.calls()).filter(({ label }) => label.includes("accept_turn"))
    await world.clearFaults()
    expect(response.status).toBe(202)
    expect(accepts).toHaveLength(isExact ? 2 : 1)
    expect(await walletOf(client.userId)).toMatchObject({ held: H, balance })
    await world.drain()
    await expectPromises(world, client.userId)
  })

  test("a hold above it is taken under all locks, at once", async () => {
    const client = await world.createAccount({ usd: 1000 })
    await giveShards(client, H)
    await world.plan([])
    const response = await client.sendTurn({ space: await client.space(BARE), max_cost_usd: (H + 1) / 1e7 })
    expect((await world.calls()).filter(({ label }) => label.includes("accept_turn"))).toHaveLength(1)
    await world.clearFaults()
    expect(response.status).toBe(202)
    await world.drain()
    await expectPromises(world, client.userId)
  })

  const ROUNDS = isThorough ? 40 : 4
  test(`100 turns at once around the border take all there is and no more, ${ROUNDS} rounds`, async () => {
    const random = createRandom("around the border")
    for (let round = 0; round < ROUNDS; round++) {
      const shards = random.pick([2, 8, 64])
      const hold = 1000 + random.int(20_000)
      const fits = 1 + random.int(shards * 2)
      const client = await world.createAccount({ usd: 0 })
      await world.sql(
        `select * from ${RELEASE}.book_entry($1, 'operator_topup', $2, null, null, null, null, 'test', null, $3)`,
        [client.userId, fits * hold, world.clock.now()],
      )
      await giveShards(client, hold, shards)
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

describe("posting", () => {
  let client: TestClient
  beforeEach(async () => {
    client = await world.createAccount({ usd: 1000 })
    await giveShards(client)
  })

  /** More held than is posted: nothing may be posted. */
  const holdInShard = (micros: number) =>
    world.sql("update wallet_shards set held_credit_micros = $2 where user_id = $1 and shard = 1", [
      client.userId,
      micros,
    ])

  const settled = async (count: number) => {
    expect(await walletOf(client.userId)).toMatchObject({ queued: 0, balance: 1e10 - 100 * count })
    const rows = await chainOf(client.userId)
    expect(rows).toHaveLength(count + 1)
    const moments = rows.slice(1).map(({ created }) => created)
    expect(moments, "in the order in which turns ended").toEqual(moments.toSorted())
    expect(new Set(rows.map(({ turn_id }) => turn_id)).size).toBe(count + 1)
    await expectBooks(world, client.userId)
  }

  test("balance, /v1/me and the ledger count what is not posted yet", async () => {
    await queueCharges(client, 7)
    const me = await (await client.call("GET", "/v1/me")).json()
    expect(me).toMatchObject({ balance: { balance_usd: (1e10 - 700) / 1e7 } })
    const owner = await world.signIn(client.userId)
    expect((await owner.json("GET", "/api/account/ledger"))[1]).toMatchObject({ total: 8 })
    await settled(7)
  })

  test("ten posters at once, each killed now and then at any of its calls, post each row once", async () => {
    await queueCharges(client, 3000)
    for (let tries = 0; (await walletOf(client.userId)).queued > 0; tries++) {
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
      await Promise.all(Array.from({ length: 10 }, () => sweepPostings(contextOf())))
      await world.clearFaults()
    }
    await settled(3000)
  })

  /** Charges of the account that cannot be posted, and five seconds later some of another one, which is answered. */
  async function queueBehindStuck(): Promise<TestClient> {
    const other = await world.createAccount({ usd: 1000 })
    await giveShards(other)
    await queueCharges(client, 3)
    await world.advance(5000)
    await queueCharges(other, 3)
    await holdInShard(1e11)
    return other
  }

  test("an account whose charges cannot be posted keeps nobody else's, and is told of", async () => {
    const other = await queueBehindStuck()
    const admin = await signInAdmin(world)
    expect(await sweepPostings(contextOf())).toMatchObject({ posted: 3, failed: expect.any(Number) })
    const [, system] = await admin.json("GET", "/api/admin/system")
    expect(system.postings).toMatchObject({ queued: 3 })
    expect(system.postings.oldest_seconds).toBeGreaterThan(4)
    expect((await walletOf(other.userId)).queued).toBe(0)
    await holdInShard(0)
    await sweepPostings(contextOf())
    await settled(3)
  })

  test("accounts that cannot be posted, as many as one look finds, keep the sweep from none behind them", async () => {
    const other = await queueBehindStuck()
    const policy = POSTING_POLICY as { sweepAccounts: number }
    const { sweepAccounts } = policy
    policy.sweepAccounts = 1
    try {
      await sweepPostings(contextOf())
    } finally {
      policy.sweepAccounts = sweepAccounts
    }
    expect((await walletOf(other.userId)).queued).toBe(0)
    expect((await walletOf(client.userId)).queued).toBe(3)
  })

  const BACKLOG = isThorough ? 100_000 : 5_000
  test(`a backlog of ${BACKLOG} rows is posted in one sweep`, async () => {
    await queueCharges(client, BACKLOG)
    const began = performance.now()
    await world.sweep()
    console.log(`${BACKLOG} rows posted in ${Math.round(performance.now() - began)} ms`)
    await settled(BACKLOG)
  })

  test("the balance is told low and depleted once each, when it gets there", async () => {
    await queueCharges(client, 10, 1_000_000_000)
    await world.sweep()
    const events = await world.sql<{ type: string; balance: number }>(
      "select type, (data -> 'balance_credit_micros')::float8 as balance from events where user_id = $1 order by event_id",
      [client.userId],
    )
    expect(events.map(({ type }) => type)).toEqual(["balance.low", "balance.depleted"])
    expect(events[1]?.balance).toBe(0)
  })

  test("the reconciliation names what shards and queue do not agree about", async () => {
    const admin = await signInAdmin(world)
    await queueCharges(client, 5)
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
    expect((await walletOf(client.userId)).held).toBe(0)
  })
})

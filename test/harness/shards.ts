import { expect } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TestClient, World } from "./world.ts"

/** Gives an account shards, as lock contention would. */
export async function giveShards(
  world: World,
  { userId }: TestClient,
  hold: number = TURN_POLICY.defaultHold,
  shards: number = TURN_POLICY.walletShards,
): Promise<void> {
  await world.sql(
    `with grown as (update wallets set shards = $2, shard_hold_credit_micros = $3 where user_id = $1)
     insert into wallet_shards (user_id, shard) select $1, n from generate_series(0, $2::int - 1) n`,
    [userId, shards, hold],
  )
}

export async function walletOf(world: World, userId: number) {
  const [row] = await world.sql<{ shards: number; balance: number; held: number; queued: number }>(
    `select w.shards, s.balance::float8 as balance, s.held::float8 as held,
       (select count(*)::int from postings where user_id = $1) as queued
     from wallets w, ${RELEASE}.wallet_sums(w.user_id) s where w.user_id = $1`,
    [userId],
  )
  if (!row) throw new Error("no wallet")
  return row
}

/** Ledger rows in order. Asserts that their running totals form one chain. */
export async function chainOf(world: World, userId: number) {
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

/** Queues this many charges for an account, as the settles of old turns would have left them. */
export async function queueCharges(world: World, { userId }: TestClient, count: number, amount = 100): Promise<void> {
  await world.sql(
    `with queued as (
       insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at)
       select $1::bigint, 'usage', -$3::bigint, 'turn_' || $1::bigint || '_' || n, $4::timestamptz + n * interval '1 ms'
       from generate_series(1, $2::int) n)
     update wallet_shards set balance_credit_micros = balance_credit_micros - $2::bigint * $3::bigint
     where user_id = $1::bigint and shard = 0`,
    [userId, count, amount, world.clock.now()],
  )
}

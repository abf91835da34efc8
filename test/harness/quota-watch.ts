import { expect } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import type { World } from "./world.ts"

/**
 * Statements that check each change of a turn's money at its commit, in one snapshot. No cap's sum,
 * computed from turns, may grow above its limit, and counters must agree with the turns wherever a
 * limit applies. Faults are stored in quota_faults.
 */
const WATCH = [
  "create table quota_faults (fault text not null)",
  `create function watch_turn_money() returns trigger language plpgsql security definer as $$
declare
  grown boolean := new.billed_credit_micros + new.held_credit_micros
    > coalesce(old.billed_credit_micros + old.held_credit_micros, 0);
begin
  insert into quota_faults
  select concat_ws(' ', p.kind, p.subject, p.period, p.starts_at, 'limit', p.most, 'turns', t.spent, '+', t.reserved,
    'counter', c.spent, '+', c.reserved)
  from api_keys k cross join wallets w
    left join end_users e on e.user_id = w.user_id and not e.test and e.end_user_ref = new.end_user_ref
    cross join lateral (values
      ('key', new.key_id, 'day', date_trunc('day', new.created_at, 'UTC'), k.daily_credit_micros),
      ('key', new.key_id, 'month', date_trunc('month', new.created_at, 'UTC'), k.monthly_credit_micros),
      ('key', new.key_id, 'window', new.window_started_at, k.window_credit_micros),
      ('end_user', new.end_user_ref, 'day', date_trunc('day', new.created_at, 'UTC'), coalesce(e.daily_limit_credit_micros,
        k.end_user_daily_credit_micros, w.end_user_daily_credit_micros)),
      ('end_user', new.end_user_ref, 'month', date_trunc('month', new.created_at, 'UTC'), coalesce(e.monthly_limit_credit_micros,
        k.end_user_monthly_credit_micros, w.end_user_monthly_credit_micros)),
      ('account', '', 'day', date_trunc('day', new.created_at, 'UTC'), ${RELEASE}.plan_cap(new.user_id, 'daily_cap_usd', new.created_at))) as p(kind, subject, period, starts_at, most)
    cross join lateral (
      select coalesce(sum(o.billed_credit_micros), 0) as spent, coalesce(sum(o.held_credit_micros), 0) as reserved from turns o
      where o.user_id = new.user_id and not o.test and case p.kind when 'account' then true
          when 'key' then o.key_id = new.key_id else o.key_id is not null and o.end_user_ref = new.end_user_ref end
        and case p.period when 'window' then o.window_started_at = p.starts_at
          else date_trunc(p.period, o.created_at, 'UTC') = p.starts_at end) t
    cross join lateral ${RELEASE}.counter_now(new.user_id, p.kind, p.subject, p.period, p.starts_at) c
  where k.key_id = new.key_id and w.user_id = new.user_id and p.starts_at is not null
    and ((grown and t.spent + t.reserved > p.most)
      or (c.spent, c.reserved) <> (t.spent, t.reserved));
  insert into quota_faults
  select concat_ws(' ', 'wallet', w.balance, 'held', w.held, 'turns', t.held, 'ledger', l.balance, 'shards', w.shards)
  from ${RELEASE}.wallet_sums(new.user_id) w,
    lateral (select coalesce(sum(held_credit_micros), 0) as held from turns where user_id = new.user_id) t,
    lateral (select coalesce(sum(e.amount), 0) as balance from (
      select amount_credit_micros as amount from ledger where user_id = new.user_id
      union all select amount_credit_micros from postings where user_id = new.user_id) e) l
  where w.held <> t.held or w.balance <> l.balance or w.held > w.balance;
  return null;
end $$`,
  `create constraint trigger watch_turn_money after insert or update of held_credit_micros, billed_credit_micros on turns
  deferrable initially deferred for each row when (new.key_id is not null and not new.test) execute function watch_turn_money()`,
]

/** Installs this check in the world's database. */
export async function watchMoney(world: World): Promise<void> {
  for (const statement of WATCH) await world.sql(statement)
}

/** Asserts that the check has found no fault. */
export async function expectNoFaults(world: World): Promise<void> {
  expect(await world.sql("select fault from quota_faults limit 5")).toEqual([])
}

/** The deadlocks that the server has counted in the world's database since its creation. */
export async function deadlocksOf(world: World): Promise<number> {
  const [row] = await world.sql<{ deadlocks: string }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  )
  return Number(row?.deadlocks)
}

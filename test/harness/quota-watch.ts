import { expect } from "vitest"
import type { World } from "./world.ts"

/**
 * Checks that the database runs when a transaction that changed a turn's money commits: no cap's sum, computed from the turns, exceeds
 * its limit, and the counters agree with the turns. Both hold at every commit, since spend changes only under the wallet's lock. Faults
 * are stored in quota_faults.
 */
const WATCH = [
  "create table quota_faults (fault text not null)",
  `create function watch_turn_money() returns trigger language plpgsql as $$
declare
  grown boolean := new.billed_credit_micros + new.held_credit_micros
    > coalesce(old.billed_credit_micros + old.held_credit_micros, 0);
begin
  insert into quota_faults
  select concat_ws(' ', p.kind, p.subject, p.period, p.starts_at, 'limit', p.most, 'turns', t.spent, '+', t.reserved,
    'counter', c.spent_credit_micros, '+', c.reserved_credit_micros)
  from api_keys k cross join wallets w
    left join end_users e on e.user_id = w.user_id and not e.test and e.end_user_ref = new.end_user_ref
    cross join lateral (values
      ('key', new.key_id, 'day', date_trunc('day', new.created_at, 'UTC'), k.daily_credit_micros),
      ('key', new.key_id, 'window', new.window_started_at, k.window_credit_micros),
      ('end_user', new.end_user_ref, 'day', date_trunc('day', new.created_at, 'UTC'), coalesce(e.daily_limit_credit_micros,
        k.end_user_daily_credit_micros, w.end_user_daily_credit_micros)),
      ('end_user', new.end_user_ref, 'month', date_trunc('month', new.created_at, 'UTC'), coalesce(e.monthly_limit_credit_micros,
        k.end_user_monthly_credit_micros, w.end_user_monthly_credit_micros))) as p(kind, subject, period, starts_at, most)
    cross join lateral (
      select coalesce(sum(o.billed_credit_micros), 0) as spent, coalesce(sum(o.held_credit_micros), 0) as reserved from turns o
      where o.user_id = new.user_id and o.key_id is not null and case p.kind when 'key' then o.key_id = new.key_id
          else o.end_user_ref = new.end_user_ref end
        and case p.period when 'window' then o.window_started_at = p.starts_at
          else date_trunc(p.period, o.created_at, 'UTC') = p.starts_at end) t
    left join spend_counters c on c.user_id = new.user_id and c.kind = p.kind and c.subject = p.subject and c.period = p.period
      and c.starts_at = p.starts_at
  where k.key_id = new.key_id and w.user_id = new.user_id and p.starts_at is not null
    and ((grown and t.spent + t.reserved > p.most)
      or (coalesce(c.spent_credit_micros, 0), coalesce(c.reserved_credit_micros, 0)) <> (t.spent, t.reserved));
  insert into quota_faults
  select concat_ws(' ', 'wallet', w.balance_credit_micros, 'held', w.held_credit_micros, 'turns', t.held, 'ledger', l.balance)
  from wallets w,
    lateral (select coalesce(sum(held_credit_micros), 0) as held from turns where user_id = w.user_id) t,
    lateral (select coalesce(sum(amount_credit_micros), 0) as balance from ledger where user_id = w.user_id) l
  where w.user_id = new.user_id
    and (w.held_credit_micros <> t.held or w.balance_credit_micros <> l.balance or w.held_credit_micros > w.balance_credit_micros);
  return null;
end $$`,
  `create constraint trigger watch_turn_money after insert or update of held_credit_micros, billed_credit_micros on turns
  deferrable initially deferred for each row when (new.key_id is not null and not new.test) execute function watch_turn_money()`,
]

/** Installs the check in the world's database. */
export async function watchMoney(world: World): Promise<void> {
  for (const statement of WATCH) await world.sql(statement)
}

/** Asserts that it has found nothing. */
export async function expectNoFaults(world: World): Promise<void> {
  expect(await world.sql("select fault from quota_faults limit 5")).toEqual([])
}

/** Deadlocks that the server has counted in the world's database since it was made. */
export async function deadlocksOf(world: World): Promise<number> {
  const [row] = await world.sql<{ deadlocks: string }>(
    "select deadlocks from pg_stat_database where datname = current_database()",
  )
  return Number(row?.deadlocks)
}

import { sql } from "kysely"
import type { Slice, SliceOf } from "./reconcile-slices.ts"

/**
 * Each ledger row: its running total is the former one of its account + its amount. Where it is not, a row before it is lost,
 * or this one was changed; a total that alone was changed also breaks the next row, which is not named again.
 */
export function ledgerSlice({ position, size }: SliceOf): Slice {
  const columns = sql`l.ledger_id, l.user_id, l.reason, l.turn_id, coalesce(l.amount_credit_micros, 0) as amount,
    l.balance_after_credit_micros as total`
  return {
    ctes: sql`slice as materialized (
      select ${columns} from ledger l where l.ledger_id > ${position || "0"}::bigint order by l.ledger_id limit ${size}::integer
    ), linked as (
      select slice.*, true as own from slice
      union all
      select former.*, false from (select user_id, min(ledger_id) as first from slice group by user_id) f, lateral (
        select ${columns} from ledger l where l.user_id = f.user_id and l.ledger_id < f.first order by l.ledger_id desc limit 2
      ) former
    ), chained as (
      select *, lag(total, 1, 0::bigint) over (partition by user_id order by ledger_id) + amount as expected from linked
    ), broken as (
      select *, lag(total - expected, 1, 0::bigint) over (partition by user_id order by ledger_id) as broken_before from chained
    )`,
    last: sql`select max(ledger_id)::text from slice`,
    findings: sql`select 'running_total' as kind, user_id, turn_id, ledger_id, null::jsonb as counter, expected, total as found
        from broken where own and total <> expected and not (broken_before <> 0 and broken_before = expected - total)
      union all
      select 'charge_without_turn', user_id, null, ledger_id, null, 0, -amount
        from slice where reason in ('usage', 'space_usage') and turn_id is null`,
  }
}

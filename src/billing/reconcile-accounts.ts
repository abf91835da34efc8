import { sql } from "kysely"
import type { Slice, SliceOf } from "./reconcile-slices.ts"

/**
 * Each account: its balance is its ledger's last running total (with the ledger's own chain, that makes it the sum), and it
 * holds what its open turns will give back.
 */
export function accountsSlice({ position, size }: SliceOf): Slice {
  return {
    ctes: sql`slice as materialized (
      select u.user_id, coalesce(w.balance_credit_micros, 0) as balance, coalesce(w.held_credit_micros, 0) as held,
        coalesce(last.total, 0) as total, open.holds
      from (select user_id from users where user_id > ${position || "0"}::bigint order by user_id limit ${size}::integer) u
        left join wallets w on w.user_id = u.user_id
        left join lateral (
          select l.balance_after_credit_micros as total from ledger l where l.user_id = u.user_id order by l.ledger_id desc limit 1
        ) last on true,
        lateral (
          select coalesce(sum(t.hold_credit_micros), 0)::bigint as holds from turns t
          where t.user_id = u.user_id and t.state in ('queued', 'running')
        ) open
    )`,
    last: sql`select max(user_id)::text from slice`,
    findings: sql`select f.kind, s.user_id, null::text as turn_id, null::bigint as ledger_id, null::jsonb as counter,
        f.expected, f.found
      from slice s, lateral (values ('balance', s.total, s.balance), ('held', s.holds, s.held)) f (kind, expected, found)
      where f.expected <> f.found`,
  }
}

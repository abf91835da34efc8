import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { inParallel } from "../in-parallel.ts"
import { newId } from "../platform/ids.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { cancelling } from "./cancel-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import type { TurnRow } from "./turn-row.ts"

/** What is said of each turn that was touched; not its text, of which a batch would be too large an answer. */
export type CancelledTurn = Pick<
  TurnRow,
  "turn_id" | "user_id" | "test" | "hooked" | "state" | "epoch" | "wake_at" | "lease_until"
>

/**
 * The CTEs that cancel up to `cancelBatch` turns of one owner: queued ones at once, running ones that were not asked yet at
 * their next boundary. `which` is a condition on turns `t`. Locks turns by their id, then the wallet (`released`). Yields
 * `touched`; zero rows mean that there is nothing left to do. Who leaves other turns queued in the same conversations must
 * lock those and wake the turns.
 */
export function cancelManyCtes(ctx: Context, which: RawBuilder<unknown>, reason: string): RawBuilder<unknown> {
  const now = ctx.clock.now()
  const eventIds = JSON.stringify(Array.from({ length: TURN_POLICY.cancelBatch }, () => newId("event", now)))
  return sql`to_cancel as materialized (
    select t.turn_id, row_number() over () as place from (
      select t.turn_id from turns t
      where t.state in ('queued', 'running') and (t.state = 'queued' or t.cancel_requested_at is null) and ${which}
      order by t.turn_id collate "C" limit ${TURN_POLICY.cancelBatch}::integer for update
    ) t
  ), touched as (
    update turns t set ${cancelling(now, reason)}
    from to_cancel where t.turn_id = to_cancel.turn_id and t.state in ('queued', 'running')
    returning t.*, to_cancel.place
  ), released as (
    update wallets w set held_credit_micros = w.held_credit_micros - holds.amount
    from (
      select user_id, sum(hold_credit_micros)::bigint as amount from touched where state = 'cancelled' group by user_id
    ) holds
    where w.user_id = holds.user_id and holds.amount > 0
    returning w.user_id
  ), cancelled_event as (
    insert into turn_events (turn_id, seq, event_id, type, data, created_at)
    select turn_id, last_event_seq, ${eventIds}::jsonb ->> (place - 1)::integer, 'turn.cancelled',
      jsonb_build_object('state', state, 'status_reason', status_reason), finished_at
    from touched where state = 'cancelled'
  )`
}

/** The rows of `touched`, for CancelledTurn. */
export const touchedTurns = sql`coalesce((select jsonb_agg(jsonb_build_object('turn_id', t.turn_id, 'user_id', t.user_id,
  'test', t.test, 'state', t.state, 'epoch', t.epoch, 'wake_at', t.wake_at, 'lease_until', t.lease_until) || ${hookedJson})
  from touched t), '[]')`

/**
 * Wakes the owner's webhooks, and calls somebody for the running turns on which nobody works between two callbacks, so that they
 * see the wish; what is over `cancelPublishes` is called by its wake_at within a minute. Never throws.
 */
export async function callCancelled(ctx: Context, touched: CancelledTurn[]): Promise<void> {
  const [one] = touched
  if (one) wakeWebhooks(ctx, one)
  const idle = touched.filter(({ state, lease_until }) => state === "running" && lease_until === null)
  await inParallel(idle.slice(0, TURN_POLICY.cancelPublishes), async (turn) => {
    await publishTurn(ctx, turn, { because: "cancel" })
  })
}

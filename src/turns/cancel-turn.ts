import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { newId } from "../platform/ids.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { getTurn, turnNotFound } from "./get-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import { isTerminal, type TurnRow, turnJson } from "./turn-row.ts"
import { type EndedTurn, wakeNext } from "./wake-next.ts"

/** What cancelling sets on turns `t`: a queued one ends at once, a running one is asked. */
export function cancelling(now: Date, reason: string): RawBuilder<unknown> {
  return sql`state = case when t.state = 'queued' then 'cancelled' else t.state end,
    status_reason = coalesce(t.status_reason, ${reason}::text),
    held_credit_micros = case when t.state = 'queued' then 0 else t.held_credit_micros end,
    wake_at = case when t.state = 'queued' then null else t.wake_at end,
    finished_at = case when t.state = 'queued' then ${now}::timestamptz end,
    last_event_seq = t.last_event_seq + case when t.state = 'queued' then 1 else 0 end,
    cancel_requested_at = coalesce(t.cancel_requested_at, ${now}::timestamptz)`
}

/**
 * The CTEs that cancel a queued turn at once and ask a running one to stop at its next boundary. One UPDATE decides,
 * so that a worker that claims the turn at the same moment comes either before or after it. `which` is a condition on
 * turns `t`. Yields `touched` (the turn after it) and `place` (its conversation's last position).
 */
export function cancelCtes(ctx: Context, which: RawBuilder<unknown>, reason: string): RawBuilder<unknown> {
  const now = ctx.clock.now()
  return sql`touched as (
    update turns t set ${cancelling(now, reason)}
    where t.state in ('queued', 'running') and ${which}
    returning t.*
  ), released as (
    update wallets w set held_credit_micros = w.held_credit_micros - touched.hold_credit_micros
    from touched where touched.state = 'cancelled' and touched.hold_credit_micros > 0 and w.user_id = touched.user_id
    returning w.user_id
  ), event as (
    insert into turn_events (turn_id, seq, event_id, type, data, created_at)
    select turn_id, last_event_seq, ${newId("event", now)}, 'turn.cancelled',
      jsonb_build_object('state', state, 'status_reason', status_reason), finished_at
    from touched where state = 'cancelled'
  ), place as materialized (
    select c.last_position from conversations c, touched left join released on true
    where c.conversation_id = touched.conversation_id for update of c
  )`
}

/** Cancels a turn: queued at once, running at its next boundary. Cancelled already: the same answer. TURN_FINISHED, NOT_FOUND. */
export async function cancelTurn(ctx: Context, credential: Credential, turnId: string): Promise<TurnRow> {
  for (let look = 0; look < 3; look++) {
    const { row } = await queryAs<{ touched: EndedTurn | null; before: TurnRow | null }>(ctx, credential, {
      ctes: sql`target as materialized (
        select ${turnJson} as turn, t.turn_id, s.slug from turns t join spaces s on s.space_id = t.space_id, caller
        where t.turn_id = ${turnId} and ${inScope}
      ), ${cancelCtes(ctx, sql`t.turn_id = (select turn_id from target)`, "client")}`,
      select: sql`select (select turn from target) as before, (
        select to_jsonb(t) || ${hookedJson} || jsonb_build_object('space', target.slug, 'last_position', place.last_position)
        from touched t, target, place) as touched`,
    })
    if (!row.before) throw turnNotFound(turnId)
    if (row.touched) {
      if (row.touched.state === "cancelled") {
        ctx.background(wakeNext(ctx, row.touched))
        wakeWebhooks(ctx, row.touched)
      }
      // Between two callbacks nobody works on it: call somebody who sees the wish.
      else if (row.touched.lease_until === null) ctx.background(publishTurn(ctx, row.touched, { because: "cancel" }))
      return untilNoCallStarts(ctx, credential, row.touched)
    }
    if (row.before.state === "cancelled") return row.before
    if (isTerminal(row.before.state)) {
      throw new TurnpikeError("TURN_FINISHED", `The turn is already ${row.before.state}.`, {
        details: { state: row.before.state },
      })
    }
    // It ended between this statement's snapshot and its update: look again.
  }
  throw new TurnpikeError("CONFLICT", "The turn is changing. Try again.")
}

/** Pauses between looks at a turn whose calls may be starting, in ms. */
const LOOKS = [25, 50, 100]

/** The turn, as soon as its worker starts no tool call any more: it has ended, or the time for starting them is over. */
async function untilNoCallStarts(ctx: Context, credential: Credential, asked: TurnRow): Promise<TurnRow> {
  let turn = asked
  for (let look = 0; ; look++) {
    const until =
      turn.calls_start_until === null ? 0 : new Date(turn.calls_start_until).getTime() + TURN_POLICY.clockSkewMs
    const left = until - ctx.clock.now().getTime()
    if (isTerminal(turn.state) || left <= 0) return turn
    await ctx.clock.sleep(Math.min(left, LOOKS[look] ?? left))
    turn = await getTurn(ctx, credential, turn.turn_id)
  }
}

import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import type { Claim } from "./claim-turn.ts"
import { addStep, type FinishedStep, stepCtes } from "./finished-step.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"
import { type EndedTurn, wakeNext } from "./wake-next.ts"

/** How a running turn ends. `ours` failures are not billed. A cancel that was asked for before wins over all. */
export type Outcome =
  | { state: "done"; result: string }
  | { state: "cancelled"; reason: string; result: string | null }
  | { state: "failed"; code: string; message: string; ours: boolean; result: string | null }

/**
 * Ends a running turn, in one statement: its last step (if any), state, event, charge, ledger row, bills of its usage
 * records and the release of its hold; then wakes the next of its conversation. Null when the epoch is stale, or when
 * the turn `t` is not as `onlyIf` says.
 */
export async function settleTurn(
  ctx: Context,
  turn: Pick<TurnRow, "turn_id" | "epoch">,
  outcome: Outcome,
  { last, onlyIf }: { last?: { claim: Claim; step: FinishedStep } | undefined; onlyIf?: RawBuilder<unknown> } = {},
): Promise<TurnRow | null> {
  const now = ctx.clock.now()
  const failed = outcome.state === "failed" ? outcome : null
  const billable = failed === null || !failed.ours
  const lastCost = last?.step.cost ?? 0
  const billed = sql`case when turn.billed_credit_micros > 0 then ${lastCost}::bigint else 0 end`
  const { rows } = await sql<{ turn: EndedTurn }>`with turn as (
      update turns t set ${last ? sql`${addStep(last.step)},` : sql``}
        state = case when t.cancel_requested_at is not null then 'cancelled' else ${outcome.state} end,
        status_reason = case when t.cancel_requested_at is not null then coalesce(t.status_reason, 'client')
          else ${outcome.state === "cancelled" ? outcome.reason : (failed?.code ?? null)}::text end,
        result = ${outcome.result}::text,
        error_code = case when t.cancel_requested_at is null then ${failed?.code ?? null}::text end,
        error_message = case when t.cancel_requested_at is null then ${failed?.message ?? null}::text end,
        billed_credit_micros = case
          when t.test then 0
          when ${billable} or t.cancel_requested_at is not null then t.cost_credit_micros + ${lastCost}::bigint
          else 0 end,
        held_credit_micros = 0, lease_until = null, wake_at = null, finished_at = ${now}::timestamptz,
        last_event_seq = t.last_event_seq + 1
      where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
        ${onlyIf ? sql`and ${onlyIf}` : sql``}
      returning t.*
    ), ${last ? sql`${stepCtes(last.claim, last.step, now, billed)},` : sql``}
    event as (
      insert into turn_events (turn_id, seq, event_id, type, data, created_at)
      select turn_id, last_event_seq, ${newId("event", now)}, 'turn.' || state,
        jsonb_strip_nulls(jsonb_build_object('state', state, 'status_reason', status_reason, 'error_code', error_code)),
        finished_at
      from turn
    ), paid as (
      update wallets w set balance_credit_micros = w.balance_credit_micros - turn.billed_credit_micros,
        held_credit_micros = w.held_credit_micros - turn.hold_credit_micros
      from turn where w.user_id = turn.user_id and turn.hold_credit_micros > 0
      returning w.user_id, w.balance_credit_micros as balance
    ), entry as (
      insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
      select turn.user_id, 'usage', -turn.billed_credit_micros, paid.balance, turn.turn_id, 'turn', finished_at
      from turn join paid on paid.user_id = turn.user_id where turn.billed_credit_micros > 0
    ), earlier_usage as (
      update usage u set billed_credit_micros = u.cost_credit_micros
      from turn where u.turn_id = turn.turn_id and turn.billed_credit_micros > 0
    ), place as materialized (
      select c.last_position from conversations c, turn left join paid on true
      where c.conversation_id = turn.conversation_id for update of c
    )
    select ${turnJson} || jsonb_build_object('last_position', place.last_position) as turn
    from turn t join spaces s on s.space_id = t.space_id, place`.execute(ctx.db)
  const ended = rows[0]?.turn
  if (!ended) return null
  await wakeNext(ctx, ended)
  return ended
}

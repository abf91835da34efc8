import { type RawBuilder, sql } from "kysely"
import { storable } from "../agent/storable.ts"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { addStep, type FinishedStep, stepCtes } from "./finished-step.ts"
import { type EventDraft, insertEvents } from "./turn-event.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"
import { type EndedTurn, wakeNext } from "./wake-next.ts"

/** How a running turn ends. `ours` failures are not billed. A cancel that was asked for before wins over all. */
export type Outcome =
  | { state: "done"; result: string }
  | { state: "cancelled"; reason: string; result: string | null }
  | { state: "failed"; code: string; message: string; ours: boolean; result: string | null }

interface Ending {
  /** The step that the turn ended with, if it is not committed yet. */
  step?: FinishedStep | undefined
  /** What is to stand in the log before the turn's end. */
  events?: EventDraft[]
  /** Whether its agent may have made files: they become outputs when it is done, and go when it is not. */
  files?: boolean
  /** A condition on turns `t`. */
  onlyIf?: RawBuilder<unknown>
}

/**
 * Ends a running turn, in one statement: its last step (if any), state, events, files, charge, ledger row, bills of its
 * usage records (or, of a web-chat turn, its record in api_turns) and the release of its hold; then wakes the next of its conversation. Null when the epoch is stale, or
 * when the turn is not as `onlyIf` says.
 */
export async function settleTurn(
  ctx: Context,
  turn: Pick<TurnRow, "turn_id" | "epoch">,
  outcome: Outcome,
  { step, events = [], files = true, onlyIf }: Ending = {},
): Promise<TurnRow | null> {
  const now = ctx.clock.now()
  const failed = outcome.state === "failed" ? outcome : null
  const billable = failed === null || !failed.ours
  const lastCost = step?.cost ?? 0
  // The wallet's amounts are read under its lock: PostgreSQL checks constraints on a row made of an older version before it
  // looks for a newer one, so that a hold which grew at this moment would seem more than the wallet holds.
  const billed = sql`case when turn.billed_credit_micros > 0 then ${lastCost}::bigint else 0 end`
  const { rows } = await sql<{ turn: EndedTurn }>`with turn as (
      update turns t set ${step ? sql`${addStep(step)},` : sql``}
        state = case when t.cancel_requested_at is not null then 'cancelled' else ${outcome.state} end,
        status_reason = case when t.cancel_requested_at is not null then coalesce(t.status_reason, 'client')
          else ${outcome.state === "cancelled" ? outcome.reason : (failed?.code ?? null)}::text end,
        result = ${outcome.result === null ? null : storable(outcome.result)}::text,
        error_code = case when t.cancel_requested_at is null then ${failed?.code ?? null}::text end,
        error_message = case when t.cancel_requested_at is null then ${failed ? storable(failed.message) : null}::text end,
        billed_credit_micros = case
          when t.test then 0
          when ${billable} or t.cancel_requested_at is not null then t.cost_credit_micros + ${lastCost}::bigint
          else 0 end,
        held_credit_micros = 0, lease_until = null, wake_at = null, finished_at = ${now}::timestamptz,
        outputs = ${files ? outputsOf(outcome) : sql`t.outputs`},
        last_event_seq = t.last_event_seq + ${events.length + 1}::integer
      where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
        ${onlyIf ? sql`and ${onlyIf}` : sql``}
      returning t.*
    ), ${step ? sql`${stepCtes(step, now, { billed, settled: true })},` : sql``}
    ${files ? sql`kept_files as (${endFiles(now)}),` : sql``}
    events as (
      ${insertEvents(events, { after: 1 })}
      union all select turn_id, last_event_seq, ${newId("event", now)}, 'turn.' || state,
        jsonb_strip_nulls(jsonb_build_object('state', state, 'status_reason', status_reason, 'error_code', error_code)),
        finished_at
      from turn
    ), wallet as materialized (
      select w.* from wallets w, turn where w.user_id = turn.user_id and turn.hold_credit_micros > 0 for update of w
    ), paid as (
      update wallets w set balance_credit_micros = wallet.balance_credit_micros - turn.billed_credit_micros,
        held_credit_micros = wallet.held_credit_micros - turn.hold_credit_micros
      from turn, wallet where w.user_id = wallet.user_id
      returning w.user_id, w.balance_credit_micros as balance
    ), entry as (
      insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
      select turn.user_id, case when turn.key_id is null then 'space_usage' else 'usage' end, -turn.billed_credit_micros, paid.balance, turn.turn_id, 'turn', finished_at
      from turn join paid on paid.user_id = turn.user_id where turn.billed_credit_micros > 0
    ), earlier_usage as (
      update usage u set settled_at = turn.finished_at,
        billed_credit_micros = case when turn.billed_credit_micros > 0 then u.cost_credit_micros else 0 end
      from turn where u.turn_id = turn.turn_id
    ), chat_turn as (
      insert into api_turns (turn_id, user_id, space_id, provider, model, model_calls, tokens_input, tokens_cached,
        tokens_output, duration_sec, cost_credit_micros, billed_credit_micros, created_at)
      select turn_id, user_id, space_id, split_part(model, '/', 1), model, model_calls, tokens_input, tokens_cached,
        tokens_output, greatest(0, extract(epoch from finished_at - started_at)), cost_credit_micros, billed_credit_micros, finished_at
      from turn where key_id is null
    ), place as materialized (
      select c.last_position from conversations c, turn left join paid on true
      where c.conversation_id = turn.conversation_id for update of c
    )
    select ${turnJson} || ${hookedJson} || jsonb_build_object('last_position', place.last_position) as turn
    from turn t join spaces s on s.space_id = t.space_id, place`.execute(ctx.db)
  const ended = rows[0]?.turn
  if (!ended) return null
  wakeWebhooks(ctx, ended)
  await wakeNext(ctx, ended)
  return ended
}

/** The newest of the pending files of each name, for a turn `t` that is done. */
function outputsOf(outcome: Outcome): RawBuilder<unknown> {
  if (outcome.state !== "done") return sql`t.outputs`
  return sql`case when t.cancel_requested_at is not null then t.outputs else coalesce((
    select jsonb_agg(jsonb_build_object('file_id', f.file_id, 'name', f.name, 'media_type', f.media_type, 'bytes', f.bytes,
      'sha256', f.sha256) order by f.file_id collate "C")
    from (
      select distinct on (name) * from files where turn_id = t.turn_id and state = 'pending'
      order by name, place desc
    ) f), '[]') end`
}

/** Keeps the turn's outputs, and gives up its other pending files. */
function endFiles(now: Date): RawBuilder<unknown> {
  return sql`update files f set updated_at = ${now}::timestamptz,
      state = case when turn.outputs @> jsonb_build_array(jsonb_build_object('file_id', f.file_id)) then 'ready' else 'deleted' end
    from turn where f.turn_id = turn.turn_id and f.state = 'pending'`
}

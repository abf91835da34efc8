import { sql } from "kysely"
import { fromUsd } from "../billing/money.ts"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { keyReused, type Made } from "../identity/once.ts"
import { violates } from "../platform/db.ts"
import { newId } from "../platform/ids.ts"
import { type HoldRow, holdRefusal } from "../quotas/refusal.ts"
import { hashRequest } from "../request-hash.ts"
import { type Account, hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { type AdmissionRow, admissionColumns, admissionCtes, admissionRefusal, holdCte } from "./admission.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import type { CreateTurn } from "./schemas.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

interface AcceptRow extends AdmissionRow {
  made: TurnRow | null
  existing: TurnRow | null
  existing_in_scope: boolean
  hold: HoldRow | null
  /** Whose webhooks are to hear that the refusal has told an event. */
  told: Account | null
}

/**
 * Accepts a turn: takes its hold under the balance and all caps, takes its place in its conversation and writes the turn with its
 * first event, in one statement; then publishes its callback in the background. With an Idempotency-Key that was used, answers
 * the same turn (`replayed`). Errors: NOT_FOUND, VALIDATION_FAILED, SPACE_ARCHIVED, END_USER_BLOCKED, IDEMPOTENCY_KEY_REUSED,
 * INSUFFICIENT_CREDITS, QUOTA_EXCEEDED; none is stored, but one that holds for every turn from now on is told once as an event.
 */
export async function acceptTurn(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, body }: { idempotencyKey: string; body: CreateTurn },
): Promise<Made<TurnRow>> {
  const requestHash = hashRequest(body)
  const attempt = () =>
    runAccept(ctx, credential, idempotencyKey, requestHash, body).catch((error: unknown) => {
      if (violates(error, "turns_user_id_test_idempotency_key_key")) return null
      throw error
    })

  let row = await attempt()
  // The twin of this request got in first, or took the last credit: look again, now that it has committed.
  if (!row || row.hold?.amount === null) row = await attempt()
  // Or it got in while this one looked again, since there was room now: its turn is there for sure.
  row ??= await attempt()
  if (!row) throw notAccepted()

  if (row.existing) {
    if (row.existing.erased_at !== null) {
      throw new TurnpikeError("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key belongs to a turn that was erased.")
    }
    if (row.existing.request_hash !== requestHash || !row.existing_in_scope) {
      throw keyReused()
    }
    return { made: row.existing, replayed: true }
  }
  if (!row.made) throw refusal(ctx, row, body)
  ctx.background(publishTurn(ctx, row.made, { because: "accept" }))
  wakeWebhooks(ctx, row.made)
  return { made: row.made, replayed: false }
}

function refusal(ctx: Context, row: AcceptRow, body: CreateTurn): TurnpikeError {
  const refused = admissionRefusal(row, body)
  if (refused) return refused
  if (row.hold) return holdRefusal(row.hold, ctx.clock.now())
  return notAccepted()
}

const notAccepted = () => new TurnpikeError("CONFLICT", "The turn was not accepted. Try again.")

async function runAccept(
  ctx: Context,
  credential: Credential,
  idempotencyKey: string,
  requestHash: string,
  body: CreateTurn,
): Promise<AcceptRow> {
  const now = ctx.clock.now()
  // Its callback is published behind this; the sweeper looks when that should have arrived.
  const wake = new Date(now.getTime() + TURN_POLICY.republishMs)
  const maxCost = body.max_cost_usd === undefined ? null : fromUsd(body.max_cost_usd)
  const { row } = await queryAs<AcceptRow>(ctx, credential, {
    ctes: sql`existing as materialized (
      select t.*, s.slug as space, ${inScope} as in_scope
      from turns t join spaces s on s.space_id = t.space_id, caller
      where t.user_id = caller.user_id and t.test = caller.test and t.idempotency_key = ${idempotencyKey}
    ), ${admissionCtes(body, { unless: sql`exists (select 1 from existing)` })},
    ${holdCte(body, { by: "take_hold", now })}, refused as materialized (
      select admitted.user_id, admitted.test, tell_refusal(admitted.user_id, admitted.key_id, ${body.end_user_ref},
        admitted.needed, admitted.short_needed, hold.available, hold.held, hold.caps, ${now}::timestamptz) as told
      from admitted, hold where hold.amount is null
    ), funded as materialized (
      select admitted.*, hold.amount, hold.window_started_at from admitted, hold where hold.amount is not null
      union all select admitted.*, 0, null from admitted where admitted.test
    ), conversation as (
      insert into conversations (conversation_id, space_id, user_id, test, end_user_ref, name, last_turn_at, created_at)
      select ${newId("conversation", now)}, space_id, user_id, test, ${body.end_user_ref}, name, ${now}::timestamptz,
        ${now}::timestamptz from funded
      on conflict (space_id, end_user_ref, name) do update set last_position = conversations.last_position + 1,
        user_id = excluded.user_id, test = excluded.test,
        last_turn_at = greatest(conversations.last_turn_at, excluded.last_turn_at)
      returning conversation_id, last_position
    ), made as (
      insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref,
        idempotency_key, request_hash, text, file_ids, model, metadata, max_cost_credit_micros, timeout_seconds,
        hold_credit_micros, held_credit_micros, window_started_at, wake_at, created_at)
      select ${newId("turn", now)}, user_id, key_id, space_id, conversation_id, last_position, test,
        ${body.end_user_ref}, ${idempotencyKey}, ${requestHash}, ${body.text}, ${JSON.stringify(body.files ?? [])}::jsonb, pin,
        ${JSON.stringify(body.metadata ?? {})}::jsonb, ${maxCost}::bigint, ${body.timeout_seconds ?? null}::integer,
        amount, amount, window_started_at, ${wake}::timestamptz, ${now}::timestamptz
      from funded, conversation
      returning *
    ), event as (
      insert into turn_events (turn_id, seq, event_id, type, data, created_at)
      select turn_id, last_event_seq, ${newId("event", now)}, 'turn.queued', '{"state": "queued"}', created_at from made
    )`,
    select: sql`select
      (select ${turnJson} || ${hookedJson} from made t, space s) as made,
      (select to_jsonb(existing) from existing) as existing,
      coalesce((select in_scope from existing), false) as existing_in_scope,
      (select to_jsonb(hold) from hold) as hold,
      (select to_jsonb(t) || ${hookedJson} from refused t where t.told) as told, ${admissionColumns(body)}
      from caller`,
  })
  if (row.told) wakeWebhooks(ctx, row.told)
  return row
}

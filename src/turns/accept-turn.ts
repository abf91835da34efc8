import { sql } from "kysely"
import { fromUsd, toUsd } from "../billing/money.ts"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { type Actor, inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { keyReused, type Made } from "../identity/once.ts"
import { violates } from "../platform/db.ts"
import { newId } from "../platform/ids.ts"
import { hashRequest } from "../request-hash.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import type { CreateTurn } from "./schemas.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

interface AcceptRow {
  made: TurnRow | null
  existing: TurnRow | null
  existing_in_scope: boolean
  space: { archived: boolean } | null
  pin: string | null
  conversation_known: boolean
  files_known: boolean
  end_user_blocked: boolean
  available: number
  held: number
}

/**
 * Accepts a turn: places its hold, takes its place in its conversation and writes the turn with its first event, in one
 * statement; then publishes its callback in the background. With an Idempotency-Key that was used, answers the same
 * turn (`replayed`). Errors: NOT_FOUND, VALIDATION_FAILED, END_USER_BLOCKED, IDEMPOTENCY_KEY_REUSED, INSUFFICIENT_CREDITS;
 * none is stored.
 */
export async function acceptTurn(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, body }: { idempotencyKey: string; body: CreateTurn },
): Promise<Made<TurnRow>> {
  const requestHash = hashRequest(body)
  const attempt = () => runAccept(ctx, credential, idempotencyKey, requestHash, body)

  let answer = await attempt().catch((error: unknown) => {
    if (violates(error, "turns_user_id_test_idempotency_key_key")) return null
    throw error
  })
  // The twin of this request got in first, or took the last credit: look again, now that it has committed.
  if (!answer || refusedForCredit(answer.row)) answer = await attempt()

  const { row, actor } = answer
  if (row.existing) {
    if (row.existing.erased_at !== null) {
      throw new TurnpikeError("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key belongs to a turn that was erased.")
    }
    if (row.existing.request_hash !== requestHash || !row.existing_in_scope) {
      throw keyReused()
    }
    return { made: row.existing, replayed: true }
  }
  if (!row.made) throw refusal(row, body, actor)
  ctx.background(publishTurn(ctx, row.made, { because: "accept" }))
  wakeWebhooks(ctx, row.made)
  return { made: row.made, replayed: false }
}

function refusedForCredit(row: AcceptRow): boolean {
  const admitted = row.space?.archived === false && row.pin !== null && row.conversation_known && row.files_known
  return !row.made && !row.existing && admitted && !row.end_user_blocked
}

function refusal(row: AcceptRow, body: CreateTurn, actor: Actor): TurnpikeError {
  if (!row.space) {
    return new TurnpikeError("NOT_FOUND", `There is no space "${body.space}" that you can see.`, {
      param: "space",
    })
  }
  if (row.space.archived) {
    return new TurnpikeError("SPACE_ARCHIVED", `The space "${body.space}" is archived and takes no turns.`, {
      param: "space",
    })
  }
  if (row.end_user_blocked) {
    const message = "The account has blocked this end user: it may send no new turns."
    return new TurnpikeError("END_USER_BLOCKED", message, { param: "end_user_ref" })
  }
  if (!row.pin) {
    const message = body.model
      ? `There is no enabled model with the pin "${body.model}".`
      : "The space's model is not enabled any more; name another one."
    return new TurnpikeError("VALIDATION_FAILED", message, { param: "model" })
  }
  if (!row.conversation_known) {
    const message = `There is no conversation "${body.conversation}" of this end user in this space.`
    return new TurnpikeError("NOT_FOUND", message, { param: "conversation" })
  }
  if (!row.files_known) {
    const message = "At least one of the files is not in this space, or not there any more."
    return new TurnpikeError("NOT_FOUND", message, { param: "files" })
  }
  if (actor.test) return new TurnpikeError("CONFLICT", "The turn was not accepted. Try again.")
  const held = row.held > 0 ? ` ${toUsd(row.held)} USD are held by turns under way.` : ""
  return new TurnpikeError("INSUFFICIENT_CREDITS", `Nothing of the balance is available: top up.${held}`, {
    details: {
      balance_usd: toUsd(row.available + row.held),
      held_usd: toUsd(row.held),
      available_usd: toUsd(row.available),
    },
  })
}

function runAccept(
  ctx: Context,
  credential: Credential,
  idempotencyKey: string,
  requestHash: string,
  body: CreateTurn,
) {
  const now = ctx.clock.now()
  // Its callback is published behind this; the sweeper looks when that should have arrived.
  const wake = new Date(now.getTime() + TURN_POLICY.republishMs)
  const maxCost = body.max_cost_usd === undefined ? null : fromUsd(body.max_cost_usd)
  const byId = body.conversation?.startsWith("conv_") ? body.conversation : null
  const name = body.conversation ?? "default"
  const wanted = maxCost ?? TURN_POLICY.defaultHold
  const files = JSON.stringify(body.files ?? [])
  const filesKnown = body.files?.length
    ? sql`${body.files.length}::integer = (select count(*) from files f, space where f.space_id = space.space_id
        and f.state = 'ready' and f.file_id in (select jsonb_array_elements_text(${files}::jsonb)))`
    : sql`true`
  return queryAs<AcceptRow>(ctx, credential, {
    ctes: sql`existing as materialized (
      select t.*, s.slug as space, ${inScope} as in_scope
      from turns t join spaces s on s.space_id = t.space_id, caller
      where t.user_id = caller.user_id and t.test = caller.test and t.idempotency_key = ${idempotencyKey}
    ), space as materialized (
      select s.* from spaces s, caller where s.slug = ${body.space} and ${inScope}
    ), pin as materialized (
      select c.pin from model_catalog c, caller, space where c.enabled and case
        when caller.test then c.engine = 'rehearsal'
        when coalesce(${body.model ?? null}::text, space.manifest ->> 'model', space.model) is not null
          then c.pin = coalesce(${body.model ?? null}::text, space.manifest ->> 'model', space.model)
        else true end
      order by c.sort_order, c.pin limit 1
    ), place as materialized (
      select space.space_id, coalesce(c.name, ${name}::text) as name
      from space left join conversations c
        on c.conversation_id = ${byId}::text and c.space_id = space.space_id and c.end_user_ref = ${body.end_user_ref}
      where ${byId}::text is null or c.conversation_id is not null
    ), blocked as materialized (
      select 1 from end_users e, caller where e.user_id = caller.user_id and e.test = caller.test
        and e.end_user_ref = ${body.end_user_ref} and e.blocked
    ), admitted as materialized (
      select caller.user_id, caller.key_id, caller.test, space.slug, pin.pin, place.space_id, place.name
      from caller, space, pin, place
      where space.archived_at is null and not exists (select 1 from existing) and not exists (select 1 from blocked)
        and ${filesKnown}
    ), hold as (
      update wallets w set
        held_credit_micros = held_credit_micros + least(${wanted}::bigint, balance_credit_micros - held_credit_micros),
        last_hold_credit_micros = least(${wanted}::bigint, balance_credit_micros - held_credit_micros)
      from admitted
      where w.user_id = admitted.user_id and not admitted.test and balance_credit_micros - held_credit_micros > 0
      returning w.last_hold_credit_micros as amount
    ), funded as materialized (
      select admitted.*, hold.amount from admitted, hold
      union all select admitted.*, 0 from admitted where admitted.test
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
        hold_credit_micros, held_credit_micros, wake_at, created_at)
      select ${newId("turn", now)}, user_id, key_id, space_id, conversation_id, last_position, test,
        ${body.end_user_ref}, ${idempotencyKey}, ${requestHash}, ${body.text}, ${files}::jsonb, pin,
        ${JSON.stringify(body.metadata ?? {})}::jsonb, ${maxCost}::bigint, ${body.timeout_seconds ?? null}::integer,
        amount, amount, ${wake}::timestamptz, ${now}::timestamptz
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
      (select jsonb_build_object('archived', archived_at is not null) from space) as space,
      (select pin from pin) as pin,
      exists (select 1 from place) as conversation_known, ${filesKnown} as files_known,
      exists (select 1 from blocked) as end_user_blocked,
      coalesce(w.balance_credit_micros - w.held_credit_micros, 0) as available,
      coalesce(w.held_credit_micros, 0) as held
      from caller left join wallets w on w.user_id = caller.user_id`,
  })
}

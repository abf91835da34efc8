import { type RawBuilder, sql } from "kysely"
import { promptTokenBound } from "../agent/estimate.ts"
import { fromUsd } from "../billing/money.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope } from "../identity/actor.ts"
import { QUOTA_POLICY } from "../quotas/policies.ts"
import { TURN_POLICY } from "./policies.ts"
import type { CreateTurn } from "./schemas.ts"

/** Whether a turn may be sent at all, apart from money. */
export interface AdmissionRow {
  space: { archived: boolean } | null
  pin: string | null
  conversation_known: boolean
  files_known: boolean
  end_user_blocked: boolean
}

/**
 * The CTEs behind `caller` that look at what a turn names: `space`, `pin` (its model, with the least that its first call can cost),
 * `place` (its conversation) and `blocked`; and `admitted`, one row when nothing stands against it and `unless` is false:
 * with `wanted`, the hold that it asks for, and `needed`, without which it could not make its first model call (`short_needed`,
 * had it a short text).
 */
export function admissionCtes(body: CreateTurn, { unless }: { unless: RawBuilder<unknown> }): RawBuilder<unknown> {
  const byId = body.conversation?.startsWith("conv_") ? body.conversation : null
  const wanted = sql`${body.max_cost_usd === undefined ? TURN_POLICY.defaultHold : fromUsd(body.max_cost_usd)}::bigint`
  const message = { role: "user" as const, content: [{ type: "text" as const, text: body.text }] }
  const tokens = promptTokenBound({ engine: "rehearsal", messages: [message], tools: [] })
  const beside = tokens - new TextEncoder().encode(body.text).length
  const leastCost = (promptTokens: number) => sql`ceil((greatest(c.price_input, c.price_cached)::numeric
    * ${promptTokens}::bigint + c.price_output::numeric * least(${TURN_POLICY.minOutputTokens}::bigint, c.max_output_tokens,
      (space.manifest ->> 'max_output_tokens')::bigint)) / 1000000)::bigint`
  return sql`space as materialized (
      select s.* from spaces s, caller where s.slug = ${body.space} and ${inScope}
    ), pin as materialized (
      select c.pin, ${leastCost(tokens)} as least_cost,
        ${leastCost(Math.min(tokens, beside + QUOTA_POLICY.shortTextBytes))} as short_cost
      from model_catalog c, caller, space where c.enabled and case
        when caller.test then c.engine = 'rehearsal'
        when coalesce(${body.model ?? null}::text, space.manifest ->> 'model', space.model) is not null
          then c.pin = coalesce(${body.model ?? null}::text, space.manifest ->> 'model', space.model)
        else true end
      order by c.sort_order, c.pin limit 1
    ), place as materialized (
      select space.space_id, coalesce(c.name, ${body.conversation ?? "default"}::text) as name
      from space left join conversations c
        on c.conversation_id = ${byId}::text and c.space_id = space.space_id and c.end_user_ref = ${body.end_user_ref}
      where ${byId}::text is null or c.conversation_id is not null
    ), blocked as materialized (
      select 1 from end_users e, caller where e.user_id = caller.user_id and e.test = caller.test
        and e.end_user_ref = ${body.end_user_ref} and e.blocked
    ), admitted as materialized (
      select caller.user_id, caller.key_id, caller.test, space.slug, pin.pin, place.space_id, place.name, ${wanted} as wanted,
        greatest(1, least(${wanted}, pin.least_cost)) as needed,
        greatest(1, least(${wanted}, pin.short_cost)) as short_needed
      from caller, space, pin, place
      where space.archived_at is null and not (${unless}) and not exists (select 1 from blocked) and ${filesKnown(body)}
    )`
}

/**
 * The CTE `hold` behind those, which HoldRow reads: take_hold takes the hold of an admitted turn, room_for only says what that would
 * come to. A test turn has none.
 */
export function holdCte(body: CreateTurn, { by, now }: { by: "take_hold" | "room_for"; now: Date }) {
  return sql`hold as materialized (
    select admitted.needed, h.* from admitted, lateral ${sql.raw(by)}(admitted.user_id, admitted.key_id, ${body.end_user_ref},
      admitted.wanted, admitted.needed, ${now}::timestamptz, true, null) h
    where not admitted.test
  )`
}

/** The columns of AdmissionRow. */
export function admissionColumns(body: CreateTurn): RawBuilder<unknown> {
  return sql`(select jsonb_build_object('archived', archived_at is not null) from space) as space,
    (select pin from pin) as pin,
    exists (select 1 from place) as conversation_known, ${filesKnown(body)} as files_known,
    exists (select 1 from blocked) as end_user_blocked`
}

function filesKnown({ files }: CreateTurn): RawBuilder<unknown> {
  if (!files?.length) return sql`true`
  return sql`${files.length}::integer = (select count(*) from files f, space where f.space_id = space.space_id
    and f.state = 'ready' and f.file_id in (select jsonb_array_elements_text(${JSON.stringify(files)}::jsonb)))`
}

/** Why a turn may not be sent, apart from money; null when it may. */
export function admissionRefusal(row: AdmissionRow, body: CreateTurn): TurnpikeError | null {
  if (!row.space) {
    const message = `There is no space "${body.space}" that you can see.`
    return new TurnpikeError("NOT_FOUND", message, { param: "space" })
  }
  if (row.space.archived) {
    const message = `The space "${body.space}" is archived and takes no turns.`
    return new TurnpikeError("SPACE_ARCHIVED", message, { param: "space" })
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
  return null
}

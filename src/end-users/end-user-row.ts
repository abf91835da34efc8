import { type RawBuilder, sql } from "kysely"
import { toUsd } from "../billing/money.ts"
import { TurnpikeError } from "../errors.ts"
import { spaceInScope } from "../identity/actor.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { type CapRow, endUserCaps, serializeCapState } from "../quotas/cap-state.ts"
import { toInstant } from "../time.ts"
import type { EndUser } from "./schemas.ts"

export type LimitsRow = JsonRow<"end_users">

/** What there is to say of an end user, as far as a key may see it. Amounts in credit micros. */
export interface EndUserRow {
  end_user_ref: string
  first_turn_at: string | null
  last_turn_at: string | null
  turns: number
  billed: number
  billed_this_month: number
  billed_today: number
  limits: LimitsRow | null
  caps: CapRow[]
}

/** The scope of a statement of a key, for tables `alias` that name their owner. */
export const ownedBy = (alias: "c" | "t" | "e") =>
  sql`${sql.ref(`${alias}.user_id`)} = (select user_id from caller) and ${sql.ref(`${alias}.test`)} = (select test from caller)`

/**
 * The jsonb of the EndUserRow of `ref`, an SQL expression; `limits` is a table or CTE of rows of end_users. A conversation
 * knows its turns by their number; amounts are summed from the narrow index of billed turns.
 */
export function endUserJson(ref: RawBuilder<unknown>, now: Date, limits = sql`end_users`): RawBuilder<unknown> {
  const today = sql`date_trunc('day', ${now}::timestamptz, 'UTC')`
  const month = sql`date_trunc('month', ${now}::timestamptz, 'UTC')`
  const theirs = sql`${ownedBy("e")} and e.end_user_ref = ${ref}`
  return sql`(select jsonb_build_object('end_user_ref', ${ref}, 'turns', coalesce(sum(c.last_position), 0),
      'first_turn_at', min(c.created_at), 'last_turn_at', max(c.last_turn_at))
    from conversations c
    where ${ownedBy("c")} and c.end_user_ref = ${ref} and c.last_turn_at is not null and ${spaceInScope("c.space_id")}
  ) || (select jsonb_build_object('billed', coalesce(sum(t.billed_credit_micros), 0),
      'billed_this_month', coalesce(sum(t.billed_credit_micros) filter (where t.finished_at >= ${month}), 0),
      'billed_today', coalesce(sum(t.billed_credit_micros) filter (where t.finished_at >= ${today}), 0))
    from turns t
    where ${ownedBy("t")} and t.end_user_ref = ${ref} and t.billed_credit_micros > 0 and t.key_id is not null
      and ${spaceInScope("t.space_id")}
  ) || jsonb_build_object('limits', (select to_jsonb(e) from ${limits} e where ${theirs}),
    'caps', ${endUserCaps(ref, sql`${limits} e on ${theirs}`, now)})`
}

export function serializeLimits(row: LimitsRow | null): EndUser["limits"] {
  const { daily_limit_credit_micros: daily = null, monthly_limit_credit_micros: monthly = null } = row ?? {}
  return {
    daily_usd: daily === null ? null : toUsd(daily),
    monthly_usd: monthly === null ? null : toUsd(monthly),
    blocked: row?.blocked ?? false,
  }
}

export function serializeEndUser(row: EndUserRow): EndUser {
  return {
    end_user_ref: row.end_user_ref,
    first_turn_at: toInstant(row.first_turn_at),
    last_turn_at: toInstant(row.last_turn_at),
    turns: row.turns,
    billed_usd: toUsd(row.billed),
    billed_this_month_usd: toUsd(row.billed_this_month),
    billed_today_usd: toUsd(row.billed_today),
    limits: serializeLimits(row.limits),
    caps: row.caps.map(serializeCapState),
  }
}

/** Nothing is known of it: no turn that the key can see, and no limits that a key of the whole account would see. */
export function endUserNotFound(ref: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no end user "${ref}" that you can see.`)
}

/** What belongs to the account and not to a space is for keys that see the whole account. */
export function needsScopeAll(what: string): TurnpikeError {
  return new TurnpikeError("SCOPE_DENIED", `${what} needs a key with the scope \`all\`.`)
}

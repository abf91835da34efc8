import { sql } from "kysely"
import { fromUsd } from "../billing/money.ts"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type EndUserRow, endUserJson, needsScopeAll } from "./end-user-row.ts"
import type { PutLimits } from "./schemas.ts"

/** Replaces an end user's limits; it need not have sent a turn yet. They are the account's: SCOPE_DENIED for narrower keys. */
export async function putLimits(
  ctx: Context,
  credential: Credential,
  ref: string,
  { daily_usd, monthly_usd, blocked }: PutLimits,
): Promise<EndUserRow> {
  const now = ctx.clock.now()
  const micros = (usd: number | null) => (usd === null ? null : fromUsd(usd))
  const { actor, row } = await queryAs<{ end_user: EndUserRow }>(ctx, credential, {
    ctes: sql`saved as (
      insert into end_users (user_id, test, end_user_ref, daily_limit_credit_micros, monthly_limit_credit_micros, blocked,
        created_at, updated_at)
      select user_id, test, ${ref}, ${micros(daily_usd)}::bigint, ${micros(monthly_usd)}::bigint,
        ${blocked ?? false}::boolean, ${now}::timestamptz, ${now}::timestamptz
      from caller where scope = 'all'
      on conflict (user_id, test, end_user_ref) do update set blocked = excluded.blocked, updated_at = excluded.updated_at,
        daily_limit_credit_micros = excluded.daily_limit_credit_micros,
        monthly_limit_credit_micros = excluded.monthly_limit_credit_micros
      returning *
    )`,
    select: sql`select ${endUserJson(sql`${ref}::text`, now, sql`saved`)} as end_user`,
  })
  if (actor.scope !== "all") throw needsScopeAll("Setting an end user's limits")
  return row.end_user
}

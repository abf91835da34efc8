import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { serializeCapState } from "../quotas/cap-state.ts"
import { type RateState, rateStates, serializeRate } from "../quotas/rate.ts"
import type { EndUser } from "./schemas.ts"

/** An end user as a caller sees it. */
export type EndUserRow = Answers["end_user_answer"]

function serializeLimits(row: EndUserRow["limits"]): EndUser["limits"] {
  const { daily_limit_credit_micros: daily = null, monthly_limit_credit_micros: monthly = null } = row ?? {}
  return {
    daily_usd: daily === null ? null : toUsd(daily),
    monthly_usd: monthly === null ? null : toUsd(monthly),
    blocked: row?.blocked ?? false,
    rate: serializeRate(row?.rate ?? null),
  }
}

export async function serializeEndUser(ctx: Context, row: EndUserRow): Promise<EndUser> {
  const [only] = await serializeEndUsers(ctx, [row])
  return only as EndUser
}

/** The counters of all their rates are read together. */
export async function serializeEndUsers(ctx: Context, rows: readonly EndUserRow[]): Promise<EndUser[]> {
  const rates = await rateStates(
    ctx,
    rows.map((row) => ({ ...row.rated, endUser: row.end_user_ref })),
  )
  return rows.map((row, nth) => shownEndUser(row, rates[nth] ?? []))
}

function shownEndUser(row: EndUserRow, rates: RateState[]): EndUser {
  return {
    end_user_ref: row.end_user_ref,
    first_turn_at: toInstant(row.first_turn_at),
    last_turn_at: toInstant(row.last_turn_at),
    turns: row.turns,
    billed_usd: toUsd(row.billed),
    billed_this_month_usd: toUsd(row.billed_this_month),
    billed_today_usd: toUsd(row.billed_today),
    refunded_usd: toUsd(row.refunded),
    limits: serializeLimits(row.limits),
    caps: row.caps.map(serializeCapState),
    rates,
  }
}

/** Thrown if the end user has no turns that the caller can see, and no limits that it can see. */
export function endUserNotFound(ref: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no end user "${ref}" that you can see.`)
}

/** Data of the account, and not of a space, is only for keys that can access the whole account. */
export function needsScopeAll(what: string): TurnpikeError {
  return new TurnpikeError("SCOPE_DENIED", `${what} needs a key with the scope \`all\`.`)
}

/** An end user, with the turns that the caller can see. Throws NOT_FOUND. */
export async function getEndUser(ctx: Context, credential: Credential, ref: string): Promise<EndUserRow> {
  const { actor, row } = await callAs(ctx, credential, "get_end_user", { ref })
  const { end_user: endUser } = row
  if (endUser && (endUser.turns > 0 || (endUser.limits !== null && actor.scope === "all"))) return endUser
  throw endUserNotFound(ref)
}

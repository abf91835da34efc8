import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { getEndUser } from "../end-users/get-end-user.ts"
import { getKey } from "../keys/list-keys.ts"
import type { CapReachedRow } from "../webhooks/account-events.ts"
import { listEvents } from "../webhooks/list-events.ts"
import { ATTENTION_POLICY } from "./policies.ts"

/** A cap of a key or an end user, with what is spent of it now. */
interface ReachedCap {
  /** The end user, the key or the space; null: the plan of the account. */
  id: string | null
  title: CapReachedRow["cap"]
  used_usd: number
  limit_usd: number
  since: string
  until: string
  /** False: only most of it is used. */
  is_full: boolean
}

/**
 * The caps that are mostly used in a period that is not over, and when a cap was last in the way. The events say
 * which caps those are. Each is read again, because it may have been raised since.
 */
export async function reachedCaps(
  ctx: Context,
  credential: SessionCredential,
  now: Date,
): Promise<{ items: ReachedCap[]; last_at: string | null }> {
  const { data: events } = await listEvents(ctx, credential, {
    // The longest period of a cap is a month.
    filters: { type: "cap.reached", order: "desc", created_after: new Date(now.getTime() - 31 * DAY_MS).toISOString() },
    limit: ATTENTION_POLICY.lookedAt,
  })
  const told = events.map((event) => ({ ...storedRow<CapReachedRow>(event.data), at: toInstant(event.created_at) }))
  const current = told.filter(({ resets_at }) => new Date(String(resets_at)) > now)
  // Newest first, so the first event of a cap is its newest.
  const newest = [
    ...Map.groupBy(current, ({ cap, key_id, end_user_ref, space }) =>
      [cap, key_id, end_user_ref, space].join(" "),
    ).values(),
  ]
    .flatMap(([first]) => first ?? [])
    .slice(0, ATTENTION_POLICY.each)
  const items = await Promise.all(newest.map((one) => stateOf(ctx, credential, one)))
  const ends = told.map(({ at, resets_at }) => {
    const reset = toInstant(String(resets_at))
    return reset > now.toISOString() ? at : reset
  })
  return { items: items.flatMap((one) => one ?? []), last_at: ends.sort().at(-1) ?? null }
}

/** Null if the cap was raised or removed since, or its end user is gone. */
async function stateOf(
  ctx: Context,
  credential: SessionCredential,
  of: CapReachedRow & { at: string },
): Promise<ReachedCap | null> {
  const { cap, key_id, end_user_ref, space, resets_at, at } = of
  const states =
    end_user_ref === null
      ? key_id === null
        ? [of]
        : (await ifFound(getKey(ctx, credential, key_id)))?.cap_states
      : (await ifFound(getEndUser(ctx, credential, end_user_ref)))?.caps
  const state = states?.find((one) => one.cap === cap)
  if (!state) return null
  const used = state.spent_credit_micros + state.reserved_credit_micros
  // An event of 100 % is also written if what is left of the limit is too small for a turn.
  const isTold = of.percent === 100 && of.limit_credit_micros === state.limit_credit_micros
  const isFull = isTold || used >= state.limit_credit_micros
  if (!isFull && used * 100 < state.limit_credit_micros * ATTENTION_POLICY.capPercent) return null
  return {
    id: end_user_ref ?? key_id ?? space,
    title: cap,
    used_usd: toUsd(used),
    limit_usd: toUsd(state.limit_credit_micros),
    since: at,
    until: toInstant(String(resets_at)),
    is_full: isFull,
  }
}

const ifFound = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error) => {
    if (error instanceof TurnpikeError && error.code === "NOT_FOUND") return null
    throw error
  })

import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { toUsd } from "../base/money.ts"
import { callOne } from "../platform/db.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { ANOMALY_KINDS, type AnomalyKind, subjectOf } from "./anomaly.ts"
import { dateOfDay } from "./outlook.ts"
import { dayNumber } from "./pace.ts"
import { UNUSUAL_POLICY } from "./policies.ts"
import { usualIfExceeded } from "./unusual.ts"

type Place = Answers["comparison_place"]
/** A place in an account. */
type PlaceWithin = Place & { kind: AnomalyKind; after: string }

const isWithin = (place: Place | null): place is PlaceWithin => place !== null && place.kind !== null
/** After an account. */
const placeAfter = ({ day, user_id }: Pick<Place, "day" | "user_id">): Place => ({
  day,
  user_id,
  kind: null,
  after: null,
})

/**
 * Compares the spend of the days that were not complete in the last round with the pattern of each end user, key and
 * space. When its time is over, the next sweep continues. An account that fails does not stop the others. The next
 * round compares it again, but not on a day that was complete: for that day, its rest is only in the log.
 */
export async function sweepAnomalies(ctx: Context): Promise<{ accounts: number; told: number; failed: number }> {
  const swept = { accounts: 0, told: 0, failed: 0 }
  const now = ctx.clock.now()
  const isOver = () => ctx.clock.now().getTime() > now.getTime() + UNUSUAL_POLICY.sweepMs
  let { place } = await callOne(ctx.db, "begin_comparison", {
    moment: now,
    every: UNUSUAL_POLICY.everyMs / 1_000,
    closed: UNUSUAL_POLICY.closedMs / 1_000,
    days: UNUSUAL_POLICY.lateDays,
  })
  if (!place) return swept
  while (place && !isOver()) {
    if (!isWithin(place)) {
      place = await nextAccount(ctx, place, dayNumber(now))
      if (isWithin(place)) swept.accounts++
      continue
    }
    try {
      const page: Awaited<ReturnType<typeof comparePage>> = await comparePage(ctx, place)
      swept.told += page.told
      place = page.place
    } catch (error) {
      swept.failed++
      ctx.log("error", "anomalies.failed", { user_id: place.user_id, day: place.day, error: describeError(error) })
      place = placeAfter(place)
    }
  }
  const forget = dateOfDay(dayNumber(now) - UNUSUAL_POLICY.keptDays)
  await callOne(ctx.db, "end_comparison", { place, forget, limit: UNUSUAL_POLICY.forgotten })
  return swept
}

/** Null: the last account of the last day was compared. */
async function nextAccount(ctx: Context, { day, user_id }: Place, today: number): Promise<Place | null> {
  const { account, last } = await callOne(ctx.db, "next_spending_account", {
    day,
    after: user_id,
    floor: UNUSUAL_POLICY.floor,
    limit: UNUSUAL_POLICY.accounts,
  })
  if (account !== null) return { day, user_id: account, kind: ANOMALY_KINDS[0], after: "" }
  if (last !== null) return placeAfter({ day, user_id: last })
  const next = dayNumber(new Date(day)) + 1
  return next <= today ? placeAfter({ day: dateOfDay(next), user_id: 0 }) : null
}

/** Compares a page of the end users, keys or spaces of an account. */
async function comparePage(ctx: Context, place: PlaceWithin): Promise<{ place: Place; told: number }> {
  const { day: date, user_id, kind, after } = place
  const day = dayNumber(new Date(date))
  const first = day - UNUSUAL_POLICY.days
  const { spenders, last } = await callOne(ctx.db, "high_spenders", {
    user_id,
    kind,
    from: dateOfDay(first),
    day: date,
    after,
    limit: UNUSUAL_POLICY.page,
    floor: UNUSUAL_POLICY.floor,
    times: UNUSUAL_POLICY.times,
  })
  const found = (spenders ?? []).flatMap(({ subject, spent, before }) => {
    const known = new Map(before.map((one) => [dayNumber(new Date(one.day)), one.amount]))
    const amounts = Array.from({ length: UNUSUAL_POLICY.days }, (_, index) => known.get(first + index) ?? 0)
    const usual = usualIfExceeded(spent, { first, amounts }, day)
    return usual === null ? [] : { anomaly_id: newId("anomaly", ctx.clock.now()), subject, spent, usual }
  })
  return { place: nextPage(place, last), told: found.length === 0 ? 0 : await tell(ctx, place, found) }
}

function nextPage(place: PlaceWithin, last: string | null): Place {
  if (last !== null) return { ...place, after: last }
  const kind = ANOMALY_KINDS[ANOMALY_KINDS.indexOf(place.kind) + 1]
  return kind ? { ...place, kind, after: "" } : placeAfter(place)
}

/** Tells the new anomalies of a page, each page in its own email. Returns how many these are. */
async function tell(ctx: Context, { day, user_id, kind }: PlaceWithin, found: Answers["found_anomaly"][]) {
  const { told, account } = await callOne(ctx.db, "tell_anomalies", {
    user_id,
    kind,
    day,
    found,
    most: UNUSUAL_POLICY.mostPerDay,
    moment: ctx.clock.now(),
  })
  if (!told?.length || !account) return 0
  const anomalies = told.map(({ anomaly_id, subject, spent, usual }) => ({
    anomaly_id,
    ...subjectOf(kind, subject),
    spent_usd: toUsd(spent),
    usual_usd: toUsd(usual),
  }))
  sendEmail(ctx, { kind: "anomaly_found", to: account.email, brand: account.brand, data: { day, anomalies } })
  return told.length
}

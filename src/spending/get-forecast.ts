import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { startOfUnit } from "../base/report-range.ts"
import { DAY_MS } from "../base/time.ts"
import { dateOfDay, firstDayOf, type MonthOutlook, monthOutlook } from "./outlook.ts"
import { dayNumber, expectedUntil, lastsUntil, type PlannedCredit } from "./pace.ts"
import { PACE_POLICY } from "./policies.ts"

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

export const forecastSchema = z
  .object({
    as_of: z.iso.datetime(),
    month: z.string().meta({ description: "The current month (UTC).", example: "2026-11" }),
    spent_usd: z.number().meta({
      description:
        "Spent this month: the bills of turns that ended in it, less the refunds that were booked in it, and the charges without a turn.",
      example: 22.4,
    }),
    expected_usd: z.number().nullable().meta({
      description:
        "The expected spend of the whole month: `spent_usd`, and the pace for the rest. Null without a pace.",
      example: 41.2,
    }),
    next_month_usd: z
      .number()
      .nullable()
      .meta({ description: "The expected spend of the next month. Null without a pace.", example: 44.9 }),
    balance_usd: z.number().meta({ description: "The balance, including held amounts.", example: 17.1 }),
    lasts_until: z.iso
      .date()
      .nullable()
      .meta({
        description:
          `The day (UTC) on which the balance is used up at this pace. Null without a pace, and if it lasts more than ` +
          `${PACE_POLICY.longestDays} days.`,
        example: "2026-12-02",
      }),
    lasts_days: z
      .int()
      .nullable()
      .meta({ description: "The number of days from today until `lasts_until`.", example: 12 }),
    pace: z
      .object({
        method: z.enum(["weekdays", "average"]).meta({
          description:
            `\`weekdays\`: the average of recent days, times the part that each day of the week has. \`average\`: the ` +
            `account has less than ${PACE_POLICY.weekdayDays} days, so all days count as equal.`,
        }),
        days: z.int().meta({
          description:
            `The days before today that count, from the first charge on, at most ${PACE_POLICY.days}. A day ` +
            `${PACE_POLICY.halfLifeDays} days ago counts half. A day counts as at most ${PACE_POLICY.highest} times the median.`,
          example: 56,
        }),
        weekdays: z
          .array(z.object({ weekday: z.enum(WEEKDAYS), usd: z.number().meta({ example: 1.85 }) }))
          .meta({ description: "The expected spend of each day of the week." }),
        daily_cap_usd: z.number().nullable().meta({
          description: "The daily cap of the plan: the forecast expects no more on a day. Null: no cap.",
          example: null,
        }),
      })
      .nullable()
      .meta({
        description: `How the forecast is made. Null: fewer than ${PACE_POLICY.leastDays} days since the first charge.`,
      }),
    credits: z
      .array(z.object({ date: z.iso.date().meta({ example: "2026-12-01" }), usd: z.number().meta({ example: 10 }) }))
      .meta({ description: "The credit that plans will add before the balance is used up." }),
  })
  .meta({ id: "Forecast" })

type Forecast = z.infer<typeof forecastSchema>

/** The expected spend of the caller's account, and how long its balance lasts. */
export async function getForecast(ctx: Context, credential: SessionCredential): Promise<Forecast> {
  const now = ctx.clock.now()
  const { row } = await callAs(ctx, credential, "get_forecast", {
    from: dateOfDay(firstDayOf(now)),
    until: new Date((dayNumber(now) + PACE_POLICY.longestDays) * DAY_MS),
  })
  const credits = (row.credits ?? []).map(({ at, amount }) => ({ day: dayNumber(new Date(at)), amount }))
  const month = monthOutlook(row.days ?? [], { now, dailyCap: row.daily_cap })
  return {
    as_of: now.toISOString(),
    month: now.toISOString().slice(0, 7),
    spent_usd: toUsd(month.spent),
    balance_usd: toUsd(row.balance ?? 0),
    ...expectations({ ...month, balance: row.balance ?? 0, credits, now }),
  }
}

interface Known extends MonthOutlook {
  balance: number
  credits: PlannedCredit[]
  now: Date
}

function expectations({ outlook, spent, balance, credits, now }: Known) {
  if (!outlook)
    return { expected_usd: null, next_month_usd: null, lasts_until: null, lasts_days: null, pace: null, credits: [] }
  const [next, afterNext] = [1, 2].map((later) => dayNumber(startOfUnit("month", now, later))) as [number, number]
  const rest = expectedUntil(next, outlook)
  const last = lastsUntil(balance, credits, outlook)
  return {
    expected_usd: toUsd(spent + rest),
    next_month_usd: toUsd(expectedUntil(afterNext, outlook) - rest),
    lasts_until: last === null ? null : dateOfDay(last),
    lasts_days: last === null ? null : last - outlook.today,
    pace: {
      method: outlook.pace.method,
      days: outlook.pace.days,
      weekdays: WEEKDAYS.map((weekday, index) => ({ weekday, usd: toUsd(outlook.pace.weekdays[index] ?? 0) })),
      daily_cap_usd: outlook.dailyCap === null ? null : toUsd(outlook.dailyCap),
    },
    credits: credits
      .filter(({ day }) => last === null || day <= last)
      .map(({ day, amount }) => ({ date: dateOfDay(day), usd: toUsd(amount) })),
  }
}

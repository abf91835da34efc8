import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { refundSums, refundsOf } from "../base/refunds.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"

export const CUSTOMER_SORTS = [
  "today",
  "month",
  "all_time",
  "share",
  "turns",
  "last_turn",
  "latency",
  "failed",
  "name",
] as const

export interface CustomerFilters {
  /** A part of the reference. Case does not matter. */
  q?: string | undefined
  blocked?: boolean | undefined
}

interface CustomerPage {
  sort: (typeof CUSTOMER_SORTS)[number]
  direction: "asc" | "desc"
  limit: number
  offset: number
}

/** The days of a trend, including today. */
export const TREND_DAYS = 30

const usd = (description: string) => z.number().meta({ description, example: 1.25 })

const spendSchema = {
  turns: z.int().meta({ description: "The turns that have ended.", example: 120 }),
  billed_usd: usd("The total billed amount, in USD."),
  billed_this_month_usd: usd("The amount that was billed in this UTC month."),
  billed_today_usd: usd("The amount that was billed in this UTC day."),
  ...refundSums,
  refunded_this_month_usd: usd("The amount of the refunds that were booked in this UTC month."),
  refunded_today_usd: usd("The amount of the refunds that were booked in this UTC day."),
  month: z
    .object({
      turns: z.int().meta({ example: 40 }),
      done: z.int().meta({ example: 38 }),
      failed: z.int().meta({ example: 1 }),
      success_rate: z
        .number()
        .nullable()
        .meta({ description: "done / (done + failed). Null without such turns.", example: 0.9744 }),
      avg_seconds: z
        .number()
        .nullable()
        .meta({ description: "The average time from acceptance to end. Null without turns.", example: 2.4 }),
    })
    .meta({ id: "CustomerMonth", description: "The turns that ended in this UTC month." }),
}

const useSchema = z
  .object({
    source: z
      .enum(["end_user", "account"])
      .meta({ description: "The end user's own limit, or the account's default for all end users." }),
    limit_usd: z.number().meta({ example: 5 }),
    spent_usd: z.number().meta({ description: "Spent in this period (UTC).", example: 1.25 }),
    reserved_usd: z.number().meta({ description: "Held by open turns of this period.", example: 0 }),
  })
  .meta({ id: "CustomerCap" })

export const customerSchema = z
  .object({
    end_user_ref: z.string(),
    blocked: z.boolean(),
    last_turn_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the last turn ended. Null if no turn has ended yet." }),
    ...spendSchema,
    daily: useSchema.nullable().meta({ description: "The daily limit and its use. Null without a limit." }),
    monthly: useSchema.nullable().meta({ description: "The monthly limit and its use. Null without a limit." }),
    cap_share: z.number().nullable().meta({
      description: "The used part of the limit that is nearest to its end: 1 is all of it. Null without a limit.",
      example: 0.25,
    }),
    trend_usd: z
      .array(z.number().meta({ example: 0.25 }))
      .meta({ description: `What was billed on each of the last ${TREND_DAYS} days (UTC), today last.` }),
  })
  .meta({ id: "Customer" })

export type Customer = z.infer<typeof customerSchema>

export const customerTotalsSchema = z
  .object({
    customers: z.int().meta({ example: 1040 }),
    blocked: z.int().meta({ example: 2 }),
    ...spendSchema,
  })
  .meta({ id: "CustomerTotals", description: "The sums of all end users that match the filters." })

export type CustomerTotals = z.infer<typeof customerTotalsSchema>

type Sums = Pick<
  Answers["customer"],
  | "turns"
  | "billed"
  | "billed_this_month"
  | "billed_today"
  | "refunded"
  | "refunded_this_month"
  | "refunded_today"
  | "turns_this_month"
  | "done_this_month"
  | "failed_this_month"
  | "took_us_this_month"
>

function serializeSpend(row: Sums) {
  const { turns_this_month: turns, done_this_month: done, failed_this_month: failed, took_us_this_month: took } = row
  return {
    turns: row.turns,
    billed_usd: toUsd(row.billed),
    billed_this_month_usd: toUsd(row.billed_this_month),
    billed_today_usd: toUsd(row.billed_today),
    ...refundsOf(row),
    refunded_this_month_usd: toUsd(row.refunded_this_month),
    refunded_today_usd: toUsd(row.refunded_today),
    month: {
      turns,
      done,
      failed,
      success_rate: done + failed === 0 ? null : done / (done + failed),
      avg_seconds: turns === 0 ? null : took / turns / 1e6,
    },
  }
}

function serializeUse(limit: number | null, isOwn: boolean, { spent, reserved }: { spent: number; reserved: number }) {
  if (limit === null) return null
  const source = isOwn ? ("end_user" as const) : ("account" as const)
  return { source, limit_usd: toUsd(limit), spent_usd: toUsd(spent), reserved_usd: toUsd(reserved) }
}

function serializeCustomer(row: Answers["customer"]): Customer {
  const daily = { spent: row.daily_spent, reserved: row.daily_reserved }
  const monthly = { spent: row.monthly_spent, reserved: row.monthly_reserved }
  return {
    end_user_ref: row.end_user_ref,
    blocked: row.blocked,
    last_turn_at: toInstant(row.last_turn_at),
    ...serializeSpend(row),
    daily: serializeUse(row.daily_limit, row.daily_is_own, daily),
    monthly: serializeUse(row.monthly_limit, row.monthly_is_own, monthly),
    cap_share: row.share,
    trend_usd: row.trend.map(toUsd),
  }
}

/** The end users of a signed-in owner with their spend, sorted and in pages, and the sums of all that match. */
export async function listCustomers(
  ctx: Context,
  credential: SessionCredential,
  { filters, page: { sort, direction, limit, offset } }: { filters: CustomerFilters; page: CustomerPage },
): Promise<{ items: Customer[]; total: number; totals: CustomerTotals }> {
  const { row } = await callAs(ctx, credential, "list_customers", {
    q: filters.q ?? null,
    blocked: filters.blocked ?? null,
    sort,
    descending: direction === "desc",
    limit,
    offset,
    days: TREND_DAYS,
  })
  const { customers, totals } = row
  if (!customers || !totals) throw new Error("list_customers returned nothing for a usable caller")
  return {
    items: customers.map(serializeCustomer),
    total: totals.customers,
    totals: { customers: totals.customers, blocked: totals.blocked, ...serializeSpend(totals) },
  }
}

import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { fromUsd, notZero, toUsd, usdIn } from "../base/money.ts"
import { getForecast } from "./get-forecast.ts"
import { BUDGET_POLICY } from "./policies.ts"

const { usual, mostPercents, highestPercent } = BUDGET_POLICY

const percentsSchema = z
  .array(z.int().min(1).max(highestPercent))
  .max(mostPercents)
  .meta({ description: "The parts of the budget that are told, in percent.", example: [...usual] })

const forecastSchema = z.boolean().meta({ description: "Whether a forecast above the budget is told.", example: true })

export const putBudgetSchema = z
  .strictObject({
    amount_usd: usdIn(z.number().min(0).max(1_000_000), notZero).meta({
      description: "The budget of each month (UTC), in USD.",
      example: 50,
    }),
    percents: percentsSchema.default([...usual]),
    forecast: forecastSchema.default(true),
  })
  .meta({ id: "PutBudget", description: "Replaces the whole budget. A field that is left out gets its default." })

export const budgetSchema = z
  .object({
    amount_usd: z
      .number()
      .nullable()
      .meta({ description: "The budget of each month (UTC). Null: the account has no budget.", example: 50 }),
    percents: percentsSchema,
    forecast: forecastSchema,
    month: z.string().meta({ description: "The current month (UTC).", example: "2026-11" }),
    spent_usd: z.number().meta({
      description: "Spent this month, less refunds, as in the forecast (`GET /api/account/forecast`).",
      example: 22.4,
    }),
    expected_usd: z
      .number()
      .nullable()
      .meta({ description: "The expected spend of the month. Null: there is no forecast yet.", example: 41.2 }),
    told: z
      .array(
        z.object({
          percent: z.int().nullable().meta({ description: "Null: the forecast exceeded the budget.", example: 50 }),
          at: z.iso.datetime(),
        }),
      )
      .meta({ description: "The alerts of this month, in the order of time." }),
  })
  .meta({ id: "Budget" })

export type AccountBudget = z.infer<typeof budgetSchema>

/** The name of the alert in the row of a budget. The other alerts are percents. */
export const FORECAST = "forecast"

/** The budget of the caller's account, with the spend of this month and what was told of it. */
export async function getBudget(ctx: Context, credential: SessionCredential): Promise<AccountBudget> {
  const [{ rows }, { month, spent_usd, expected_usd }] = await Promise.all([
    readAs(ctx, credential, (db) =>
      db
        .selectFrom("caller")
        .innerJoin("budgets as b", "b.user_id", "caller.user_id")
        .select([
          "b.amount_credit_micros as amount",
          "b.percents",
          "b.forecast",
          "b.told",
          "b.told_month",
          "b.told_amount",
        ]),
    ),
    getForecast(ctx, credential),
  ])
  const row = rows[0]
  const now = { month, spent_usd, expected_usd }
  if (!row || row.amount === null) return { amount_usd: null, percents: [...usual], forecast: true, ...now, told: [] }
  const isCurrent = row.told_month?.startsWith(month) === true && row.told_amount === row.amount
  return {
    amount_usd: toUsd(row.amount),
    percents: row.percents,
    forecast: row.forecast,
    ...now,
    told: isCurrent ? serializeTold(row.told as Record<string, string>) : [],
  }
}

const serializeTold = (told: Record<string, string>) =>
  Object.entries(told)
    .map(([alert, at]) => ({ percent: alert === FORECAST ? null : Number(alert), at }))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.percent ?? 0) - (b.percent ?? 0))

/** Replaces the budget of the caller's account. */
export async function putBudget(
  ctx: Context,
  credential: SessionCredential,
  { amount_usd, percents, forecast }: z.infer<typeof putBudgetSchema>,
): Promise<AccountBudget> {
  const sorted = [...new Set(percents)].sort((a, b) => a - b)
  await callAs(ctx, credential, "put_budget", { amount: fromUsd(amount_usd), percents: sorted, forecast })
  return getBudget(ctx, credential)
}

/** Deletes the budget of the caller's account. A second request changes nothing. */
export async function deleteBudget(ctx: Context, credential: SessionCredential): Promise<AccountBudget> {
  await callAs(ctx, credential, "put_budget", { amount: null, percents: [], forecast: false })
  return getBudget(ctx, credential)
}

import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { envelope, envelopeOf, ratio } from "./answer.ts"
import { reportedBrand } from "./brand.ts"
import { granularityByLength, type LedgerQuery, ledgerRange, rangeRead, toEnergy } from "./ledger-range.ts"
import { procedureRows } from "./procedure-rows.ts"
import { bucketsOf, dayText, filled, granularityOf } from "./range.ts"

export const balanceTrendSchema = z
  .object({
    ...envelope(granularityByLength),
    active_window_days: z.int().meta({ example: 30 }),
    items: z
      .array(
        z.object({
          date: z.iso.date().meta({ description: "The day on which the bucket begins (UTC).", example: "2026-01-14" }),
          active_users: z.int().meta({
            description: "Users with a charge in the `active_window_days` days before the end of the bucket.",
            example: 318,
          }),
          average_balance: z.number().nullable().meta({
            description: "Their average balance at the end of the bucket, in energy. Null without users.",
            example: 21.7,
          }),
          median_balance: z.number().nullable().meta({
            description: "Their exact median balance at the end of the bucket, in energy. Null without users.",
            example: 12.25,
          }),
        }),
      )
      .meta({
        description:
          "Every day, week or month of the range, the oldest first. Each shows the balances at its end, or at the end of the range or of " +
          "today if that is earlier. Buckets that have not begun have no users.",
      }),
  })
  .meta({ id: "BalanceTrend" })

export type BalanceTrend = z.infer<typeof balanceTrendSchema>

const nobody = (bucket: string) => ({ bucket, accounts: 0, balance_credit_micros: 0, median_twice: 0 })

/**
 * Reports average and median of the ledger balances of active users, for admins. A balance is the running
 * total of the user's ledger row with the highest ledger_id up to then. VALIDATION_FAILED for an empty range.
 */
export async function reportBalanceTrend(
  ctx: Context,
  credential: SessionCredential,
  { active_window_days, ...asked }: LedgerQuery & { active_window_days: number },
): Promise<BalanceTrend> {
  const now = ctx.clock.now()
  const { to, range } = ledgerRange(now, asked)
  const brand = await reportedBrand(ctx, credential, asked)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom(["caller", range]).select((eb) => {
        const [from, unit] = [eb.ref("r.from_at"), eb.ref("r.unit")]
        const trend = procedureRows("balance_trend", { from, to, unit, window: active_window_days, moment: now, brand })
        return ["r.from_at", jsonArrayFrom(eb.selectFrom(trend.as("b")).selectAll("b")).as("balances")]
      }),
    { role: "admin" },
  )
  const read = rangeRead(rows[0]?.from_at, to)
  const granularity = granularityOf(read)
  const dates = bucketsOf(read, granularity).map(dayText)
  const items = filled(dates, rows[0]?.balances ?? [], ({ bucket }) => bucket, nobody)
  return {
    ...envelopeOf(now, read, granularity),
    active_window_days,
    items: items.map(({ bucket, accounts, balance_credit_micros, median_twice }) => ({
      date: bucket,
      active_users: accounts,
      average_balance: ratio(toEnergy(balance_credit_micros), accounts),
      median_balance: ratio(toEnergy(median_twice) / 2, Math.min(accounts, 1)),
    })),
  }
}

import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { bucketOf, type LedgerBucket, type ReportedReason } from "../billing/buckets.ts"
import { envelope, envelopeOf } from "./answer.ts"
import { reportedBrand } from "./brand.ts"
import { granularityByLength, type LedgerQuery, ledgerRange, rangeRead, toEnergy } from "./ledger-range.ts"
import { procedureRows } from "./procedure-rows.ts"
import { bucketsOf, dayText, granularityOf } from "./range.ts"

const amounts = {
  free: z.number().meta({ description: "Credit that operators granted, in energy.", example: 25 }),
  bonus: z.number().meta({ description: "Credit for signing up and for referrals, in energy.", example: 2.5 }),
  paid: z.number().meta({ description: "Purchased credit, in energy.", example: 100 }),
  refunded: z.number().meta({ description: "Refunds of turns, when they were booked, in energy.", example: 0.41 }),
  spent: z.number().meta({ description: "Charges as a positive amount, in energy.", example: 41.07 }),
  unbucketed: z.number().meta({
    description: "Amounts in none of these buckets: corrections that took credit back. Negative or 0.",
    example: -5,
  }),
  change: z.number().meta({
    description: "The change of all balances: `free` + `bonus` + `paid` + `refunded` - `spent` + `unbucketed`.",
    example: 81.84,
  }),
}

export const energyTimelineSchema = z
  .object({
    ...envelope(granularityByLength),
    totals: z.object(amounts).meta({ description: "The sums of the whole range." }),
    items: z
      .array(
        z.object({
          date: z.iso.date().meta({ description: "The day on which the bucket begins (UTC).", example: "2026-01-14" }),
          ...amounts,
        }),
      )
      .meta({
        description:
          "Every day, week or month of the range, the oldest first. The range may cut the first and the last one.",
      }),
  })
  .meta({ id: "EnergyTimeline" })

export type EnergyTimeline = z.infer<typeof energyTimelineSchema>

type Amounts = Record<LedgerBucket | "unbucketed", number>

interface Booked {
  bucket: string
  reason: string
  given_credit_micros: number
  taken_credit_micros: number
}

/**
 * Reports the ledger of all accounts over time, in energy and by the buckets of
 * docs/contract.md, for admins. A turn's charge counts from the end of the
 * turn, even while it waits to be posted. VALIDATION_FAILED for an empty range.
 */
export async function reportEnergyTimeline(
  ctx: Context,
  credential: SessionCredential,
  asked: LedgerQuery,
): Promise<EnergyTimeline> {
  const now = ctx.clock.now()
  const { to, range } = ledgerRange(now, asked)
  const brand = await reportedBrand(ctx, credential, asked)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom(["caller", range]).select((eb) => {
        const { from_at: from, unit } = { from_at: eb.ref("r.from_at"), unit: eb.ref("r.unit") }
        const booked = eb.selectFrom(procedureRows("ledger_sums", { from, to, unit, brand }).as("s")).selectAll("s")
        return ["r.from_at", jsonArrayFrom(booked).as("booked")]
      }),
    { role: "admin" },
  )
  const read = rangeRead(rows[0]?.from_at, to)
  const granularity = granularityOf(read)
  const booked: Booked[] = rows[0]?.booked ?? []
  return {
    ...envelopeOf(now, read, granularity),
    totals: serializeAmounts(amountsOf(booked)),
    items: bucketsOf(read, granularity)
      .map(dayText)
      .map((date) => ({ date, ...serializeAmounts(amountsOf(booked.filter(({ bucket }) => bucket === date))) })),
  }
}

function amountsOf(booked: readonly Booked[]): Amounts {
  const sums: Amounts = { free: 0, bonus: 0, paid: 0, refunded: 0, spent: 0, unbucketed: 0 }
  for (const { reason, given_credit_micros, taken_credit_micros } of booked) {
    for (const amount of [given_credit_micros, taken_credit_micros]) {
      if (amount === 0) continue
      const name = bucketOf({ reason: reason as ReportedReason, amount })
      if (name) sums[name] += Math.abs(amount)
      else sums.unbucketed += amount
    }
  }
  return sums
}

function serializeAmounts({ free, bonus, paid, refunded, spent, unbucketed }: Amounts) {
  return {
    free: toEnergy(free),
    bonus: toEnergy(bonus),
    paid: toEnergy(paid),
    refunded: toEnergy(refunded),
    spent: toEnergy(spent),
    unbucketed: toEnergy(unbucketed),
    change: toEnergy(free + bonus + paid + refunded - spent + unbucketed),
  }
}

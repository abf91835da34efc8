import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { MICROS_PER_ENERGY } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"
import { isNoTurnsCharge, walletColumns } from "../billing/account-sums.ts"
import { BUCKET_NAMES, bucketOf, type LedgerBucket, type ReportedReason } from "../billing/buckets.ts"
import { adminLedgerEntrySchema, type LedgerRow, serializeAdminLedgerEntry } from "../billing/ledger-entry.ts"
import { type LedgerFilters, matchesLedger } from "../billing/list-ledger.ts"

const bucketsSchema = z.object({
  free: z.number().meta({ description: "Energy granted by operators.", example: 25 }),
  bonus: z.number().meta({ description: "Energy for signing up and for referrals.", example: 2.5 }),
  paid: z.number().meta({ description: "Purchased energy.", example: 100 }),
  refunded: z.number().meta({ description: "Energy of refunded turns, when the refunds were booked.", example: 0.41 }),
  spent: z.number().meta({ description: "Charged energy, as a positive number.", example: 41.07 }),
})

/** The energy of one user. 10 energy are 1 USD; 1 energy is 1,000,000 credit micros (docs/contract.md). */
export const userEnergySchema = z
  .object({
    user_id: z.int(),
    balance_energy: z.number().meta({ example: 86.43 }),
    held_energy: z.number().meta({ description: "Held by open turns.", example: 2.5 }),
    totals: bucketsSchema.meta({ description: "Totals of all time by bucket." }),
    days: z
      .array(bucketsSchema.extend({ date: z.iso.date().meta({ example: "2026-01-14" }) }))
      .meta({ description: "Totals for each UTC day, oldest first. Days without changes are included." }),
    ledger: z.object({
      items: z.array(adminLedgerEntrySchema).meta({ description: "Newest first." }),
      total: z.int().meta({ example: 128 }),
      limit: z.int().meta({ example: 50 }),
      offset: z.int().meta({ example: 0 }),
    }),
  })
  .meta({ id: "UserEnergy" })

/** The energy of the caller. The ledger has an operation of its own for them. */
export const energySchema = userEnergySchema.omit({ user_id: true, ledger: true }).meta({ id: "Energy" })

type Buckets = Record<LedgerBucket, number>
type Energy = z.infer<typeof energySchema>
type UserEnergy = z.infer<typeof userEnergySchema>
export type AdminLedgerEntry = z.infer<typeof adminLedgerEntrySchema>

interface UserQuery {
  userId: number
  filters: Pick<LedgerFilters, "reason" | "bucket" | "before_id">
  limit: number
}

/** The energy of a user for admins, with a page of the ledger. NOT_FOUND, ADMIN_REQUIRED. */
export async function getEnergy(
  ctx: Context,
  credential: SessionCredential,
  { userId, days, filters, limit, offset }: UserQuery & { days: number; offset: number },
): Promise<UserEnergy> {
  const since = firstOf(days, ctx.clock.now())
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      sumsSince(db, since)
        .where("u.user_id", "=", userId)
        .select((eb) => {
          const ledger = eb
            .selectFrom("ledger as l")
            .whereRef("l.user_id", "=", "u.user_id")
            .where(matchesLedger(filters))
          return [
            ledger.select((own) => own.fn.countAll<number>().as("count")).as("total"),
            jsonArrayFrom(ledger.selectAll("l").orderBy("l.ledger_id", "desc").limit(limit).offset(offset)).as(
              "entries",
            ),
          ]
        }),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  const items = (row.entries as LedgerRow[]).map(serializeAdminLedgerEntry)
  return {
    user_id: userId,
    ...serializeSums(row, since, days),
    ledger: { items, total: row.total ?? 0, limit, offset },
  }
}

/** The caller's own energy. */
export async function getOwnEnergy(
  ctx: Context,
  credential: SessionCredential,
  { days }: { days: number },
): Promise<Energy> {
  const since = firstOf(days, ctx.clock.now())
  const { rows } = await readAs(ctx, credential, (db) =>
    sumsSince(db, since).whereRef("u.user_id", "=", "caller.user_id"),
  )
  return serializeSums(rows[0] as SumsRow, since, days)
}

/** The start (UTC) of the period of `days` days that ends today. */
const firstOf = (days: number, now: Date) => new Date((Math.floor(now.getTime() / DAY_MS) - days + 1) * DAY_MS)

/** The balance and sums of users `u`. A charge counts from the end of its turn, before it is posted to the ledger. */
const sumsSince = (db: QueryCreator<CallerDB>, since: Date) =>
  db
    .selectFrom("users as u")
    .innerJoin("caller", (join) => join.onTrue())
    .leftJoin("wallets as w", "w.user_id", "u.user_id")
    .select(walletColumns)
    .select((eb) => {
      const sums = eb
        .selectFrom("ledger as l")
        .whereRef("l.user_id", "=", "u.user_id")
        .where(({ ref }) => isNoTurnsCharge(ref("l.reason"), ref("l.turn_id")))
        .select((own) => [
          own.fn<string>("reported_reason", ["l.reason", "l.turn_id"]).as("booked_as"),
          // Null for ledger rows before the first day of the series.
          sql<string | null>`case when ${own.ref("l.created_at")} >= ${since}
            then (${own.ref("l.created_at")} at time zone 'UTC')::date end`.as("date"),
          own("l.amount_credit_micros", ">", 0).$castTo<boolean>().as("is_gain"),
          own.cast<number>(own.fn.sum("l.amount_credit_micros"), "bigint").as("amount"),
        ])
        .groupBy(["booked_as", "date", "is_gain"])
      const charged = eb
        .selectFrom("ended_turns as t")
        .whereRef("t.user_id", "=", "u.user_id")
        .where("t.test", "=", false)
        .where("t.finished_at", ">=", since)
        .select((own) => [
          sql<string>`(${own.ref("t.finished_at")} at time zone 'UTC')::date`.as("date"),
          own.cast<number>(own.fn.sum("t.billed_credit_micros"), "bigint").as("amount"),
        ])
        .groupBy("date")
      return [jsonArrayFrom(sums).as("booked"), jsonArrayFrom(charged).as("charged")]
    })

interface SumsRow {
  balance: number | null
  held: number | null
  booked: (Booked & { date: string | null })[]
  charged: { date: string; amount: number }[]
}

function serializeSums(row: SumsRow, since: Date, days: number): Energy {
  const booked = row.booked.filter(({ amount }) => amount !== null)
  const balance = row.balance ?? 0
  // The charges of all turns are the sum of all other ledger rows minus the balance.
  const ofTurns = booked.reduce((sum, { amount }) => sum + amount, 0) - balance
  const series = Array.from({ length: days }, (_, day) => {
    const date = new Date(since.getTime() + day * DAY_MS).toISOString().slice(0, 10)
    const charged = row.charged.find((one) => one.date === date)?.amount ?? 0
    return {
      date,
      ...bucketsOf(
        booked.filter((one) => one.date === date),
        charged,
      ),
    }
  })
  return {
    balance_energy: balance / MICROS_PER_ENERGY,
    held_energy: (row.held ?? 0) / MICROS_PER_ENERGY,
    totals: bucketsOf(booked, ofTurns),
    days: series,
  }
}

/** A page of the ledger of a user for CSV files, newest first. NOT_FOUND. */
export async function readLedger(
  ctx: Context,
  credential: SessionCredential,
  { userId, filters, limit }: UserQuery,
): Promise<AdminLedgerEntry[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("users as u")
        .innerJoin("caller", (join) => join.onTrue())
        .where("u.user_id", "=", userId)
        .select((eb) =>
          jsonArrayFrom(
            eb
              .selectFrom("ledger as l")
              .whereRef("l.user_id", "=", "u.user_id")
              .where(matchesLedger(filters))
              .selectAll("l")
              .orderBy("l.ledger_id", "desc")
              .limit(limit),
          ).as("entries"),
        ),
    { role: "admin" },
  )
  if (!rows[0]) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  return (rows[0].entries as LedgerRow[]).map(serializeAdminLedgerEntry)
}

interface Booked {
  booked_as: string
  amount: number
}

/** Energy by bucket. `ofTurns`: the charges of turns, in credit micros. */
function bucketsOf(booked: Booked[], ofTurns: number): Buckets {
  const sums: Buckets = { free: 0, bonus: 0, paid: 0, refunded: 0, spent: ofTurns }
  for (const { booked_as, amount } of booked) {
    const bucket = bucketOf({ reason: booked_as as ReportedReason, amount })
    if (bucket) sums[bucket] += Math.abs(amount)
  }
  for (const name of BUCKET_NAMES) sums[name] /= MICROS_PER_ENERGY
  return sums
}

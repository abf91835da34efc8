import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { timeInWords } from "../base/in-words.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { callOne, released } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import { capacitySchema, serializeCapacity } from "../providers/capacity.ts"
import { type Pool, poolSchema } from "../providers/provider-row.ts"
import { noteServiceLevel } from "./note-service-level.ts"
import { openTurns, openTurnsSchema, serializeWaits } from "./open-work.ts"

const countsSchema = z.object({
  people: z.object({
    total: z.int().meta({ description: "All users, including disabled users.", example: 1204 }),
    active_1_day: z.int().meta({
      description: `Users whose session was used in the ${timeInWords(DAY_MS)} before \`counted_at\`.`,
      example: 96,
    }),
    active_7_days: z.int().meta({ description: "In the 168 hours before `counted_at`.", example: 310 }),
    active_30_days: z.int().meta({ description: "In the 720 hours before `counted_at`.", example: 702 }),
  }),
  spaces: z.object({
    total: z.int().meta({ description: "All spaces, including archived and test spaces.", example: 540 }),
  }),
  money: z.object({
    balance_usd: z.number().meta({ description: "The sum of all balances, in USD." }),
    held_usd: z.number().meta({ description: "The sum of all holds of open turns, in USD." }),
  }),
  counted_at: z.iso.datetime(),
})

const amountsSchema = (of: string) =>
  z
    .object({
      today_usd: z.number().meta({ example: 12.4 }),
      days_7_usd: z.number().meta({ example: 81.02 }),
      days_30_usd: z.number().meta({ example: 340.5 }),
    })
    .meta({ description: `${of} today, and in the last 7 and 30 days including today (UTC).` })

export const overviewSchema = z
  .object({
    counts: countsSchema.nullable().meta({
      description:
        "Counts over whole tables, updated once a minute and exact at `counted_at`; null until the first count.",
    }),
    turns: openTurnsSchema.extend({
      oldest_queued_at: z.iso.datetime().nullable().meta({
        description: "When the oldest queued turn that may start was accepted, or continued; null if none may start.",
      }),
      today: z
        .object({
          done: z.int().meta({ example: 910 }),
          failed: z.int().meta({ example: 3 }),
          cancelled: z.int().meta({ example: 8 }),
        })
        .meta({ description: "Live turns that ended since 00:00 UTC." }),
    }),
    billed: amountsSchema("Bills of live turns, before refunds,"),
    refunded: amountsSchema("Refunds that were booked"),
    cost: amountsSchema("The cost of these turns for us, at the providers' prices,"),
    margin: amountsSchema("`billed` - `cost`"),
    errors: z
      .array(z.object({ kind: z.string().meta({ example: "model_call" }), count: z.int().meta({ example: 2 }) }))
      .meta({ description: `Infrastructure failures in the last ${timeInWords(DAY_MS)}, by kind.` }),
    pools: z
      .array(capacitySchema.extend({ pool: poolSchema }))
      .meta({ description: "The current state of the pools of provider accounts." }),
    reconciliation: z
      .object({
        reconciliation_id: z.string().meta({ example: "rec_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
        scope: z.string().meta({ example: "recent" }),
        findings: z.int().meta({ example: 0 }),
        started_at: z.iso.datetime(),
        finished_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "The last finished reconciliation; null until the first one has finished." }),
  })
  .meta({ id: "Overview" })

/** The overview for admins, read in one statement over small tables. */
export async function getOverview(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof overviewSchema>> {
  const now = ctx.clock.now()
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const firstDay = new Date(today - 29 * DAY_MS)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((eb) => [
        jsonArrayFrom(eb.selectFrom(daysOf(db, firstDay).as("d")).selectAll("d")).as("days"),
        jsonArrayFrom(
          eb
            .selectFrom("infrastructure_errors as x")
            .where("x.created_at", ">", new Date(now.getTime() - DAY_MS))
            .select((own) => ["x.kind", own.fn.countAll<number>().as("count")])
            .groupBy("x.kind")
            .orderBy("x.kind"),
        ).as("errors"),
        jsonObjectFrom(eb.selectFrom("overview_counts as o").selectAll("o")).as("counts"),
        eb.fn<Answers["pool_answer"][]>(released("pool_capacity"), [eb.val(now)]).as("pools"),
        openTurns(db).as("turns"),
        jsonObjectFrom(
          eb
            .selectFrom("reconciliations as r")
            .where("r.finished_at", "is not", null)
            .select(["r.reconciliation_id", "r.scope", "r.findings", "r.started_at"])
            .select((own) => own.ref("r.finished_at").$notNull().as("finished_at"))
            .orderBy("r.started_at", "desc")
            .limit(1),
        ).as("reconciliation"),
      ]),
    { role: "admin" },
  )
  const [row] = rows
  if (!row?.turns) throw new Error("the counts are always there")
  const { counts, turns, reconciliation, days, errors, pools } = row
  const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const ended = (state: string) =>
    days.filter((day) => day.state === state && day.date === textOf(today)).reduce((sum, { turns }) => sum + turns, 0)
  const within = (back: number, amountOf: (day: (typeof days)[number]) => number) =>
    toUsd(
      days
        .filter(({ date }) => date >= textOf(today - (back - 1) * DAY_MS))
        .reduce((sum, day) => sum + amountOf(day), 0),
    )
  const amounts = (amountOf: (day: (typeof days)[number]) => number) => ({
    today_usd: within(1, amountOf),
    days_7_usd: within(7, amountOf),
    days_30_usd: within(30, amountOf),
  })
  return {
    counts: counts && {
      people: {
        total: counts.people,
        active_1_day: counts.active_1_day,
        active_7_days: counts.active_7_days,
        active_30_days: counts.active_30_days,
      },
      spaces: { total: counts.spaces },
      money: { balance_usd: toUsd(counts.balance_credit_micros), held_usd: toUsd(counts.held_credit_micros) },
      counted_at: toInstant(counts.counted_at),
    },
    turns: {
      ...turns,
      waiting: serializeWaits(turns.waiting),
      oldest_queued_at: toInstant(turns.oldest_queued_at),
      today: { done: ended("done"), failed: ended("failed"), cancelled: ended("cancelled") },
    },
    billed: amounts(({ billed }) => billed),
    refunded: amounts(({ refunded }) => refunded),
    cost: amounts(({ cost }) => cost),
    margin: amounts(({ billed, cost }) => billed - cost),
    errors,
    pools: pools.map((pool) => ({ pool: pool.pool as Pool, ...serializeCapacity(pool) })),
    reconciliation: reconciliation && {
      ...reconciliation,
      started_at: toInstant(reconciliation.started_at),
      finished_at: toInstant(reconciliation.finished_at),
    },
  }
}

/** Live turns and their amounts by day and end, from the daily rollup and from turns that are not in it yet. */
function daysOf(db: QueryCreator<CallerDB>, firstDay: Date) {
  return db
    .selectFrom("service_days as r")
    .where("r.day", ">=", sql<Date>`(${firstDay}::timestamptz at time zone 'UTC')::date`)
    .select([sql<string>`r.day`.as("date"), "r.state", "r.turns"])
    .select([
      "r.cost_credit_micros as cost",
      "r.billed_credit_micros as billed",
      "r.refunded_credit_micros as refunded",
    ])
    .unionAll(
      db
        .selectFrom("turn_ends as e")
        .where("e.test", "=", false)
        .where("e.ended_at", ">=", firstDay)
        .select((eb) => [
          sql<string>`(${eb.ref("e.ended_at")} at time zone 'UTC')::date`.as("date"),
          "e.state",
          eb.cast<number>(eb.fn.sum("e.turns"), "bigint").as("turns"),
          eb.cast<number>(eb.fn.sum("e.cost_credit_micros"), "bigint").as("cost"),
          eb.cast<number>(eb.fn.sum("e.billed_credit_micros"), "bigint").as("billed"),
          eb.cast<number>(eb.fn.sum("e.refunded_credit_micros"), "bigint").as("refunded"),
        ])
        .groupBy(["date", "e.state"]),
    )
}

/**
 * Counts the current quarter of an hour for the lines of the overview, and whole tables. Each is done even if the other
 * fails, so that the lines also show a time in which the service is ill.
 */
export async function sweepOverview(ctx: Context): Promise<{ counted: boolean }> {
  const noted = noteServiceLevel(ctx)
  const counted = callOne(ctx.db, "count_overview", { moment: ctx.clock.now() })
  await Promise.allSettled([noted, counted])
  await noted
  return { counted: (await counted).count_overview === true }
}

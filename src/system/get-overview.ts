import { jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { callOne } from "../platform/db.ts"

const countsSchema = z.object({
  people: z.object({
    total: z.int().meta({ description: "Users, disabled ones too.", example: 1204 }),
    active_1_day: z.int().meta({ description: "Whose session was used in the last 24 hours.", example: 96 }),
    active_7_days: z.int().meta({ example: 310 }),
    active_30_days: z.int().meta({ example: 702 }),
  }),
  spaces: z.object({ total: z.int().meta({ description: "Archived ones and those of test data too.", example: 540 }) }),
  money: z.object({
    balance_usd: z.number().meta({ description: "What all accounts have together." }),
    held_usd: z.number().meta({ description: "Set aside for turns that are not over." }),
  }),
  counted_at: z.iso.datetime(),
})

export const overviewSchema = z
  .object({
    counts: countsSchema.nullable().meta({
      description: "Counted over everything once a minute, exact at `counted_at`; null before the first time.",
    }),
    turns: z.object({
      queued: z.int().meta({ example: 12 }),
      running: z.int().meta({ example: 31 }),
      oldest_queued_at: z.iso.datetime().nullable().meta({ description: "Null: none is queued." }),
    }),
    reconciliation: z
      .object({
        reconciliation_id: z.string().meta({ example: "rec_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
        scope: z.string().meta({ example: "recent" }),
        findings: z.int().meta({ example: 0 }),
        started_at: z.iso.datetime(),
        finished_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "The last pass over the books that has finished; null: none yet." }),
  })
  .meta({ id: "Overview" })

/** The service at a glance, for admins: one statement over small tables. */
export async function getOverview(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof overviewSchema>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((eb) => [
        jsonObjectFrom(eb.selectFrom("overview_counts as o").selectAll("o")).as("counts"),
        jsonObjectFrom(
          eb
            .selectFrom("open_turns as t")
            .select(({ fn }) => [
              fn.countAll<number>().filterWhere("t.state", "=", "queued").as("queued"),
              fn.countAll<number>().filterWhere("t.state", "=", "running").as("running"),
              fn.min<string | null>("t.created_at").filterWhere("t.state", "=", "queued").as("oldest_queued_at"),
            ]),
        ).as("turns"),
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
  const { counts, turns, reconciliation } = row
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
    turns: { ...turns, oldest_queued_at: toInstant(turns.oldest_queued_at) },
    reconciliation: reconciliation && {
      ...reconciliation,
      started_at: toInstant(reconciliation.started_at),
      finished_at: toInstant(reconciliation.finished_at),
    },
  }
}

/** Counts what the overview shows of whole tables. */
export async function sweepOverview(ctx: Context): Promise<{ counted: boolean }> {
  const { count_overview } = await callOne(ctx.db, "count_overview", { moment: ctx.clock.now() })
  return { counted: count_overview === true }
}

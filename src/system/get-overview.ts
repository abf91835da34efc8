import type { ExpressionBuilder } from "kysely"
import { jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"

const DAY_MS = 86_400_000

export const overviewSchema = z
  .object({
    people: z.object({
      total: z.int().meta({ description: "Users, disabled ones too.", example: 1204 }),
      active_1_day: z.int().meta({ description: "Whose session was used in the last 24 hours.", example: 96 }),
      active_7_days: z.int().meta({ example: 310 }),
      active_30_days: z.int().meta({ example: 702 }),
    }),
    spaces: z.object({
      total: z.int().meta({ description: "Archived ones and those of test data too.", example: 540 }),
    }),
    turns: z.object({
      queued: z.int().meta({ example: 12 }),
      running: z.int().meta({ example: 31 }),
      oldest_queued_at: z.iso.datetime().nullable().meta({ description: "Null: none is queued." }),
    }),
    money: z.object({
      balance_usd: z.number().meta({ description: "What all accounts have together." }),
      held_usd: z.number().meta({ description: "Set aside for turns that are not over." }),
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

/** The service at a glance, for admins: one statement over counts of indexes and small tables. */
export async function getOverview(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof overviewSchema>> {
  const now = ctx.clock.now()
  const { rows } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select((eb) => partsOf(eb, now)), {
    role: "admin",
  })
  const [row] = rows
  if (!row?.active || !row.turns || !row.wallets || !row.shards) throw new Error("the counts are always there")
  return {
    people: { total: row.users ?? 0, ...row.active },
    spaces: { total: row.spaces ?? 0 },
    turns: { ...row.turns, oldest_queued_at: toInstant(row.turns.oldest_queued_at) },
    money: {
      balance_usd: toUsd(row.wallets.balance + row.shards.balance),
      held_usd: toUsd(row.wallets.held + row.shards.held),
    },
    reconciliation: row.reconciliation && {
      ...row.reconciliation,
      started_at: toInstant(row.reconciliation.started_at),
      finished_at: toInstant(row.reconciliation.finished_at ?? row.reconciliation.started_at),
    },
  }
}

function partsOf(eb: ExpressionBuilder<CallerDB, "caller">, now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const seen = eb
    .selectFrom("sessions as n")
    .where("n.last_seen_at", ">", before(30))
    .groupBy("n.user_id")
    .select((own) => own.fn.max("n.last_seen_at").as("last_seen_at"))
  return [
    eb
      .selectFrom("users as u")
      .select((own) => own.fn.countAll<number>().as("count"))
      .as("users"),
    jsonObjectFrom(
      eb
        .selectFrom(seen.as("seen"))
        .select(({ fn }) => [
          fn.countAll<number>().filterWhere("seen.last_seen_at", ">", before(1)).as("active_1_day"),
          fn.countAll<number>().filterWhere("seen.last_seen_at", ">", before(7)).as("active_7_days"),
          fn.countAll<number>().as("active_30_days"),
        ]),
    ).as("active"),
    eb
      .selectFrom("spaces as s")
      .select((own) => own.fn.countAll<number>().as("count"))
      .as("spaces"),
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
        .selectFrom("wallets as w")
        .select((own) => [
          own.fn
            .coalesce(
              own.fn.sum<number>(own("w.balance_credit_micros", "-", own.ref("w.folded_credit_micros"))),
              own.lit(0),
            )
            .as("balance"),
          own.fn.coalesce(own.fn.sum<number>("w.held_credit_micros"), own.lit(0)).as("held"),
        ]),
    ).as("wallets"),
    jsonObjectFrom(
      eb
        .selectFrom("wallet_shards as p")
        .select((own) => [
          own.fn.coalesce(own.fn.sum<number>("p.balance_credit_micros"), own.lit(0)).as("balance"),
          own.fn.coalesce(own.fn.sum<number>("p.held_credit_micros"), own.lit(0)).as("held"),
        ]),
    ).as("shards"),
    jsonObjectFrom(
      eb
        .selectFrom("reconciliations as r")
        .where("r.finished_at", "is not", null)
        .select(["r.reconciliation_id", "r.scope", "r.findings", "r.started_at", "r.finished_at"])
        .orderBy("r.started_at", "desc")
        .limit(1),
    ).as("reconciliation"),
  ] as const
}

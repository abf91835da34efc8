import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { timeInWords } from "../base/in-words.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { ERROR_KINDS } from "../base/words.ts"
import { withFindings } from "../billing/reconcile.ts"
import { type ReconciliationRow, reconciliationSchema, serializeReconciliation } from "../billing/reconciliation-row.ts"
import type { CronRuns } from "../platform/cron-state.ts"
import { checkOutside, checkSchema } from "./get-health.ts"
import {
  openTurns,
  openTurnsSchema,
  overdueWork,
  pendingDeliveries,
  pendingDeliveriesSchema,
  serializeDeliveries,
  serializeWaits,
} from "./open-work.ts"

/** The maximum number of failures that are counted. This takes about 5 ms, even while a provider is down. */
const COUNTED_ERRORS = 10_000

export const systemSchema = z
  .object({
    database: z.object({
      ok: z.boolean(),
      round_trip_ms: z
        .number()
        .meta({ description: "The duration of one short query, in milliseconds.", example: 4.2 }),
    }),
    turns: openTurnsSchema
      .extend({
        overdue: z.int().meta({
          description:
            "Open turns that a runner should have claimed at least two minutes ago. Waiting turns do not count.",
          example: 0,
        }),
      })
      .meta({ description: "Open turns of all accounts." }),
    webhooks: pendingDeliveriesSchema
      .extend({
        overdue: z.int().meta({
          description:
            "Deliveries that should have been attempted at least two minutes ago, of endpoints without any attempt since. Deliveries that wait for their receivers do not count.",
          example: 0,
        }),
      })
      .meta({ description: "The backlog of all endpoints." }),
    postings: z
      .object({
        queued: z.int().meta({ description: "Charges that are not in the ledger yet.", example: 3 }),
        oldest_seconds: z.number().nullable().meta({
          description: "The age of the oldest charge in the queue, in seconds; null if the queue is empty.",
          example: 0.2,
        }),
      })
      .meta({
        description:
          "The queue of charges of large accounts. Balances include them at once. If the oldest has waited for several seconds, posting is failing.",
      }),
    containers: z
      .object({
        mappings: z.int().meta({ description: "Enabled mappings of spaces to containers.", example: 3 }),
        billed_until: z.iso
          .datetime()
          .nullable()
          .meta({ description: "When containers and storage were last billed; null if never." }),
        due_usd: z.number().meta({
          description: "The amount, in USD, that accounts could not pay yet for containers and storage.",
          example: 0,
        }),
      })
      .meta({ description: "Containers of spaces, and their bills." }),
    errors: z
      .array(
        z.object({
          kind: z.enum(ERROR_KINDS),
          name: z.string().meta({ description: "The provider or the container.", example: "openai" }),
          errors: z.int().meta({ example: 2 }),
        }),
      )
      .meta({
        description: `Failures of live turns in the last ${timeInWords(DAY_MS)}, counted over the newest ${COUNTED_ERRORS}.`,
      }),
    sweeps: z
      .array(
        z.object({
          name: z.string().meta({ example: "turns" }),
          ran_at: z.iso.datetime(),
          duration_ms: z.int(),
          ok: z.boolean(),
          succeeded_at: z.iso.datetime().nullable(),
        }),
      )
      .meta({ description: "The last run of each sweep. Sweeps run every minute, except while the cron sleeps." }),
    outside: z.array(checkSchema).meta({
      description: "The checks `queue` and `redis` of `GET /api/health`, with the provider's own words if it refuses.",
    }),
    asleep: z.object({ since: z.iso.datetime(), until: z.iso.datetime() }).nullable().meta({
      description: "The sleep of the cron: no sweep has work before it ends. A change ends it. Null if awake.",
    }),
    reconciliation: reconciliationSchema.nullable().meta({
      description: "The last finished reconciliation, with its findings; null until the first one has finished.",
    }),
    reconciliation_of_all: reconciliationSchema.nullable().meta({
      description:
        "The last finished reconciliation of all history; null if none. It starts once a week, and after a finding.",
    }),
    reconciliation_running: reconciliationSchema
      .nullable()
      .meta({ description: "The running reconciliation; null if none is running." }),
  })
  .meta({ id: "System" })

type System = z.infer<typeof systemSchema>

/** The state of the service. ADMIN_REQUIRED for users who are not admins. */
export async function getSystem(ctx: Context, credential: SessionCredential): Promise<System> {
  const now = ctx.clock.now()
  const yesterday = new Date(now.getTime() - DAY_MS)
  const overdue = overdueWork(ctx, now)
  const asked = checkOutside(ctx)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .select((eb) => [
          openTurns(db).as("turns"),
          pendingDeliveries(db, now).as("webhooks"),
          overdue.turns.as("overdue_turns"),
          overdue.deliveries.as("overdue_deliveries"),
          ...columnsOf(ctx, eb),
          ...infrastructureOf(eb, yesterday),
        ]),
    {
      role: "admin",
    },
  )
  const [row] = rows
  if (!row?.turns || !row.postings) throw new Error("the counts are always there")
  const { oldest_queued_at: _ofOverview, ...open } = row.turns
  const started = performance.now()
  await ctx.db.selectNoFrom((eb) => eb.lit(1).as("one")).execute()
  const trip = performance.now() - started
  const { runs, checks } = await asked
  return {
    database: { ok: true, round_trip_ms: Math.round(trip * 10) / 10 },
    turns: { ...open, waiting: serializeWaits(open.waiting), overdue: row.overdue_turns },
    webhooks: { ...serializeDeliveries(row.webhooks), overdue: row.overdue_deliveries },
    postings: {
      queued: row.postings.queued,
      oldest_seconds: secondsSince(row.postings.oldest, ctx.clock.now()),
    },
    containers: {
      mappings: row.mappings ?? 0,
      billed_until: toInstant(row.billed_until),
      due_usd: toUsd(row.due_credit_micros ?? 0),
    },
    errors: row.errors as System["errors"],
    sweeps: row.sweeps.map(({ ran_at, succeeded_at, ...sweep }) => {
      return { ...sweep, ran_at: toInstant(ran_at), succeeded_at: toInstant(succeeded_at) }
    }),
    outside: checks,
    asleep: sleepOf(runs),
    reconciliation: report(row.reconciliation),
    reconciliation_of_all: report(row.reconciliation_of_all),
    reconciliation_running: report(row.reconciliation_running),
  }
}

function secondsSince(moment: string | null, now: Date): number | null {
  return moment === null ? null : Math.max(0, (now.getTime() - Date.parse(moment)) / 1000)
}

/** Null also if Redis does not answer. */
function sleepOf(runs: CronRuns | null): System["asleep"] {
  if (!runs?.asleep) return null
  const { since, until } = runs.asleep
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
}

const report = (row: unknown) => (row === null ? null : serializeReconciliation(row as ReconciliationRow))

function columnsOf({ db }: Context, eb: ExpressionBuilder<CallerDB, "caller">) {
  const passes = withFindings(db).orderBy("r.started_at", "desc").limit(1)
  return [
    jsonObjectFrom(
      eb
        .selectFrom("postings as q")
        .select(({ fn }) => [fn.countAll<number>().as("queued"), fn.min<string | null>("q.created_at").as("oldest")]),
    ).as("postings"),
    jsonArrayFrom(eb.selectFrom("sweeps as s").selectAll("s").orderBy("s.name")).as("sweeps"),
    jsonObjectFrom(passes.where("r.finished_at", "is not", null)).as("reconciliation"),
    jsonObjectFrom(passes.where("r.finished_at", "is not", null).where("r.scope", "=", "all")).as(
      "reconciliation_of_all",
    ),
    jsonObjectFrom(passes.where("r.finished_at", "is", null)).as("reconciliation_running"),
  ] as const
}

function infrastructureOf(eb: ExpressionBuilder<CallerDB, "caller">, yesterday: Date) {
  const newest = eb
    .selectFrom("infrastructure_errors as e")
    .where("e.created_at", ">", yesterday)
    .select(["e.kind", "e.name"])
    .orderBy("e.created_at", "desc")
    .limit(COUNTED_ERRORS)
    .as("f")
  return [
    eb
      .selectFrom("container_mappings as m")
      .where("m.enabled", "=", true)
      .select(({ fn }) => fn.countAll<number>().as("mappings"))
      .as("mappings"),
    eb.selectFrom("infra_runs as i").select("i.until_at").orderBy("i.run_id", "desc").limit(1).as("billed_until"),
    eb
      .selectFrom("infra_accounts as a")
      .where("a.due_credit_micros", ">", 0)
      .select(({ fn }) => fn.sum<number>("a.due_credit_micros").as("due"))
      .as("due_credit_micros"),
    jsonArrayFrom(
      eb
        .selectFrom(newest)
        .select(["f.kind", "f.name", ({ fn }) => fn.countAll<number>().as("errors")])
        .groupBy(["f.kind", "f.name"])
        .orderBy("f.kind")
        .orderBy("f.name"),
    ).as("errors"),
  ] as const
}

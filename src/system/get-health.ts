import { QstashError } from "@upstash/qstash"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { ENGINES } from "../base/words.ts"
import type { CronRuns } from "../platform/cron-state.ts"
import type { Database } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { unseenBooks } from "../provider-books/unseen-books.ts"
import { RUNNERS_PATH } from "../turns/call-runner.ts"
import { sessionFacts, settingsCheck } from "./check-settings.ts"
import { overdueWork } from "./open-work.ts"
import { HEALTH_POLICY } from "./policies.ts"

/** The codes of calls that failed through our own key, credit or catalog (src/runs/refused-as.ts). */
const OWN_FAULTS = ["unauthorized", "forbidden", "no_model"] as const

export const CHECKS = [
  "database",
  "queue",
  "redis",
  "cron",
  "sweeps",
  "turns",
  "webhooks",
  "reconciliation",
  "providers",
  "provider_books",
  "settings",
] as const
type CheckName = (typeof CHECKS)[number]

/** Checks that do not ask the database. */
const OUTSIDE: ReadonlySet<CheckName> = new Set<CheckName>(["queue", "redis"])

export const checkSchema = z.object({
  name: z.enum(CHECKS),
  ok: z.boolean().nullable().meta({ description: "Null: unknown, because the database does not answer." }),
  message: z.string().meta({ description: "The state in words, without secrets.", example: "No turn is overdue." }),
  value: z.number().nullable().meta({
    description:
      "The figure that the check compares: milliseconds of a database query, messages at once, seconds since the last run, or a count.",
    example: 24,
  }),
  limit: z.number().nullable().meta({ description: "The highest value that is still fine.", example: 180 }),
})

export const healthSchema = z
  .object({
    status: z.enum(["ok", "failing"]),
    checked_at: z.iso.datetime(),
    checks: z.array(checkSchema).meta({ description: "One entry for each check, in a fixed order." }),
  })
  .meta({ id: "ServiceHealth" })

type Check = z.infer<typeof checkSchema>
export type Health = z.infer<typeof healthSchema>

/**
 * Reads the state of the service for a monitor, in one statement and a few calls of the queue and of Redis. While the
 * cron sleeps, nothing is due and every check passed, so the database is not asked and may sleep, too. Never throws.
 */
export async function getHealth(ctx: Context): Promise<Health> {
  const now = ctx.clock.now()
  const { runs, redis } = await askRedis(ctx)
  const queue = checkQueue(ctx, runs)
  const [first, ...others] = runs?.asleep ? asleepChecks(runs, now) : await checkDatabase(ctx, now, runs)
  const checks = [...(first ? [first] : []), await queue, redis, ...others]
  return {
    status: checks.every(({ ok }) => ok === true) ? "ok" : "failing",
    checked_at: now.toISOString(),
    checks,
  }
}

/** True if every check passes, as far as one knows without a message to the queue. */
export async function isSound(ctx: Context): Promise<boolean> {
  const { runs, redis } = await askRedis(ctx)
  const checks = [redis, ...(await checkDatabase(ctx, ctx.clock.now(), runs))]
  return checks.every(({ ok }) => ok === true)
}

function check(name: CheckName, value: number, limit: number, message: string): Check {
  return { name, ok: value <= limit, value, limit, message }
}

const secondsBetween = (earlier: number, now: Date) => Math.max(0, Math.round((now.getTime() - earlier) / 1000))

function asleepChecks({ ranAt, asleep }: CronRuns, now: Date): Check[] {
  const since = new Date(asleep?.since ?? 0).toISOString()
  return CHECKS.filter((name) => !OUTSIDE.has(name)).map((name) => {
    if (name === "cron")
      return cronCheck(ranAt === null ? null : secondsBetween(ranAt, now), " It sleeps, because nothing is due.")
    return {
      name,
      ok: true,
      value: null,
      limit: null,
      message: `This was in order at ${since}. The service has slept since then.`,
    }
  })
}

function cronCheck(seconds: number | null, more = ""): Check {
  const limit = HEALTH_POLICY.cronSeconds
  if (seconds === null) return { name: "cron", ok: false, value: null, limit, message: "The cron has never run." }
  return check("cron", seconds, limit, `The cron ran ${seconds} s ago.${seconds <= limit ? more : ""}`)
}

async function checkDatabase(ctx: Context, now: Date, runs: CronRuns | null): Promise<Check[]> {
  const started = performance.now()
  try {
    const row = await readFigures(ctx, now)
    const ms = Math.round((performance.now() - started) * 10) / 10
    const answers = check("database", ms, HEALTH_POLICY.databaseMs, `The database answered within ${ms} ms.`)
    return [answers, ...checksOf(row, now, runs)]
  } catch (error) {
    ctx.log("error", "health.database_failed", { error: describeError(error) })
    const unknown = CHECKS.filter((name) => !OUTSIDE.has(name) && name !== "database").map((name) => {
      return { name, ok: null, value: null, limit: null, message: "Unknown: the database does not answer." }
    })
    const failed = { ok: false, value: null, limit: HEALTH_POLICY.databaseMs, message: "The database does not answer." }
    return [{ name: "database", ...failed }, ...unknown]
  }
}

type Figures = Awaited<ReturnType<typeof readFigures>>

async function readFigures(ctx: Context, now: Date) {
  const { db } = ctx
  const overdue = overdueWork(ctx, now)
  const [row] = await db
    .selectNoFrom((eb) => [
      jsonArrayFrom(eb.selectFrom("sweeps as s").select(["s.name", "s.ran_at", "s.succeeded_at"]).orderBy("s.name")).as(
        "sweeps",
      ),
      overdue.turns.as("turns"),
      overdue.deliveries.as("deliveries"),
      jsonObjectFrom(
        eb
          .selectFrom("reconciliations as r")
          .where("r.finished_at", "is not", null)
          .select(["r.finished_at", "r.findings"])
          .orderBy("r.started_at", "desc")
          .limit(1),
      ).as("reconciliation"),
      eb
        .selectFrom("provider_states as p")
        .where("p.suspended_at", "is not", null)
        .select(({ fn }) => fn.countAll<number>().as("n"))
        .as("suspended"),
      callsWith(db, OWN_FAULTS, now).as("refused"),
      callsWith(db, ["unpriced"], now).as("unpriced"),
      unseenBooks(db, now).as("books"),
      sessionFacts.as("session"),
    ])
    .execute()
  if (!row) throw new Error("The figures are always there.")
  return row
}

/** Counts the failures of the last minutes with these codes. Calls of our own keys have the name of their engine. */
const callsWith = (db: Database, codes: readonly string[], now: Date) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("infrastructure_errors as x")
        .where("x.created_at", ">", new Date(now.getTime() - HEALTH_POLICY.refusedMs))
        .where("x.kind", "=", "model_call")
        .where("x.name", "in", ENGINES)
        .where("x.code", "in", codes)
        .select("x.error_id")
        .limit(HEALTH_POLICY.mostCounted)
        .as("o"),
    )
    .select(({ fn }) => fn.countAll<number>().as("n"))

function checksOf(
  { sweeps, turns, deliveries, reconciliation, suspended, refused, unpriced, books, session }: Figures,
  now: Date,
  runs: CronRuns | null,
): Check[] {
  const secondsSince = (moment: string) => secondsBetween(Date.parse(moment), now)
  const noted = Math.min(...sweeps.map(({ ran_at }) => secondsSince(ran_at)))
  const lastRun = runs?.ranAt ? secondsBetween(runs.ranAt, now) : noted
  // A sweep is not late for the time that the cron slept.
  const awake =
    runs && runs.ranAt !== null ? secondsBetween(runs.wokenAt ?? now.getTime(), now) : Number.POSITIVE_INFINITY
  const isLate = (at: string | null) =>
    Math.min(at === null ? Number.POSITIVE_INFINITY : secondsSince(at), awake) > HEALTH_POLICY.sweepSeconds
  const failing = sweeps.filter(({ succeeded_at }) => isLate(succeeded_at))
  const names = failing.map(({ name }) => name).join(", ")
  const overdue = turns === 0 ? "No turn is overdue." : `Overdue turns: ${turns}.`
  const late = deliveries === 0 ? "No webhook delivery is overdue." : `Overdue webhook deliveries: ${deliveries}.`
  return [
    cronCheck(Number.isFinite(lastRun) ? lastRun : null),
    check("sweeps", failing.length, 0, failing.length === 0 ? "All sweeps succeed." : `Failing sweeps: ${names}.`),
    check("turns", turns, 0, overdue),
    check("webhooks", deliveries, 0, late),
    reconciled(reconciliation, secondsSince),
    providersCheck({ suspended: suspended ?? 0, refused: refused ?? 0, unpriced: unpriced ?? 0 }),
    booksCheck(books ?? 0),
    settingsCheck(session),
  ]
}

/** Counts days of provider accounts that an operator must look at. */
function booksCheck(days: number): Check {
  const message =
    days === 0
      ? "Providers' reports agree with our calls, or their findings were seen."
      : `Days of provider accounts with unseen findings, or whose reports cannot be read: ${days}.`
  return check("provider_books", days, 0, message)
}

/** Counts suspended accounts, calls that failed through our account, and calls without the factor of their tier. */
function providersCheck({ suspended, refused, unpriced }: Record<"suspended" | "refused" | "unpriced", number>): Check {
  const accounts = suspended === 0 ? "No provider account is suspended." : `Suspended provider accounts: ${suspended}.`
  const keys = refused === 0 ? "" : ` Calls that a provider refused for a reason of our account: ${refused}.`
  const factors = unpriced === 0 ? "" : ` Calls in a tier that the catalog has no factor for: ${unpriced}.`
  return check("providers", suspended + refused + unpriced, 0, accounts + keys + factors)
}

/** The value is the number of findings. A reconciliation that is too old fails, too. */
function reconciled(last: Figures["reconciliation"], secondsSince: (moment: string) => number): Check {
  const base = { name: "reconciliation", limit: 0 } as const
  // The first one starts with the first run of the cron, which has a check of its own.
  if (!last?.finished_at) return { ...base, ok: true, value: null, message: "No reconciliation has finished yet." }
  const seconds = secondsSince(String(last.finished_at))
  const findings = last.findings === 0 ? "without findings" : `with ${last.findings} findings`
  const message = `The last reconciliation finished ${seconds} s ago, ${findings}.`
  return {
    ...base,
    ok: last.findings === 0 && seconds <= HEALTH_POLICY.reconciliationSeconds,
    value: last.findings,
    message,
  }
}

/** The checks of QStash and Redis. */
export async function checkOutside(ctx: Context): Promise<{ runs: CronRuns | null; checks: Check[] }> {
  const { runs, redis } = await askRedis(ctx)
  return { runs, checks: [await checkQueue(ctx, runs), redis] }
}

async function checkQueue({ queue, log }: Context, runs: CronRuns | null): Promise<Check> {
  try {
    const { most, now } = await queue.load()
    // The cron falls asleep only while messages are accepted. A runner without work ends at once.
    if (!runs?.asleep) await queue.requireAccepting({ path: RUNNERS_PATH, flow: { of: "turns" } })
    return check("queue", now, Math.max(0, most - 1), `QStash delivers ${now} of ${most} messages at once.`)
  } catch (error) {
    log("error", "health.queue_failed", { error: describeError(error) })
    const words = error instanceof QstashError ? saidBy("QStash", error.message) : "QStash does not answer."
    return { name: "queue", ok: false, value: null, limit: null, message: words }
  }
}

/**
 * Asks Redis once: for the state of a cron that may sleep. `runs` is null if the cron never sleeps, or Redis does not
 * answer. Then the cron runs every minute, as the database notes.
 */
async function askRedis({ cron, probeRedis, log }: Context): Promise<{ runs: CronRuns | null; redis: Check }> {
  const check = { name: "redis", value: null, limit: null } as const
  try {
    const runs = cron ? await cron.read() : null
    if (!cron) await probeRedis()
    return { runs, redis: { ...check, ok: true, message: "Redis answers." } }
  } catch (error) {
    log("error", "health.redis_failed", { error: describeError(error) })
    const { message = "" } = (error instanceof Error ? error.cause : undefined) as Partial<Error>
    const words = /^Redis: (.+ .+)$/.exec(message)?.[1]
    const told = words === undefined ? "Redis does not answer." : saidBy("Redis", words)
    const without = "No user can sign in; turns, keys and open sessions work."
    return { runs: null, redis: { ...check, ok: false, message: `${told} ${without}` } }
  }
}

/** The provider's own words: they say if a plan is used up, or a token is wrong. */
const saidBy = (who: string, words: string) =>
  `${who} answers: ${(/^\{"error":"([^"]+)"\}$/.exec(words)?.[1] ?? words).replaceAll(/\s+/g, " ").trim().slice(0, 300)}`

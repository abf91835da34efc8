import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { pagesOf } from "./check-pages.ts"
import { checkSchema, getHealth, type Health } from "./get-health.ts"

/** The length of a point of the lines. The sweep counts quarters of an hour (note-service-level.sql). */
const QUARTER_MS = 900_000

const seen = "Null if the cron did not run in it, as while it sleeps."

const levelSchema = z.object({
  starts_at: z.iso.datetime().meta({ description: "The start of a quarter of an hour." }),
  done: z.int().nullable().meta({ description: "Live turns that ended as `done`.", example: 118 }),
  failed: z.int().nullable().meta({ description: "Live turns that failed.", example: 2 }),
  p95_seconds: z.number().nullable().meta({
    description:
      "The 95th percentile of the time from acceptance to end, without the time that a turn waited. Null if none has ended.",
    example: 4.2,
  }),
  provider_calls: z.int().nullable().meta({ description: "Model calls of live turns that succeeded.", example: 260 }),
  provider_errors: z.int().nullable().meta({ description: "Model calls of live turns that failed.", example: 1 }),
  oldest_queued_seconds: z
    .number()
    .nullable()
    .meta({
      description: `For how long a turn has at most been ready to start. ${seen}`,
      example: 0.4,
    }),
  webhook_backlog: z
    .int()
    .nullable()
    .meta({ description: `The most deliveries that were due. ${seen}`, example: 12 }),
})

const failingSchema = checkSchema.extend({
  page: z.string().meta({ description: "The page of the web app for it.", example: "/operator/providers" }),
  turns: z.string().nullable().meta({
    description: "The list of the turns that the failure hits. Null: it hits none.",
    example: "/operator/turns?state=queued&direction=asc",
  }),
})

export const serviceLevelSchema = z
  .object({
    status: z.enum(["ok", "failing"]),
    verdict: z.string().meta({
      description: "The state of the service in a sentence.",
      example: "Every check has passed since 2026-01-05 08:12 UTC.",
    }),
    since: z.iso.datetime().nullable().meta({
      description:
        "Since when every check has passed, as the sweeps have seen it; the check `queue` is not asked then. Null while one fails.",
    }),
    failing: z
      .array(failingSchema)
      .meta({ description: "The checks that fail now, in the order of `GET /api/health`." }),
    levels: z.array(levelSchema).meta({
      description:
        "Every quarter of an hour of the range, oldest first. The last one is not over. Counts are exact after at most a minute.",
    }),
  })
  .meta({ id: "ServiceLevel" })

type ServiceLevel = z.infer<typeof serviceLevelSchema>

/** The quarters of an hour of the last days, and the checks of now. ADMIN_REQUIRED for users who are no admins. */
export async function getServiceLevel(
  ctx: Context,
  credential: SessionCredential,
  days: number,
): Promise<ServiceLevel> {
  const now = ctx.clock.now()
  const newest = Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS
  const first = newest + QUARTER_MS - days * DAY_MS
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((eb) => [
        jsonArrayFrom(
          eb
            .selectFrom("service_levels as l")
            .selectAll("l")
            .where("l.starts_at", ">=", new Date(first))
            .orderBy("l.starts_at"),
        ).as("levels"),
        eb
          .selectFrom("service_levels as l")
          .select(({ fn }) => fn.coalesce(fn.max("l.failed_at"), fn.min("l.starts_at")).as("at"))
          .as("since"),
      ]),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw new Error("the range is always there")
  const known = new Map(row.levels.map((level) => [Date.parse(level.starts_at), level]))
  return {
    ...verdictOf(await getHealth(ctx), toInstant(row.since)),
    levels: Array.from({ length: (newest - first) / QUARTER_MS + 1 }, (_, index) => {
      const at = first + index * QUARTER_MS
      return levelOf(at, known.get(at))
    }),
  }
}

interface LevelRow {
  done: number
  failed: number
  p95_ms: number | null
  provider_calls: number
  provider_errors: number
  oldest_queued_ms: number | null
  webhook_backlog: number | null
}

function levelOf(at: number, row: LevelRow | undefined): ServiceLevel["levels"][number] {
  const secondsOf = (ms: number | null | undefined) => (typeof ms === "number" ? ms / 1000 : null)
  return {
    starts_at: new Date(at).toISOString(),
    done: row?.done ?? null,
    failed: row?.failed ?? null,
    p95_seconds: secondsOf(row?.p95_ms),
    provider_calls: row?.provider_calls ?? null,
    provider_errors: row?.provider_errors ?? null,
    oldest_queued_seconds: secondsOf(row?.oldest_queued_ms),
    webhook_backlog: row?.webhook_backlog ?? null,
  }
}

/** `since`: since when no run of the sweep has seen a failing check; null: it has not run yet. */
function verdictOf({ status, checks, checked_at }: Health, since: string | null): Omit<ServiceLevel, "levels"> {
  const failing = checks
    .filter(({ ok }) => ok === false)
    .map((check) => ({ ...check, ...pagesOf(check.name, new Date(checked_at)) }))
  if (status !== "ok") return { status, verdict: failing.map(({ message }) => message).join(" "), since: null, failing }
  const minute = since?.slice(0, 16).replace("T", " ")
  const verdict = minute ? `Every check has passed since ${minute} UTC.` : "Every check passes."
  return { status, verdict, since, failing }
}

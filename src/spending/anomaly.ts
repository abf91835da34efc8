import type { QueryCreator } from "kysely"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { UNUSUAL_POLICY } from "./policies.ts"

/** The subjects whose spend is compared with their own pattern, in this order. */
export const ANOMALY_KINDS = ["space", "key", "end_user"] as const
export type AnomalyKind = (typeof ANOMALY_KINDS)[number]

export const ANOMALY_STATES = ["open", "dismissed"] as const
export type AnomalyState = (typeof ANOMALY_STATES)[number]

export const anomalySchema = z
  .object({
    anomaly_id: z.string().meta({ example: "ano_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    kind: z.enum(ANOMALY_KINDS),
    end_user_ref: z.string().nullable().meta({ description: "Null: it is a key or a space.", example: "customer-42" }),
    key_id: z.string().nullable().meta({ description: "Null: it is an end user or a space.", example: null }),
    key_name: z.string().nullable().meta({ description: "The name of the key.", example: null }),
    space: z.string().nullable().meta({ description: "Null: it is an end user or a key.", example: null }),
    spent_usd: z.number().meta({ description: "Billed on the day with the highest spend.", example: 12.4 }),
    usual_usd: z.number().meta({
      description:
        `The usual spend of such a day: the median of the same days of the week with spend in the ${UNUSUAL_POLICY.days} days before, or ` +
        `of all such days with fewer than ${UNUSUAL_POLICY.leastWeekdays} of this day of the week. Above ${UNUSUAL_POLICY.times} times ` +
        `this amount and ${toUsd(UNUSUAL_POLICY.floor)} USD a day is an anomaly.`,
      example: 1.1,
    }),
    from: z.iso.datetime().meta({ description: "The start of its first day (UTC). Its turns ended from then on." }),
    to: z.iso.datetime().meta({ description: "The end of its last day. Days in a row are one anomaly." }),
    found_at: z.iso.datetime(),
    state: z.enum(ANOMALY_STATES),
    dismissed_at: z.iso.datetime().nullable().meta({ description: "Null: it is open." }),
  })
  .meta({ id: "Anomaly" })

export type Anomaly = z.infer<typeof anomalySchema>

export const putAnomalySchema = z
  .strictObject({ state: z.enum(ANOMALY_STATES).meta({ example: "dismissed" }) })
  .meta({ id: "PutAnomaly" })

type Row = JsonRow<"anomalies"> & { key_name: string | null }

/** The end user, the key or the space, as the API names it. */
export const subjectOf = (kind: AnomalyKind, subject: string) => ({
  end_user_ref: kind === "end_user" ? subject : null,
  key_id: kind === "key" ? subject : null,
  space: kind === "space" ? subject : null,
})

const serializeAnomaly = (row: Row): Anomaly => ({
  anomaly_id: row.anomaly_id,
  kind: row.kind as AnomalyKind,
  ...subjectOf(row.kind as AnomalyKind, row.subject),
  key_name: row.key_name,
  spent_usd: toUsd(row.spent_credit_micros),
  usual_usd: toUsd(row.usual_credit_micros),
  from: new Date(row.first_day).toISOString(),
  to: new Date(new Date(row.last_day).getTime() + DAY_MS).toISOString(),
  found_at: toInstant(row.found_at),
  state: row.dismissed_at === null ? "open" : "dismissed",
  dismissed_at: toInstant(row.dismissed_at),
})

interface Search {
  filters: {
    anomaly_id?: string
    state?: AnomalyState | undefined
    end_user_ref?: string | undefined
    key_id?: string | undefined
    space?: string | undefined
  }
  limit: number
  offset: number
}

const FILTERS = { space: "space", key: "key_id", end_user: "end_user_ref" } as const satisfies Record<
  AnomalyKind,
  string
>

/** The anomalies of the caller's account, newest first. */
export async function listAnomalies(ctx: Context, credential: SessionCredential, { filters, limit, offset }: Search) {
  const { anomaly_id, state, ...subjects } = filters
  const { rows } = await readAs(ctx, credential, (db) => {
    let query = newestFirst(db)
    if (anomaly_id !== undefined) query = query.where("a.anomaly_id", "=", anomaly_id)
    if (state !== undefined) query = query.where("a.dismissed_at", state === "open" ? "is" : "is not", null)
    for (const kind of ANOMALY_KINDS) {
      const subject = subjects[FILTERS[kind]]
      if (subject !== undefined) query = query.where("a.kind", "=", kind).where("a.subject", "=", subject)
    }
    return query
      .select((eb) => eb.fn.countAll<number>().over().as("total"))
      .limit(limit)
      .offset(offset)
  })
  return { items: storedRows<Row>(rows).map(serializeAnomaly), total: rows[0]?.total ?? 0 }
}

/** The newest open anomalies of the caller's account, without their number. */
export async function openAnomalies(ctx: Context, credential: SessionCredential, limit: number): Promise<Anomaly[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    newestFirst(db).where("a.dismissed_at", "is", null).limit(limit),
  )
  return storedRows<Row>(rows).map(serializeAnomaly)
}

const newestFirst = (db: QueryCreator<CallerDB>) =>
  db
    .selectFrom("caller")
    .innerJoin("anomalies as a", "a.user_id", "caller.user_id")
    .leftJoin("api_keys as k", (join) => join.on("a.kind", "=", "key").onRef("k.key_id", "=", "a.subject"))
    .selectAll("a")
    .select("k.name as key_name")
    .orderBy("a.found_at", "desc")
    .orderBy("a.anomaly_id", "desc")

/** Dismisses an anomaly, or opens it again. Throws NOT_FOUND. */
export async function putAnomaly(
  ctx: Context,
  credential: SessionCredential,
  { anomalyId, state }: { anomalyId: string; state: AnomalyState },
): Promise<Anomaly> {
  await callAs(ctx, credential, "put_anomaly", { anomaly_id: anomalyId, dismissed: state === "dismissed" })
  const { items } = await listAnomalies(ctx, credential, { filters: { anomaly_id: anomalyId }, limit: 1, offset: 0 })
  if (!items[0]) throw new TurnpikeError("NOT_FOUND", "There is no anomaly with this id in your account.")
  return items[0]
}

import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type AuditFilters, auditConditions } from "../actor/audit-filters.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"

const facts = z.record(z.string(), z.unknown()).nullable()

export const activityEntrySchema = z
  .object({
    activity_id: z.int().meta({ description: "Greater for newer entries.", example: 311 }),
    action: z.string().meta({ example: "key.update" }),
    subject_type: z.string().meta({ description: "The type of the changed object.", example: "key" }),
    subject_id: z
      .string()
      .meta({ description: "Its id, slug, name or `end_user_ref`.", example: "key_01j9zq4s0fq4mvt2b9v0000000" }),
    by: z.enum(["owner", "key", "member", "end_user", "operator"]).meta({
      description:
        "The maker of the change: you, one of your API keys, a member of a shared space, an end user in a portal, or the operator of the service.",
      example: "owner",
    }),
    name: z.string().nullable().meta({ description: "The name of the owner, key or member.", example: "Ada" }),
    key_id: z.string().nullable().meta({ description: "The key that made the change, if it was one." }),
    before: facts.meta({
      description: "The changed facts before, without secrets. Null for a new object, and for changes of operators.",
      example: { daily_usd: 5 },
    }),
    after: facts.meta({ description: "The facts afterwards, as in `before`.", example: { daily_usd: 20 } }),
    request_id: z.string().nullable().meta({ description: "The request that made the change." }),
    address: z.string().nullable().meta({
      description: "The IP address of your browser; null for all other makers.",
      example: "203.0.113.9",
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "ActivityEntry" })

export type ActivityEntry = z.infer<typeof activityEntrySchema>

interface ActivityFilters extends AuditFilters {
  key_id?: string | undefined
  by?: ActivityEntry["by"] | undefined
}

/** A page of the changes of the caller's account, newest first, and the number of all that were found. */
export async function listActivity(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: ActivityFilters; limit: number; offset: number },
): Promise<{ entries: ActivityEntry[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").select((caller) => {
      const matching = caller
        .selectFrom("audit_log as a")
        .leftJoin("users as u", "u.user_id", "a.actor_user_id")
        .leftJoin("api_keys as k", "k.key_id", "a.key_id")
        .whereRef("a.account_user_id", "=", "caller.user_id")
        .where((eb) =>
          eb.or([
            eb("a.subject_type", "<>", "user"),
            eb("a.action", "in", OF_ACCOUNT),
            eb("caller.person_id", "is", null),
          ]),
        )
        .where(matches(filters))
      const page = matching
        .selectAll("a")
        .select((eb) => [
          maker.as("by"),
          eb.fn.coalesce("k.name", "u.name").as("name"),
          eb("a.actor_user_id", "=", eb.fn.coalesce("caller.person_id", "caller.user_id")).as("is_self"),
        ])
        .orderBy("a.audit_id", "desc")
        .limit(limit)
        .offset(offset)
      return [
        matching.select((eb) => eb.fn.countAll<number>().as("total")).as("total"),
        jsonArrayFrom(page).as("entries"),
      ]
    }),
  )
  const { total, entries } = rows[0] ?? {}
  return { total: total ?? 0, entries: ((entries ?? []) as EntryRow[]).map(serializeEntry) }
}

type Tables = CallerDB & { a: DB["audit_log"]; u: Nullish<DB["users"]>; k: Nullish<DB["api_keys"]> }
type Nullish<Table> = { [Column in keyof Table]: Table[Column] | null }
const eb = expressionBuilder<Tables, "a" | "u" | "k">()

/** The maker of a change, as `src/actor/audit.sql` names it. */
const maker = eb.fn<ActivityEntry["by"]>(released("maker_of_change"), [
  "a.key_id",
  "a.action",
  "a.actor_role",
  "a.actor_user_id",
  "a.account_user_id",
  "a.subject_type",
  "u.role",
])

function matches(filters: ActivityFilters): Expression<SqlBool> {
  const all = auditConditions(filters)
  if (filters.key_id !== undefined) all.push(eb("a.key_id", "=", filters.key_id))
  if (filters.by !== undefined) all.push(eb(maker, "=", filters.by))
  return eb.and(all)
}

interface EntryRow extends Omit<ActivityEntry, "activity_id"> {
  audit_id: number
}

/** Operators' entries have facts and names that are theirs, so their owners see only what was done. */
function serializeEntry(row: EntryRow): ActivityEntry {
  const isOperators = row.by === "operator"
  return {
    activity_id: row.audit_id,
    action: row.action,
    subject_type: row.subject_type,
    subject_id: row.subject_id,
    by: row.by,
    name: isOperators ? null : row.name,
    key_id: row.key_id,
    before: isOperators ? null : factsInUnits(row.before),
    after: isOperators ? null : factsInUnits(row.after),
    request_id: row.request_id,
    address: row.by === "owner" ? row.address : null,
    created_at: toInstant(row.created_at),
  }
}

/** Numbers that only the service knows. */
const INTERNAL = new Set(["user_id", "space_id", "price_id", "most_millionths", "ending_turns", "ending_tried_at"])

/** The facts of a change in the units of the API: `daily_credit_micros` is `daily_usd`. */
function factsInUnits(facts: ActivityEntry["before"]): ActivityEntry["before"] {
  if (facts === null) return null
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([name]) => !INTERNAL.has(name))
      .map(([name, value]) => {
        if (name.endsWith("_credit_micros"))
          return [name.replace(/_credit_micros$/, "_usd"), value === null ? null : toUsd(Number(value))]
        if (name.endsWith("_millionths")) return [name.replace(/_millionths$/, ""), Number(value) / 1e6]
        if (name === "per_model" && value) return [name, inUnits(value)]
        return [name, value]
      }),
  )
}

const inUnits = (millionths: object) =>
  Object.fromEntries(Object.entries(millionths).map(([pin, value]) => [pin, Number(value) / 1e6]))

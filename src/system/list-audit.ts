import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type AuditFilters, auditConditions } from "../actor/audit-filters.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"

const row = z.record(z.string(), z.unknown()).nullable()

export const auditEntrySchema = z
  .object({
    audit_id: z.int().meta({ example: 311 }),
    actor_user_id: z
      .int()
      .nullable()
      .meta({ description: "The user who made the change; null if it was the command line.", example: 1 }),
    actor_name: z.string().nullable().meta({ example: "Ada" }),
    account_user_id: z
      .int()
      .nullable()
      .meta({ description: "The account whose object was changed; null if it belongs to no account.", example: 42 }),
    actor_role: z.string().nullable().meta({
      description: "The actor's role in the account, if the actor is a member of it.",
      example: null,
    }),
    key_id: z.string().nullable().meta({ description: "The key that made the change, if it was one.", example: null }),
    action: z.string().meta({ example: "user.update" }),
    subject_type: z.string().meta({ description: "The type of the changed object.", example: "user" }),
    subject_id: z.string().meta({ example: "42" }),
    before: row.meta({
      description: "The object before the change, without secrets; null if it was created.",
      example: { role: "user" },
    }),
    after: row.meta({
      description: "The object after the change, without secrets; null if nothing is recorded.",
      example: { role: "admin" },
    }),
    request_id: z.string().nullable(),
    address: z.string().nullable().meta({ example: "203.0.113.9" }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "AuditEntry" })

export type AuditEntry = z.infer<typeof auditEntrySchema>

interface OperatorsFilters extends AuditFilters {
  actor_user_id?: number | undefined
  /** Changes of this user, alone or with others. */
  changed_user_id?: number | undefined
  /** Includes changes of owners to objects of their own. Filters by actor, subject or action always include them. */
  own?: boolean | undefined
}

/** A page of the audit log, newest first, and the number of all entries found. */
export async function listAudit(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: OperatorsFilters; limit: number; offset: number },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const matching = caller.selectFrom("audit_log as a").where(matches(filters))
        const page = matching
          .leftJoin("users as u", "u.user_id", "a.actor_user_id")
          .selectAll("a")
          .select("u.name as actor_name")
          .orderBy("a.audit_id", "desc")
          .limit(limit)
          .offset(offset)
        return [
          matching.select((eb) => eb.fn.countAll<number>().as("total")).as("total"),
          jsonArrayFrom(page).as("entries"),
        ]
      }),
    { role: "admin" },
  )
  const { total, entries = [] } = rows[0] ?? {}
  return {
    total: total ?? 0,
    entries: (entries as AuditEntry[]).map((entry) => ({ ...entry, created_at: toInstant(entry.created_at) })),
  }
}

/** The types of objects that owners change by themselves, too often for the log of operators. */
const OWN_SUBJECTS = [
  ...["key", "webhook", "price", "end_user", "end_user_defaults", "space", "call"],
  ...["member", "invitation", "account"],
]

/** An entry of a user, or an act on many users that changed this one. */
function changes(userId: number): Expression<SqlBool> {
  const eb: ExpressionBuilder<CallerDB & { a: DB["audit_log"] }, "a"> = expressionBuilder()
  const outcome = JSON.stringify([{ user_id: userId, outcome: "changed" }])
  return eb.or([
    eb.and([eb("a.subject_type", "=", "user"), eb("a.subject_id", "=", String(userId))]),
    eb.and([eb("a.subject_type", "=", "bulk"), sql<SqlBool>`a.after -> 'outcomes' @> ${outcome}::jsonb`]),
  ])
}

function matches(filters: OperatorsFilters): Expression<SqlBool> {
  const eb: ExpressionBuilder<CallerDB & { a: DB["audit_log"] }, "a"> = expressionBuilder()
  const all = auditConditions(filters)
  const { own, actor_user_id, changed_user_id, subject_type, subject_id, action } = filters
  if (actor_user_id !== undefined) all.push(eb("a.actor_user_id", "=", actor_user_id))
  if (changed_user_id !== undefined) all.push(changes(changed_user_id))
  if (!own && [actor_user_id, subject_type, subject_id, action].every((filter) => filter === undefined)) {
    all.push(eb.or([eb("a.account_user_id", "is", null), eb("a.subject_type", "not in", OWN_SUBJECTS)]))
  }
  return eb.and(all)
}

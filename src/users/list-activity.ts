import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import { type ActivityEntry, type EntryRow, OF_ACCOUNT, serializeEntry } from "../actor/activity-entry.ts"
import type { SessionCredential } from "../actor/actor.ts"
import { type AuditFilters, auditConditions } from "../actor/audit-filters.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { released } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"

interface ActivityFilters extends AuditFilters {
  key_id?: string | undefined
  by?: ActivityEntry["by"] | undefined
  /** The user id of a member. */
  member?: number | undefined
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
  if (filters.member !== undefined) {
    all.push(eb("a.actor_user_id", "=", filters.member), eb(maker, "=", "member"))
  }
  return eb.and(all)
}

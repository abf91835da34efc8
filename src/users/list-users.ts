import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { DB } from "../platform/db-types.ts"
import { type AdminUser, type AdminUserRow, adminUserColumns, serializeAdminUser } from "./admin-user.ts"

export interface UserSearch {
  /** A part of the name, the email, the id on the messaging platform or the id. */
  q?: string | undefined
  role?: "user" | "admin" | undefined
}

/** The users, newest first, with their number. ADMIN_REQUIRED. */
export async function listUsers(
  ctx: Context,
  credential: SessionCredential,
  { search, limit, offset }: { search: UserSearch; limit: number; offset: number },
): Promise<{ users: AdminUser[]; total: number }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const found = caller.selectFrom("users as u").where(matches(search))
        const ids = found.select("u.user_id").orderBy("u.user_id", "desc").limit(limit).offset(offset)
        const page = caller
          .selectFrom(ids.as("page"))
          .innerJoin("users as u", "u.user_id", "page.user_id")
          .leftJoin("wallets as w", "w.user_id", "u.user_id")
          .select(adminUserColumns)
          .orderBy("u.user_id", "desc")
        return [found.select((eb) => eb.fn.countAll<number>().as("total")).as("total"), jsonArrayFrom(page).as("users")]
      }),
    { role: "admin" },
  )
  const { total, users = [] } = rows[0] ?? {}
  return { total: total ?? 0, users: users.map((row) => serializeAdminUser(row as AdminUserRow)) }
}

function matches({ q, role }: UserSearch): Expression<SqlBool> {
  const eb: ExpressionBuilder<CallerDB & { u: DB["users"] }, "u"> = expressionBuilder()
  const all: Expression<SqlBool>[] = []
  if (role) all.push(eb("u.role", "=", role))
  if (q) {
    const messengers = eb
      .selectFrom("identities as i")
      .where("i.issuer", "like", "messenger:%")
      .where(({ ref }) => holds(ref("i.subject"), q))
      .select("i.user_id")
    const either: Expression<SqlBool>[] = [
      holds(eb.ref("u.name"), q),
      holds(eb.ref("u.email"), q),
      eb("u.user_id", "in", messengers),
    ]
    if (/^\d+$/.test(q)) either.push(holds(eb.cast<string>("u.user_id", "text"), q))
    all.push(eb.or(either))
  }
  return eb.and(all)
}

/** Whether a text contains `part`, in whatever case. */
const holds = (text: Expression<string | null>, part: string) =>
  sql<SqlBool>`position(${part.toLowerCase()}::text in lower(${text})) > 0`

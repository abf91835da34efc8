import { type Expression, type QueryCreator, type SqlBool, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
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
      db
        // One look at all users for a search; without one, both the number and the page come from an index.
        .with(
          (cte) => (search.q ? cte("found").materialized() : cte("found").notMaterialized()),
          (cte) => found(cte, search),
        )
        .selectFrom("caller")
        .select((caller) => {
          const ids = caller
            .selectFrom("found as f")
            .select("f.user_id")
            .orderBy("f.user_id", "desc")
            .limit(limit)
            .offset(offset)
          const page = caller
            .selectFrom(ids.as("page"))
            .innerJoin("users as u", "u.user_id", "page.user_id")
            .leftJoin("wallets as w", "w.user_id", "u.user_id")
            .select(adminUserColumns)
            .orderBy("u.user_id", "desc")
          return [
            caller
              .selectFrom("found as f")
              .select((eb) => eb.fn.countAll<number>().as("total"))
              .as("total"),
            jsonArrayFrom(page).as("users"),
          ]
        }),
    { role: "admin" },
  )
  const { total, users = [] } = rows[0] ?? {}
  return { total: total ?? 0, users: users.map((row) => serializeAdminUser(row as AdminUserRow)) }
}

function found(db: QueryCreator<CallerDB>, { q, role }: UserSearch) {
  const all = db
    .selectFrom("users as u")
    .select("u.user_id")
    .$if(role !== undefined, (query) => query.where("u.role", "=", role ?? ""))
  if (!q) return all
  const named = all.where(({ ref }) => holds(ref("u.search"), q.toLowerCase()))
  // Ids on the messaging platform are numbers.
  if (!/^\d+$/.test(q)) return named
  return named.union(
    all
      .innerJoin("identities as i", "i.user_id", "u.user_id")
      .where("i.issuer", "like", "messenger:%")
      .where(({ ref }) => holds(ref("i.subject"), q)),
  )
}

/** The search column is in lower case already: lower() of each user would take longer than the search. */
const holds = (text: Expression<string | null>, part: string) => sql<SqlBool>`position(${part}::text in ${text}) > 0`

import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { folded } from "../base/folded.ts"
import { type AdminUser, type AdminUserRow, adminUserColumns, serializeAdminUser } from "./admin-user.ts"

export interface UserSearch {
  /** Part of the name, the email, the id on the messaging platform or the user id. */
  q?: string | undefined
  /** `user` or `admin`. Any other value finds no users. */
  role?: string | undefined
  disabled?: boolean | undefined
  /** Only users with a smaller id. */
  before_id?: number | undefined
}

/** A page of users, newest first, and the number of all users found. ADMIN_REQUIRED. */
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
        // One scan of all users. The ids are aggregated in ascending order, which is the cheapest.
        .with("found", (cte) =>
          cte
            .selectFrom(found(cte, search).as("f"))
            .select((eb) => eb.fn.agg<number[]>("array_agg", ["f.user_id"]).orderBy("f.user_id").as("ids")),
        )
        .with("counted", (cte) =>
          cte
            .selectFrom("found as f")
            .select((eb) => ["f.ids", sql<number>`coalesce(cardinality(${eb.ref("f.ids")}), 0)`.as("total")]),
        )
        .selectFrom("caller")
        .innerJoin("counted as c", (join) => join.onTrue())
        .select((eb) => {
          // Newest first, so the page is the slice that ends `offset` ids before the last id.
          const last = sql<number>`${eb.ref("c.total")} - ${offset}::integer`
          const page = eb
            .selectFrom("users as u")
            .leftJoin("wallets as w", "w.user_id", "u.user_id")
            .where(
              "u.user_id",
              "=",
              sql<number>`any((${eb.ref("c.ids")})[greatest(1, ${last} - ${limit}::integer + 1):${last}])`,
            )
            .select(adminUserColumns)
            .orderBy("u.user_id", "desc")
          return ["c.total", jsonArrayFrom(page).as("users")]
        }),
    { role: "admin" },
  )
  const { total, users = [] } = rows[0] ?? {}
  return { total: total ?? 0, users: users.map((row) => serializeAdminUser(row as AdminUserRow)) }
}

function found(db: QueryCreator<CallerDB>, { q, role, disabled, before_id }: UserSearch) {
  const all = db
    .selectFrom("users as u")
    .select("u.user_id")
    .$if(role !== undefined, (query) => query.where("u.role", "=", role ?? ""))
    .$if(disabled !== undefined, (query) => query.where("u.disabled_at", disabled ? "is not" : "is", null))
    .$if(before_id !== undefined, (query) => query.where("u.user_id", "<", before_id ?? 0))
  if (!q) return all
  const named = all.where("u.search", "like", holding(folded(q)))
  // Ids on the messaging platform are numbers.
  if (!/^\d+$/.test(q)) return named
  return named.union(
    all
      .innerJoin("identities as i", "i.user_id", "u.user_id")
      .where("i.issuer", "like", "messenger:%")
      .where("i.subject", "like", holding(q)),
  )
}

/**
 * A LIKE pattern for texts that contain this part. `u.search` is already folded, so the costly folding of
 * `holds()` is not needed. For a short part that most rows contain, LIKE is faster than position().
 */
const holding = (part: string) => `%${part.replace(/[\\%_]/g, "\\$&")}%`

import type { QueryCreator } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { folded } from "../base/folded.ts"
import type { CreatedFilters } from "../base/pagination.ts"

export interface UserSearch extends CreatedFilters {
  /** Part of the name, the email, the id on the messaging platform or the user id. */
  q?: string | undefined
  /** `user` or `admin`. Any other value finds no users. */
  role?: string | undefined
  disabled?: boolean | undefined
  /** The name of a brand, or `all`. */
  brand: string
  /** Only users with an active subscription to this plan. */
  plan?: string | undefined
}

/** A query for the ids of the users `u` that a search finds. */
export function foundUsers(
  db: QueryCreator<CallerDB>,
  { q, role, disabled, brand, plan, created_after, created_before }: UserSearch,
  now: Date,
) {
  const all = db
    .selectFrom("users as u")
    .select("u.user_id")
    .$if(role !== undefined, (query) => query.where("u.role", "=", role ?? ""))
    .$if(disabled !== undefined, (query) => query.where("u.disabled_at", disabled ? "is not" : "is", null))
    .$if(brand !== "all", (query) => query.where("u.brand", "=", brand))
    .$if(created_after !== undefined, (query) => query.where("u.created_at", ">=", new Date(created_after ?? 0)))
    .$if(created_before !== undefined, (query) => query.where("u.created_at", "<", new Date(created_before ?? 0)))
    .$if(plan !== undefined, (query) => query.where("u.user_id", "in", subscribers(db, plan ?? "", now)))
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

const subscribers = (db: QueryCreator<CallerDB>, plan: string, now: Date) =>
  db
    .selectFrom("subscriptions as b")
    .where("b.plan", "=", plan)
    .where("b.deactivated_at", "is", null)
    .where("b.starts_at", "<=", now)
    .where((eb) => eb.or([eb("b.ends_at", "is", null), eb("b.ends_at", ">", now)]))
    .select("b.user_id")

/**
 * A LIKE pattern for texts that contain this part. `u.search` is already folded, so the costly folding of
 * `holds()` is not needed. For a short part that most rows contain, LIKE is faster than position().
 */
const holding = (part: string) => `%${part.replace(/[\\%_]/g, "\\$&")}%`

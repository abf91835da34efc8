import { type OrderByItemBuilder, type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type InParts, inOrder, type ListHead, readInParts } from "../base/in-parts.ts"
import type { ArchivedFilter } from "../base/pagination.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { isOneOf } from "../platform/one-of.ts"
import { type AdminSpace, serializeAdminSpace, shownSpaces } from "./admin-space.ts"
import { knownBrand, unknownBrand } from "./known-brand.ts"
import { recentBySpace } from "./recent-turns.ts"
import { isNamed } from "./serialize-space.ts"

export const INVENTORY_SORTS = ["title", "created_at", "last_activity", "messages", "cost"] as const
type Sort = (typeof INVENTORY_SORTS)[number]

/** From this offset on, sorting all rows is faster than a bounded sort. */
const DEEP = 1_000

export interface InventoryFilters {
  q?: string | undefined
  origin?: string | undefined
  /** The name of a brand, or `all`. */
  brand: string
  archived: ArchivedFilter
  owner_id?: number | undefined
  workspace_id?: string | undefined
}

export interface InventoryPage {
  sort: Sort
  direction: "asc" | "desc"
  limit: number
  offset: number
}

/**
 * The registered spaces of all accounts, for admins (docs/contract.md), in one statement. Spaces with equal sort
 * values are ordered by id, and spaces without activity come last. Throws VALIDATION_FAILED for an unknown brand.
 */
export async function listInventory(
  ctx: Context,
  credential: SessionCredential,
  { filters, page: { sort, direction, limit, offset } }: { filters: InventoryFilters; page: InventoryPage },
): Promise<{ items: AdminSpace[]; total: number }> {
  const { brand } = filters
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          // A search scans each title once, for both the total and the page. All other queries are faster as two plans.
          (cte) => (filters.q === undefined ? cte("found").notMaterialized() : cte("found").materialized()),
          () => sorted(db, filters, sort),
        )
        .selectFrom("caller")
        .select((eb) => {
          const inOrder = (order: OrderByItemBuilder) => {
            const directed = direction === "asc" ? order.asc() : order.desc()
            // Only activity can be null. The index of titles has the opposite order of nulls, so titles must not
            // say "nulls last".
            return sort === "last_activity" ? directed.nullsLast() : directed
          }
          // At a large offset, sorting all rows is faster than the heap that the planner uses with a limit.
          const all = eb
            .selectFrom("found as f")
            .selectAll("f")
            .$if(offset >= DEEP, (deep) => deep.orderBy("f.rank", inOrder).orderBy("f.space_id", direction).offset(0))
          const page = eb
            .selectFrom(all.as("o"))
            .selectAll("o")
            .orderBy("o.rank", inOrder)
            .orderBy("o.space_id", direction)
            .limit(limit)
            .offset(offset)
          const shown = shownSpaces(db)
            .innerJoin(page.as("p"), "p.space_id", "s.space_id")
            .orderBy("p.rank", inOrder)
            .orderBy("s.space_id", direction)
          return [
            eb
              .selectFrom("found")
              .select((of) => of.fn.countAll<number>().as("total"))
              .as("total"),
            jsonArrayFrom(shown).as("spaces"),
            knownBrand(brand).as("known_brand"),
          ]
        }),
    { role: "admin" },
  )
  const { total, spaces = [], known_brand } = rows[0] ?? {}
  if (brand !== ctx.brand && !known_brand) throw unknownBrand(brand)
  return { items: spaces.map(serializeAdminSpace), total: total ?? 0 }
}

/** The same list at any length, for large pages and CSV files. Its ids and their order come from one snapshot. */
export async function readInventory(
  ctx: Context,
  credential: SessionCredential,
  { filters, page: { sort, direction, limit, offset } }: { filters: InventoryFilters; page: InventoryPage },
): Promise<InParts<ListHead, AdminSpace>> {
  const { brand } = filters
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("found").materialized(),
          () => sorted(db, filters, sort),
        )
        .selectFrom("caller")
        .select((eb) => {
          const page = eb
            .selectFrom("found as f")
            .select("f.space_id")
            .orderBy("f.rank", (order) => (direction === "asc" ? order.asc() : order.desc()).nullsLast())
            .orderBy("f.space_id", direction)
            .limit(limit)
            .offset(offset)
          return [
            eb
              .selectFrom("found")
              .select((of) => of.fn.countAll<number>().as("total"))
              .as("total"),
            sql<number[]>`array(${page})`.as("ids"),
            knownBrand(brand).as("known_brand"),
          ]
        }),
    { role: "admin" },
  )
  const { total, ids = [], known_brand } = rows[0] ?? {}
  if (brand !== ctx.brand && !known_brand) throw unknownBrand(brand)
  return {
    head: { total: total ?? 0, limit, offset },
    parts: readInParts(ids, LIST_POLICY.part, (part) => readSpaces(ctx, credential, part)),
  }
}

async function readSpaces(ctx: Context, credential: SessionCredential, ids: number[]): Promise<AdminSpace[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select(jsonArrayFrom(shownSpaces(db).where(isOneOf("s.space_id", ids))).as("spaces")),
    { role: "admin" },
  )
  return inOrder(ids, rows[0]?.spaces ?? [], ({ space_id }) => space_id).map(serializeAdminSpace)
}

function filtered(
  db: QueryCreator<CallerDB>,
  { q, origin, brand, archived, owner_id, workspace_id }: InventoryFilters,
) {
  return db
    .selectFrom("spaces as s")
    .$if(q !== undefined, (query) => query.where(isNamed(q ?? "")))
    .$if(origin !== undefined, (query) => query.where("s.origin", "=", origin ?? ""))
    .$if(brand !== "all", (query) => query.where("s.brand", "=", brand))
    .$if(archived !== "all", (query) => query.where("s.archived_at", archived === "archived" ? "is not" : "is", null))
    .$if(owner_id !== undefined, (query) => query.where("s.user_id", "=", owner_id ?? 0))
    .$if(workspace_id !== undefined, (query) => query.where("s.workspace_id", "=", workspace_id ?? ""))
}

/** The ids of the spaces with their sort value. Only sorts by totals need a join. */
function sorted(db: QueryCreator<CallerDB>, filters: InventoryFilters, sort: Sort) {
  const matching = filtered(db, filters)
  if (sort === "title")
    return matching.select((eb) => ["s.space_id", sql<unknown>`folded(${eb.ref("s.title")}) collate "C"`.as("rank")])
  if (sort === "created_at") return matching.select(["s.space_id", sql<unknown>`s.created_at`.as("rank")])
  return matching
    .leftJoin("space_totals as r", "r.space_id", "s.space_id")
    .leftJoin(recentBySpace(db).as("n"), "n.space_id", "s.space_id")
    .select((eb) => {
      const rank = {
        last_activity: sql<unknown>`greatest(${eb.ref("r.last_ended_at")}, ${eb.ref("n.changed_at")})`,
        messages: sql<unknown>`coalesce(${eb.ref("r.turns")}, 0) + coalesce(${eb.ref("n.turns")}, 0)`,
        cost: sql<unknown>`coalesce(${eb.ref("r.billed_credit_micros")}, 0) + coalesce(${eb.ref("n.billed_credit_micros")}, 0)`,
      }[sort]
      return ["s.space_id", rank.as("rank")]
    })
}

import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type InParts, inOrder, type ListHead, type ListPage, readInParts } from "../base/in-parts.ts"
import { toUsd } from "../base/money.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { refundSums, refundsOf } from "../base/refunds.ts"
import { toInstant } from "../base/time.ts"
import { walletColumns } from "../billing/account-sums.ts"
import { released } from "../platform/db.ts"
import { isOneOf } from "../platform/one-of.ts"
import { knownBrand, unknownBrand } from "../spaces/known-brand.ts"
import { type AdminUserRow, adminUserColumns, adminUserSchema, serializeAdminUser } from "../users/admin-user.ts"
import { foundUsers, type UserSearch } from "../users/found-users.ts"

/** A user in the list of all users. */
export const listedUserSchema = adminUserSchema
  .extend({
    last_seen_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When a session of the user was last used, accurate to an hour; null if none is stored." }),
    spend_usd: z.number().meta({
      description:
        "The billed amount of all live turns of the account, as in the reports. Refunds are not subtracted. Containers and storage do not count.",
      example: 41.07,
    }),
    ...refundSums,
  })
  .meta({ id: "ListedUser" })

export type ListedUser = z.infer<typeof listedUserSchema>

export const USER_SORTS = ["created", "balance", "last_seen", "spend"] as const

interface UserOrder {
  sort: (typeof USER_SORTS)[number]
  direction: "asc" | "desc"
}

interface Asked {
  search: UserSearch
  order: UserOrder
  page: ListPage
}

/**
 * A page of users, and the number of all users found. Users with equal sort values are ordered by id, and users
 * without sessions come last. ADMIN_REQUIRED. Throws VALIDATION_FAILED for an unknown brand.
 */
export async function listUsers(
  ctx: Context,
  credential: SessionCredential,
  { search, order, page }: Asked,
): Promise<{ items: ListedUser[]; total: number }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      ranked(db, { search, order, page }, ctx.clock.now())
        .innerJoin("caller", (join) => join.onTrue())
        .select((eb) => [
          "c.total",
          jsonArrayFrom(
            shownUsers(db)
              .innerJoin(sql<Placed>`unnest(${eb.ref("c.ids")}) with ordinality`.as<"k">(sql`k(id, place)`), (join) =>
                join.onRef("k.id", "=", "u.user_id"),
              )
              .orderBy("k.place"),
          ).as("users"),
          knownBrand(search.brand).as("known_brand"),
        ]),
    { role: "admin" },
  )
  const { total, users = [], known_brand } = rows[0] ?? {}
  if (search.brand !== ctx.brand && !known_brand) throw unknownBrand(search.brand)
  return { items: users.map((row) => serializeListedUser(row as ListedUserRow)), total: total ?? 0 }
}

/** The same list at any length. Its ids and their order come from one snapshot. */
export async function readUsers(
  ctx: Context,
  credential: SessionCredential,
  { search, order, page }: Asked,
): Promise<InParts<ListHead, ListedUser>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      ranked(db, { search, order, page }, ctx.clock.now())
        .innerJoin("caller", (join) => join.onTrue())
        .select(["c.total", "c.ids", knownBrand(search.brand).as("known_brand")]),
    { role: "admin" },
  )
  const { total, ids, known_brand } = rows[0] ?? {}
  if (search.brand !== ctx.brand && !known_brand) throw unknownBrand(search.brand)
  return {
    head: { total: total ?? 0, ...page },
    parts: readInParts(ids ?? [], LIST_POLICY.part, (part) => readPart(ctx, credential, part)),
  }
}

async function readPart(ctx: Context, credential: SessionCredential, ids: number[]): Promise<ListedUser[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => db.selectFrom("caller").select(jsonArrayFrom(shownUsers(db).where(isOneOf("u.user_id", ids))).as("users")),
    { role: "admin" },
  )
  const users = (rows[0]?.users ?? []) as ListedUserRow[]
  return inOrder(ids, users, ({ user_id }) => user_id).map(serializeListedUser)
}

interface Placed {
  id: number
  place: number
}

type Reader = QueryCreator<CallerDB>

/** One row `c`: the number of users found, and the ids of a page in their order. */
function ranked(db: Reader, { search, order: { sort, direction }, page: { limit, offset } }: Asked, now: Date) {
  const found = foundUsers(db, search, now).as("f")
  const inOrder = sql.raw(direction)
  const [ids, total] = [
    sql`array_agg(f.user_id order by ${sort === "created" ? sql`` : sql`r.rank ${inOrder} nulls last, `}f.user_id ${inOrder})`,
    sql<number>`count(*)`.as("total"),
  ]
  const [first, last] = [sql`${offset}::integer + 1`, sql`${offset}::integer + ${limit}::integer`]
  const page = sql<number[]>`coalesce((${ids})[${first}:${last}], '{}')`.as("ids")
  const counted =
    sort === "created"
      ? db.selectFrom(found).select([total, page])
      : db.selectFrom(found).innerJoin(RANKS[sort](db).as("r"), "r.user_id", "f.user_id").select([total, page])
  return db.selectFrom(counted.as("c"))
}

/** The sort value of every user. It is null only for users without sessions. */
const RANKS = {
  balance: (db: Reader) =>
    db
      .selectFrom("users as v")
      .leftJoin("wallets as w", "w.user_id", "v.user_id")
      .select(["v.user_id", sql<unknown>`coalesce(${walletColumns[0].expression}, 0)`.as("rank")]),
  last_seen: (db: Reader) =>
    db
      .selectFrom("users as v")
      .leftJoin(seen(db).as("n"), "n.user_id", "v.user_id")
      .select(["v.user_id", sql<unknown>`n.last_seen_at`.as("rank")]),
  spend: (db: Reader) =>
    db
      .selectFrom("users as v")
      .leftJoin(rolledSpend(db).as("r"), "r.user_id", "v.user_id")
      .leftJoin(queuedSpend(db).as("q"), "q.user_id", "v.user_id")
      .select(["v.user_id", sql<unknown>`coalesce(r.spend, 0) + coalesce(q.spend, 0)`.as("rank")]),
}

const seen = (db: Reader) =>
  db
    .selectFrom("sessions as i")
    .groupBy("i.user_id")
    .select((eb) => ["i.user_id", eb.fn.max("i.last_seen_at").as("last_seen_at")])

/** The bills and refunds of accounts in rollups, and `queuedSpend`: those that are still queued. */
const rolledSpend = (db: Reader) =>
  db
    .selectFrom("user_sums as r")
    .where("r.until", "=", sql<Date>`'infinity'`)
    .select(["r.user_id", "r.billed_credit_micros as spend", "r.refunded_credit_micros as refunded"])

const queuedSpend = (db: Reader) =>
  db
    .selectFrom("turn_ends as q")
    .where("q.test", "=", false)
    .groupBy("q.user_id")
    .select((eb) => [
      "q.user_id",
      eb.fn<number>(released("added"), ["q.billed_credit_micros"]).as("spend"),
      eb.fn<number>(released("added"), ["q.refunded_credit_micros"]).as("refunded"),
    ])

type ListedUserRow = AdminUserRow & { last_seen_at: string | null; spend: number; refunded: number }

const shownUsers = (db: Reader) =>
  db
    .selectFrom("users as u")
    .leftJoin("wallets as w", "w.user_id", "u.user_id")
    .leftJoin(rolledSpend(db).as("r"), "r.user_id", "u.user_id")
    .leftJoin(queuedSpend(db).as("q"), "q.user_id", "u.user_id")
    .select(adminUserColumns)
    .select((eb) => [
      eb
        .selectFrom("sessions as i")
        .whereRef("i.user_id", "=", "u.user_id")
        .select((of) => of.fn.max("i.last_seen_at").as("last_seen_at"))
        .as("last_seen_at"),
      sql<number>`coalesce(r.spend, 0) + coalesce(q.spend, 0)`.as("spend"),
      sql<number>`coalesce(r.refunded, 0) + coalesce(q.refunded, 0)`.as("refunded"),
    ])

const serializeListedUser = ({ last_seen_at, spend, refunded, ...row }: ListedUserRow): ListedUser => ({
  ...serializeAdminUser(row),
  last_seen_at: toInstant(last_seen_at),
  spend_usd: toUsd(spend),
  ...refundsOf({ billed: spend, refunded }),
})

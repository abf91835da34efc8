import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { ListPage } from "../base/in-parts.ts"
import { type Range, type RangeAsked, rangeBetween } from "../base/report-range.ts"
import { envelope, envelopeOf, NO_SUMS, pageFields, type Sums, serializeSums, sums, wholeRange } from "./answer.ts"

/** The orders of the report. `tokens`: input and output tokens together. */
export const END_USER_SORTS = ["spend", "tokens", "turns"] as const

export const endUsersReportSchema = z
  .object({
    ...envelope(wholeRange),
    user_id: z.int().meta({ description: "The requested account.", example: 42 }),
    ...pageFields,
    limit: z.int().meta({ description: "The size of a page.", example: 50 }),
    items: z
      .array(
        z.object({
          end_user_ref: z
            .string()
            .nullable()
            .meta({ description: "The account's id of the end user. Null: web chats.", example: "customer-1" }),
          ...sums,
        }),
      )
      .meta({
        description: "A page of the end users with turns or refunds in the range. Equal ones are sorted by their id.",
      }),
    sums: z.object(sums).meta({ description: "The sum of all pages: the usage of the account." }),
  })
  .meta({ id: "EndUsersReport" })

type EndUsersReport = z.infer<typeof endUsersReportSchema>

export type EndUserUsage = EndUsersReport["items"][number]

export interface EndUsersQuery extends RangeAsked, ListPage {
  user_id: number
  /** The time of the request. All pages of one file have the same, so that no turn moves an end user to another page. */
  at: Date
  sort: (typeof END_USER_SORTS)[number]
  direction: "asc" | "desc"
}

/**
 * Reports the live usage of one account by end user, for admins: of the turns that ended in a range, and of its
 * refunds, as the account's own report. An unknown account has no usage. VALIDATION_FAILED for an empty range.
 */
export async function reportEndUsers(
  ctx: Context,
  credential: SessionCredential,
  { user_id, at, sort, direction, limit, offset, ...asked }: EndUsersQuery,
): Promise<EndUsersReport> {
  const range = rangeBetween(at, asked)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          (cte) => cte("used").materialized(),
          (cte) =>
            cte
              .selectFrom(turnsAndRefunds(cte, range, user_id).as("p"))
              .select("p.end_user_ref")
              .select(({ fn }) => SUMMED.map((name) => fn.sum<number>(`p.${name}`).as(name)))
              .groupBy("p.end_user_ref"),
        )
        .selectFrom("caller")
        .select((eb) => {
          const all = eb.selectFrom("used as u")
          const page = all
            .selectAll("u")
            .orderBy(
              (by) =>
                sort === "tokens"
                  ? by("u.tokens_input", "+", by.ref("u.tokens_output"))
                  : by.ref(sort === "turns" ? "u.turns" : "u.billed"),
              direction,
            )
            .orderBy("u.end_user_ref", (order) => order.collate("C"))
            .limit(limit)
            .offset(offset)
          const total = all.select(({ fn, lit }) => [
            fn.countAll<number>().as("entries"),
            ...SUMMED.map((name) => fn.coalesce(fn.sum<number>(`u.${name}`), lit(0)).as(name)),
          ])
          return [jsonArrayFrom(page).as("items"), jsonObjectFrom(total).as("total")]
        }),
    { role: "admin" },
  )
  const { items = [], total } = rows[0] ?? {}
  const { entries, ...all } = total ?? { entries: 0, ...NO_SUMS }
  return {
    ...envelopeOf(at, range, null),
    user_id,
    total: entries,
    limit,
    offset,
    items: items.map(({ end_user_ref, ...row }) => ({ end_user_ref: end_user_ref || null, ...serializeSums(row) })),
    sums: serializeSums(all),
  }
}

/** The end user whom a turn is counted for. A web chat as an end user is not counted for that end user. */
const customerOf = (table: "t" | "r") =>
  sql<string>`case when ${sql.ref(`${table}.key_id`)} is null then '' else ${sql.ref(`${table}.end_user_ref`)} end`.as(
    "end_user_ref",
  )

/** The live turns of an account that ended in a range, and its refunds of that time. */
function turnsAndRefunds(db: QueryCreator<CallerDB>, { from, to }: Range, userId: number) {
  const none = sql<number>`0`
  return db
    .selectFrom("ended_turns as t")
    .where("t.user_id", "=", userId)
    .where("t.test", "=", false)
    .where("t.finished_at", ">=", from)
    .where("t.finished_at", "<", to)
    .select([customerOf("t"), sql<number>`1`.as("turns")])
    .select(["t.model_calls", "t.tokens_input", "t.tokens_cached", "t.tokens_output"])
    .select(["t.billed_credit_micros as billed", none.as("refunded")])
    .unionAll(
      db
        .selectFrom("refunded_turns as r")
        .where("r.user_id", "=", userId)
        .where("r.test", "=", false)
        .where("r.refunded_at", ">=", from)
        .where("r.refunded_at", "<", to)
        .select([customerOf("r"), none.as("turns")])
        .select([none.as("model_calls"), none.as("tokens_input"), none.as("tokens_cached"), none.as("tokens_output")])
        .select([none.as("billed"), "r.refunded_credit_micros as refunded"]),
    )
}

const SUMMED = Object.keys(NO_SUMS) as (keyof Sums)[]

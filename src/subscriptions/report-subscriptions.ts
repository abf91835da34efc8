import { type Expression, type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { CallerDB, ReadRows } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { readerOfAdmin } from "../actor/readers.ts"
import { inOrder, type KeyedParts, type ListHead, type ListPage, readInParts } from "../base/in-parts.ts"
import { toUsd } from "../base/money.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { daysBetween, type Range, type RangeAsked, spanOf } from "../base/report-range.ts"
import { isTextOf } from "../platform/one-of.ts"

export const subscriptionUsageSchema = z
  .object({
    from: z.iso.date().meta({ description: "The first day of the report (UTC).", example: "2026-01-01" }),
    to: z.iso.date().meta({ description: "The day after the last day of the report (UTC).", example: "2026-01-31" }),
    as_of: z.iso.datetime().meta({
      description: "The time at which the page was chosen. Later calls may be in its days.",
      example: "2026-01-30T16:05:12.000Z",
    }),
    total: z.int().meta({ description: "The number of subscriptions that were used.", example: 2 }),
    limit: z.int(),
    offset: z.int(),
    next_offset: z.int().nullable().meta({
      description: "The `offset` of the next page, which may begin before `limit` is reached. Null on the last page.",
      example: null,
    }),
    items: z
      .array(
        z.object({
          subscription_id: z.string().meta({
            description: "The `sub_id` of a user's plan, or the name of the provider account that served the calls.",
            example: "7",
          }),
          user_id: z.int().nullable().meta({ description: "The user who has the plan; null for a provider account." }),
          plan: z.string().nullable().meta({ example: "pro" }),
          billed_usd: z.number(),
          days: z
            .array(
              z.object({
                date: z.iso.date().meta({ example: "2026-01-14" }),
                model_calls: z.int(),
                tokens_input: z.int(),
                tokens_cached: z.int(),
                tokens_output: z.int(),
                billed_usd: z.number(),
              }),
            )
            .meta({ description: "Days with calls, oldest first. A call counts on the day on which its turn ended." }),
        }),
      )
      .meta({ description: "Subscriptions, highest bill first." }),
  })
  .meta({ id: "SubscriptionUsage" })

type Usage = z.infer<typeof subscriptionUsageSchema>

/** The daily usage of each subscription, for admins. `brand`: only plans of accounts that were created under it. */
export async function reportSubscriptions(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset, brand, ...asked }: RangeAsked & ListPage & { brand: string | null },
): Promise<KeyedParts<ListHead & Pick<Usage, "from" | "to" | "as_of">, Usage["items"][number]>> {
  const now = ctx.clock.now()
  const range = daysBetween(now, asked)
  const read = readerOfAdmin(ctx, credential)
  const rows = await read((db) =>
    db
      .with("used", (cte) =>
        cte
          .selectFrom(
            cte
              .selectFrom("subscription_days as r")
              .where("r.day", ">=", dayOf(range.from))
              .where("r.day", "<", dayOf(range.to))
              .groupBy("r.subscription_id")
              .select((eb) => ["r.subscription_id", whole(eb.fn.sum("r.billed_credit_micros")).as("billed")])
              .unionAll(cte.selectFrom(recentUsage(cte, range).as("n")).select(["n.subscription_id", "n.billed"]))
              .as("u"),
          )
          .$if(brand !== null, (query) => query.where("u.subscription_id", "in", plansOf(cte, brand ?? "")))
          .select((eb) => ["u.subscription_id", whole(eb.fn.sum("u.billed")).as("billed")])
          .groupBy("u.subscription_id"),
      )
      .selectFrom("caller")
      .select((eb) => {
        const page = eb
          .selectFrom("used as u")
          .select("u.subscription_id")
          .orderBy("u.billed", "desc")
          .orderBy("u.subscription_id", (order) => order.collate("C"))
          .limit(limit)
          .offset(offset)
        return [
          eb
            .selectFrom("used")
            .select((own) => own.fn.countAll<number>().as("total"))
            .as("total"),
          sql<string[]>`array(${page})`.as("ids"),
        ]
      }),
  )
  const { total, ids = [] } = rows[0] ?? {}
  return {
    head: {
      from: dateText(range.from),
      to: dateText(range.to),
      as_of: now.toISOString(),
      total: total ?? 0,
      limit,
      offset,
    },
    keys: ids,
    range,
    parts: readInParts(ids, Math.max(1, Math.floor(LIST_POLICY.partRows / spanOf(range))), (part) =>
      readSubscriptionDays(read, range, part),
    ),
  }
}

/** Reads the days with usage of these subscriptions. */
export async function readSubscriptionDays(read: ReadRows, range: Range, ids: string[]) {
  const rows = await read((db) =>
    db.selectFrom("caller").select((eb) => [
      jsonArrayFrom(
        eb.selectFrom(recentUsage(db, range).as("n")).where(isTextOf("n.subscription_id", ids)).selectAll("n"),
      ).as("recent"),
      jsonArrayFrom(
        eb
          .selectFrom(sql<{ subscription_id: string }>`unnest(${ids}::text[])`.as<"s">(sql`s(subscription_id)`))
          .innerJoinLateral(
            (lateral) =>
              lateral
                .selectFrom(
                  // Sorted once in the order of the index, instead of once for each column.
                  lateral
                    .selectFrom("subscription_days as r")
                    .whereRef("r.subscription_id", "=", "s.subscription_id")
                    .where("r.day", ">=", dayOf(range.from))
                    .where("r.day", "<", dayOf(range.to))
                    .selectAll("r")
                    .orderBy("r.day")
                    .as("r"),
                )
                .select(({ fn }) => [
                  fn.agg<string[] | null>("array_agg", ["r.day"]).as("dates"),
                  fn.agg<number[]>("array_agg", ["r.model_calls"]).as("model_calls"),
                  fn.agg<number[]>("array_agg", ["r.tokens_input"]).as("tokens_input"),
                  fn.agg<number[]>("array_agg", ["r.tokens_cached"]).as("tokens_cached"),
                  fn.agg<number[]>("array_agg", ["r.tokens_output"]).as("tokens_output"),
                  fn.agg<number[]>("array_agg", ["r.billed_credit_micros"]).as("billed"),
                ])
                .as("d"),
            (join) => join.onTrue(),
          )
          .leftJoin("subscriptions as b", (join) =>
            join.on((own) =>
              own(
                "b.sub_id",
                "=",
                // At most 9 digits, to fit into int4. The name of a provider account may consist of digits, too.
                sql<number>`case when ${own.ref("s.subscription_id")} ~ '^[0-9]{1,9}$'
                    then ${own.ref("s.subscription_id")}::integer end`,
              ),
            ),
          )
          .select(["s.subscription_id", "b.user_id", "b.plan"])
          .selectAll("d"),
      ).as("items"),
    ]),
  )
  const { items = [], recent = [] } = rows[0] ?? {}
  const recently = Map.groupBy(recent, ({ subscription_id }) => subscription_id)
  return inOrder(ids, items, ({ subscription_id }) => subscription_id).map(
    ({ subscription_id, user_id, plan, dates, ...columns }) => {
      const own: Day[] = [...daysOf(dates ?? [], columns), ...(recently.get(subscription_id) ?? [])]
      return {
        subscription_id,
        user_id,
        plan,
        billed_usd: toUsd(own.reduce((sum, { billed }) => sum + billed, 0)),
        days: serializeDays(own),
      }
    },
  )
}

const plansOf = (db: QueryCreator<CallerDB>, brand: string) =>
  db
    .selectFrom("subscriptions as b")
    .innerJoin("account_brands as o", "o.user_id", "b.user_id")
    .where("o.brand", "=", brand)
    .select(sql<string>`b.sub_id::text`.as("subscription_id"))

const dateText = (moment: Date) => moment.toISOString().slice(0, 10)

const dayOf = (moment: Date) => sql<Date>`(${moment}::timestamptz at time zone 'UTC')::date`

interface Day {
  date: string
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed: number
}

/** Builds the days from columns. As columns, the JSON has a third of the size that it has as objects. */
const daysOf = (dates: string[], columns: { [Name in Exclude<keyof Day, "date">]: number[] }): Day[] =>
  dates.map((date, at) => ({
    date,
    model_calls: columns.model_calls[at] ?? 0,
    tokens_input: columns.tokens_input[at] ?? 0,
    tokens_cached: columns.tokens_cached[at] ?? 0,
    tokens_output: columns.tokens_output[at] ?? 0,
    billed: columns.billed[at] ?? 0,
  }))

/** Adds up days that occur twice: once in the stored rollup and once in the recent usage. */
function serializeDays(all: Day[]) {
  const days = new Map<string, Day>()
  for (const day of all) {
    const known = days.get(day.date)
    if (known) for (const name of SUMMED) known[name] += day[name]
    else days.set(day.date, { ...day })
  }
  return [...days.values()]
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ date, model_calls, tokens_input, tokens_cached, tokens_output, billed }) => ({
      date,
      model_calls,
      tokens_input,
      tokens_cached,
      tokens_output,
      billed_usd: toUsd(billed),
    }))
}

const SUMMED = ["model_calls", "tokens_input", "tokens_cached", "tokens_output", "billed"] as const

/**
 * Calls of API turns and web chats that are not in `subscription_days` yet, without test turns. The caller reads them
 * in the same snapshot as the days.
 */
function recentUsage(db: QueryCreator<CallerDB>, { from, to }: Range) {
  const date = sql<string>`(c.settled_at at time zone 'UTC')::date`
  return db
    .selectFrom("turn_ends as e")
    .innerJoin("model_calls as c", "c.turn_id", "e.turn_id")
    .where("e.turns", "=", 1)
    .where("c.test", "=", false)
    .where("c.subscription_id", "is not", null)
    .where("c.settled_at", ">=", from)
    .where("c.settled_at", "<", to)
    .groupBy(["c.subscription_id", date])
    .select((eb) => [
      eb.ref("c.subscription_id").$notNull().as("subscription_id"),
      date.as("date"),
      whole(eb.fn.countAll()).as("model_calls"),
      whole(eb.fn.sum("c.tokens_input")).as("tokens_input"),
      whole(eb.fn.sum("c.tokens_cached")).as("tokens_cached"),
      whole(eb.fn.sum("c.tokens_output")).as("tokens_output"),
      whole(eb.fn.sum("c.billed_credit_micros")).as("billed"),
    ])
}

/** Casts a sum of bigint back to bigint, because PostgreSQL returns numeric, which is slow. */
const whole = (sum: Expression<unknown>) => sql<number>`${sum}::bigint`

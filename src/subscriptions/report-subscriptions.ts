import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"

/** Subscriptions that a report shows. */
const SHOWN = 500

export const subscriptionUsageSchema = z
  .object({
    from: z.iso.date().meta({ description: "The first day (UTC).", example: "2026-01-01" }),
    total: z.int().meta({ description: "How many subscriptions were used.", example: 2 }),
    items: z
      .array(
        z.object({
          subscription_id: z.string().meta({
            description: "The `sub_id` of a user's plan, or the name of the pool's member that served the calls.",
            example: "7",
          }),
          user_id: z.int().nullable().meta({ description: "Whose plan it is; null: a member of a pool." }),
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
            .meta({ description: "Days with calls, the oldest first. A call counts when its turn ends." }),
        }),
      )
      .meta({ description: `Those that were billed the most; at most ${SHOWN}.` }),
  })
  .meta({ id: "SubscriptionUsage" })

interface Day {
  date: string
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed: number
}

/** The daily usage of each subscription, for admins. */
export async function reportSubscriptions(
  ctx: Context,
  credential: SessionCredential,
  { days }: { days: number },
): Promise<z.infer<typeof subscriptionUsageSchema>> {
  const since = new Date((Math.floor(ctx.clock.now().getTime() / DAY_MS) - days + 1) * DAY_MS)
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with("summed", (cte) =>
          cte
            .selectFrom(dailyUsage(cte, since).as("u"))
            .select((eb) => ["u.subscription_id", eb.fn.sum<number>("u.billed").as("billed")])
            .groupBy("u.subscription_id"),
        )
        .with("shown", (cte) =>
          cte
            .selectFrom("summed as s")
            .selectAll("s")
            .orderBy("s.billed", "desc")
            .orderBy("s.subscription_id", (order) => order.collate("C"))
            .limit(SHOWN),
        )
        // Only of those that are shown: there may be many more.
        .with("by_day", (cte) =>
          cte
            .selectFrom(dailyUsage(cte, since).as("u"))
            .where("u.subscription_id", "in", cte.selectFrom("shown").select("subscription_id"))
            .select((eb) => [
              "u.subscription_id",
              "u.date",
              eb.fn.sum<number>("u.model_calls").as("model_calls"),
              eb.fn.sum<number>("u.tokens_input").as("tokens_input"),
              eb.fn.sum<number>("u.tokens_cached").as("tokens_cached"),
              eb.fn.sum<number>("u.tokens_output").as("tokens_output"),
              eb.fn.sum<number>("u.billed").as("billed"),
            ])
            .groupBy(["u.subscription_id", "u.date"]),
        )
        .selectFrom("caller")
        .select((eb) => {
          return [
            eb
              .selectFrom("summed")
              .select((own) => own.fn.countAll<number>().as("total"))
              .as("total"),
            jsonArrayFrom(
              eb
                .selectFrom("shown as s")
                // Joined and grouped: a subquery for each would read all days again.
                .innerJoin("by_day as d", "d.subscription_id", "s.subscription_id")
                .leftJoin("subscriptions as b", (join) =>
                  join.on((own) =>
                    own(
                      "b.sub_id",
                      "=",
                      // An int4 at most; a member's name may have digits too.
                      sql<number>`case when ${own.ref("s.subscription_id")} ~ '^[0-9]{1,9}$'
                        then ${own.ref("s.subscription_id")}::integer end`,
                    ),
                  ),
                )
                .select((own) => [
                  "s.subscription_id",
                  "s.billed",
                  "b.user_id",
                  "b.plan",
                  sql<Day[]>`jsonb_agg(to_jsonb(d) - 'subscription_id' order by ${own.ref("d.date")})`.as("days"),
                ])
                .groupBy(["s.subscription_id", "s.billed", "b.user_id", "b.plan"])
                .orderBy("s.billed", "desc")
                .orderBy("s.subscription_id", (order) => order.collate("C")),
            ).as("items"),
          ]
        }),
    { role: "admin" },
  )
  const { total, items = [] } = rows[0] ?? {}
  return {
    from: since.toISOString().slice(0, 10),
    total: total ?? 0,
    items: items.map(({ billed, days, ...item }) => ({
      ...item,
      billed_usd: toUsd(billed),
      days: days.map(({ billed: ofDay, ...day }) => ({ ...day, billed_usd: toUsd(ofDay) })),
    })),
  }
}

/** What is in the days of subscriptions, and what the turns were used for that are in none yet: both in one snapshot. */
function dailyUsage(db: QueryCreator<CallerDB>, since: Date) {
  return db
    .selectFrom("subscription_days as r")
    .where("r.day", ">=", sql<Date>`(${since}::timestamptz at time zone 'UTC')::date`)
    .select([
      ...(["r.subscription_id", sql<string>`r.day`.as("date"), "r.model_calls", "r.tokens_input"] as const),
      ...(["r.tokens_cached", "r.tokens_output", "r.billed_credit_micros as billed"] as const),
    ])
    .unionAll(
      db
        .selectFrom("turn_ends as e")
        .innerJoin("usage as u", "u.turn_id", "e.turn_id")
        .where("u.subscription_id", "is not", null)
        .where("u.settled_at", ">=", since)
        .select((eb) => [
          eb.ref("u.subscription_id").$notNull().as("subscription_id"),
          sql<string>`(${eb.ref("u.settled_at")} at time zone 'UTC')::date`.as("date"),
          sql<number>`1`.as("model_calls"),
          ...(["u.tokens_input", "u.tokens_cached", "u.tokens_output", "u.billed_credit_micros as billed"] as const),
        ]),
    )
}

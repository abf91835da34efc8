import { expressionBuilder, type QueryCreator } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { CallerDB } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import { released } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"
import { waitReasonSchema } from "../turns/waiting-schema.ts"
import { HEALTH_POLICY } from "./policies.ts"

/** How many turns are open, and why turns wait. */
export const openTurnsSchema = z.object({
  queued: z.int().meta({ description: "Turns in the state `queued`.", example: 12 }),
  running: z.int().meta({ description: "Turns in the state `running`. Turns that wait are included.", example: 31 }),
  waiting: z
    .array(
      z.object({
        for: waitReasonSchema.meta({ description: "A limit, a decision about a call, or a later result of a call." }),
        turns: z.int().meta({ example: 2 }),
        oldest_at: z.iso.datetime().nullable().meta({ description: "Since when the first of them has waited." }),
      }),
    )
    .meta({ description: "Running turns that have no worker because they wait, one entry for each reason." }),
  blocked: z.int().meta({
    description: "Queued turns that cannot start yet, because an earlier turn of their conversation waits.",
    example: 0,
  }),
})

const DELIVERY_REASONS = ["verification", "retry", "attempt"] as const

/** Pending deliveries by what they wait for. */
export const pendingDeliveriesSchema = z.object({
  pending: z.int().meta({ description: "Deliveries that were neither delivered nor given up.", example: 4 }),
  waiting: z
    .array(
      z.object({
        for: z.enum(DELIVERY_REASONS).meta({
          description:
            "`verification`: the endpoint has not answered its first ping. `retry`: an attempt has failed, and the next one is later. `attempt`: a dispatcher sends it.",
        }),
        deliveries: z.int().meta({ example: 2 }),
        oldest_at: z.iso.datetime().nullable().meta({ description: "When the first of them was created." }),
      }),
    )
    .meta({ description: "The reasons for which deliveries are pending, one entry for each." }),
})

/** The counts of overdue work, as `src/system/overdue.sql` counts it. */
export function overdueWork({ webhookLanes }: Pick<Context, "webhookLanes">, now: Date) {
  const { val, fn } = expressionBuilder<DB>()
  const [before, most] = [val(new Date(now.getTime() - HEALTH_POLICY.overdueMs)), val(HEALTH_POLICY.mostCounted)]
  return {
    turns: fn<number>(released("overdue_turns"), [before, most]),
    deliveries: fn<number>(released("overdue_deliveries"), [before, val(webhookLanes), most, val(now)]),
  }
}

/** The counts of open turns: an object of numbers, and a list of reasons. */
export function openTurns(db: QueryCreator<CallerDB>) {
  return jsonObjectFrom(
    db
      .selectFrom("open_turns as t")
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere("t.state", "in", ["queued", "blocked"]).as("queued"),
        fn.countAll<number>().filterWhere("t.state", "in", ["running", "waiting"]).as("running"),
        fn.countAll<number>().filterWhere("t.state", "=", "blocked").as("blocked"),
        fn.min<string | null>("t.created_at").filterWhere("t.state", "=", "queued").as("oldest_queued_at"),
      ])
      .select(() =>
        jsonArrayFrom(
          db
            .selectFrom("waiting_turns as w")
            .groupBy("w.reason")
            .select(({ fn }) => ["w.reason", fn.countAll<number>().as("turns"), fn.min<string>("w.since").as("since")]),
        ).as("waiting"),
      ),
  )
}

/** Every reason has an entry, also one for which no turn waits. */
export function serializeWaits(rows: readonly { reason: string; turns: number; since: string }[]) {
  return waitReasonSchema.options.map((reason) => {
    const row = rows.find((one) => one.reason === reason)
    return { for: reason, turns: row?.turns ?? 0, oldest_at: toInstant(row?.since ?? null) }
  })
}

/** The counts of pending deliveries, and when the oldest of each reason was created. */
export function pendingDeliveries(db: QueryCreator<CallerDB>, now: Date) {
  const rows = db
    .selectFrom("webhook_deliveries as d")
    .innerJoin("webhook_endpoints as w", "w.webhook_id", "d.webhook_id")
    .where("d.state", "=", "pending")
    .select((eb) => [
      "d.created_at",
      eb
        .case()
        .when(eb.and([eb("w.verified_at", "is", null), eb("w.ping_id", "is distinct from", eb.ref("d.delivery_id"))]))
        .then("verification")
        .when("d.next_attempt_at", ">", now)
        .then("retry")
        .else("attempt")
        .end()
        .as("reason"),
    ])
    .as("p")
  return jsonArrayFrom(
    db
      .selectFrom(rows)
      .groupBy("p.reason")
      .select(({ fn }) => [
        "p.reason",
        fn.countAll<number>().as("deliveries"),
        fn.min<string>("p.created_at").as("since"),
      ]),
  )
}

export function serializeDeliveries(rows: readonly { reason: string; deliveries: number; since: string }[]) {
  return {
    pending: rows.reduce((sum, { deliveries }) => sum + deliveries, 0),
    waiting: DELIVERY_REASONS.map((reason) => {
      const row = rows.find((one) => one.reason === reason)
      return { for: reason, deliveries: row?.deliveries ?? 0, oldest_at: toInstant(row?.since ?? null) }
    }),
  }
}

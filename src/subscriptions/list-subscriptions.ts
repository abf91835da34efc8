import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { released } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import { type Subscription, serializeSubscription } from "./subscription.ts"

/** `ended`: its end has passed, or it was deactivated. `scheduled`: it has not started. */
export const SUBSCRIPTION_STATES = ["active", "scheduled", "ended"] as const

export interface SubscriptionFilters {
  user_id?: number | undefined
  plan?: string | undefined
  state: (typeof SUBSCRIPTION_STATES)[number] | "all"
  trial?: boolean | undefined
  /** Whether the user has more than one active subscription, not counting trials. */
  several?: boolean | undefined
  /** Only subscriptions with a smaller id. */
  before_id?: number | undefined
}

/** A page of subscriptions, newest first, and the number of all that were found. ADMIN_REQUIRED. */
export async function listSubscriptions(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: SubscriptionFilters; limit: number; offset: number },
): Promise<{ items: Subscription[]; total: number }> {
  const now = ctx.clock.now()
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((eb) => {
        const page = found(db, filters, now)
          .select(({ fn }) =>
            fn<Answers["subscription_answer"]>(released("subscription_answer_of"), ["s.sub_id"]).as("subscription"),
          )
          .orderBy("s.sub_id", "desc")
          .limit(limit)
          .offset(offset)
        return [
          eb
            .selectFrom(found(db, filters, now).select("s.sub_id").as("f"))
            .select((of) => of.fn.countAll<number>().as("total"))
            .as("total"),
          jsonArrayFrom(page).as("items"),
        ]
      }),
    { role: "admin" },
  )
  const { total, items = [] } = rows[0] ?? {}
  return { total: total ?? 0, items: items.map((row) => serializeSubscription(row.subscription)) }
}

function found(db: QueryCreator<CallerDB>, filters: SubscriptionFilters, now: Date) {
  const { user_id, plan, state, trial, several, before_id } = filters
  return db
    .selectFrom("subscriptions as s")
    .$if(user_id !== undefined, (query) => query.where("s.user_id", "=", user_id ?? 0))
    .$if(before_id !== undefined, (query) => query.where("s.sub_id", "<", before_id ?? 0))
    .$if(plan !== undefined, (query) => query.where("s.plan", "=", plan ?? ""))
    .$if(trial !== undefined, (query) => query.where("s.trial", "=", trial === true))
    .$if(state !== "all", (query) => query.where(stateOf("s", now), "=", state))
    .$if(several !== undefined, (query) =>
      query.where(
        (eb) =>
          eb
            .selectFrom("subscriptions as o")
            .whereRef("o.user_id", "=", "s.user_id")
            .where("o.trial", "=", false)
            .where(stateOf("o", now), "=", "active")
            .select((of) => of.fn.countAll<number>().as("count")),
        several ? ">" : "<=",
        1,
      ),
    )
}

const stateOf = (table: "s" | "o", now: Date) => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<string>`case
    when ${column("deactivated_at")} is not null or ${column("ends_at")} <= ${now}::timestamptz then 'ended'
    when ${column("starts_at")} > ${now}::timestamptz then 'scheduled' else 'active' end`
}

/** A subscription, active or not. NOT_FOUND, ADMIN_REQUIRED. */
export async function getSubscription(
  ctx: Context,
  credential: SessionCredential,
  subId: number,
): Promise<Subscription> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("subscriptions as s")
        .innerJoin("caller", (join) => join.onTrue())
        .where("s.sub_id", "=", subId)
        .select(({ fn }) =>
          fn<Answers["subscription_answer"]>(released("subscription_answer_of"), ["s.sub_id"]).as("subscription"),
        ),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", "There is no such subscription.")
  return serializeSubscription(storedRow<Answers["subscription_answer"]>(row.subscription))
}

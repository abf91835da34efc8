import { type ExpressionBuilder, sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { createdBetween } from "../base/pagination.ts"
import { DAY_MS } from "../base/time.ts"
import { ATTENTION_POLICY } from "./policies.ts"

export type AttentionFacts = Awaited<ReturnType<typeof readFacts>>

/** Everything that needs no rule of another room, in one statement. */
export async function readFacts(ctx: Context, credential: SessionCredential, now: Date) {
  const before = (ms: number) => new Date(now.getTime() - ms)
  const lately = { created_after: before(DAY_MS).toISOString() }
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as u", "u.user_id", "caller.user_id")
      .leftJoin("wallets as w", "w.user_id", "caller.user_id")
      .select((eb) => [
        "u.created_at",
        "w.low_balance_credit_micros as low",
        ...turnsOf(eb, before(ATTENTION_POLICY.failedMs)),
        jsonArrayFrom(webhooksOf(eb)).as("webhooks"),
        jsonArrayFrom(serversOf(eb)).as("servers"),
        jsonArrayFrom(
          eb
            .selectFrom("api_keys as k")
            .whereRef("k.user_id", "=", "caller.user_id")
            .whereRef("k.test", "=", "caller.test")
            .where("k.revoked_at", "is", null)
            .where("k.expires_at", ">", now)
            .where("k.expires_at", "<", before(-ATTENTION_POLICY.keyMs))
            .select(["k.key_id", "k.name", (key) => key.ref("k.expires_at").$notNull().as("expires_at")])
            .orderBy("k.expires_at")
            .limit(ATTENTION_POLICY.each),
        ).as("keys"),
        jsonArrayFrom(
          eb
            .selectFrom("refund_requests as r")
            .whereRef("r.user_id", "=", "caller.user_id")
            .where("caller.test", "=", false)
            .where("r.state", "=", "declined")
            .where("r.decided_at", ">", before(ATTENTION_POLICY.refundMs))
            .select(["r.turn_id", "r.answer", (own) => own.ref("r.decided_at").$notNull().as("decided_at")])
            .orderBy("r.decided_at", "desc")
            .limit(ATTENTION_POLICY.each),
        ).as("refunds"),
        jsonArrayFrom(
          eb
            .selectFrom("events as e")
            .whereRef("e.user_id", "=", "caller.user_id")
            .where("e.test", "=", false)
            .where("e.turn_id", "is", null)
            .where("e.type", "=", "account.locked")
            // It concerns only the account's own user, as in the feed.
            .where("caller.person_id", "is", null)
            .where((own) => own.and(createdBetween("event", [own.ref("e.event_id"), own.ref("e.created_at")], lately)))
            .select(["e.created_at", "e.data"])
            .orderBy("e.event_id", (order) => order.collate("C").desc())
            .limit(1),
        ).as("locked"),
      ]),
  )
  const row = rows[0]
  if (!row) throw new Error("the caller has no row")
  return row
}

type Caller = ExpressionBuilder<CallerDB, "caller">

/** The turns that ended lately, and the end of the last one that failed, among the newest that were not done. */
function turnsOf(eb: Caller, since: Date) {
  const notDone = eb
    .selectFrom("turns as t")
    .whereRef("t.user_id", "=", "caller.user_id")
    .whereRef("t.test", "=", "caller.test")
    .where("t.status_reason", "is not", null)
    .select(["t.state", "t.finished_at"])
    .orderBy("t.turn_id", (order) => order.collate("C").desc())
    .limit(ATTENTION_POLICY.lookedAt)
  return [
    jsonObjectFrom(
      eb
        .selectFrom("ended_turns as e")
        .whereRef("e.user_id", "=", "caller.user_id")
        .whereRef("e.test", "=", "caller.test")
        .where("e.finished_at", ">", since)
        .select(({ fn }) => [
          fn.countAll<number>().as("all"),
          fn.countAll<number>().filterWhere("e.state", "=", "failed").as("failed"),
        ]),
    ).as("ended"),
    eb
      .selectFrom(notDone.as("n"))
      .where("n.state", "=", "failed")
      .select(({ fn }) => fn.max<string | null>("n.finished_at").as("at"))
      .as("failed_at"),
  ] as const
}

/** Webhooks that the service disabled, or whose last attempt failed. One that never answered is pending. */
const webhooksOf = (eb: Caller) =>
  eb
    .selectFrom("webhook_endpoints as w")
    .whereRef("w.user_id", "=", "caller.user_id")
    .whereRef("w.test", "=", "caller.test")
    .where("w.deleted_at", "is", null)
    .where((one) =>
      one.or([
        one("w.disabled_reason", "in", ["gone", "failing"]),
        one.and([
          one("w.disabled_at", "is", null),
          one("w.failing_since", "is not", null),
          one("w.verified_at", "is not", null),
        ]),
      ]),
    )
    .select(["w.webhook_id", "w.url", "w.disabled_at", "w.disabled_reason", "w.failing_since"])
    .orderBy((own) => own.fn.coalesce("w.disabled_at", "w.failing_since"))
    .limit(ATTENTION_POLICY.each)

/** Optional MCP servers that did not answer the last turn that asked them. */
const serversOf = (eb: Caller) =>
  eb
    .selectFrom("mcp_server_failures as f")
    .innerJoin("spaces as s", "s.space_id", "f.space_id")
    .whereRef("s.user_id", "=", "caller.user_id")
    .whereRef("s.test", "=", "caller.test")
    .where("s.archived_at", "is", null)
    .where(sql<boolean>`f.definition = s.mcp_servers -> f.name`)
    .select(["s.slug", "f.name", "f.failing_since", "f.error"])
    .orderBy("f.failing_since")
    .limit(ATTENTION_POLICY.each)

import { sql } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { readSetting } from "../settings/settings.ts"
import { SETUP_POLICY } from "./policies.ts"

const space = z.object({
  space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  title: z.string().meta({ example: "Support desk" }),
})

export const refusedRequestSchema = z
  .object({
    code: z.string().meta({ description: "The code of the error.", example: "INSUFFICIENT_CREDITS" }),
    status: z.int().meta({ example: 402 }),
    cause: z
      .string()
      .meta({ description: "What the code means.", example: "The available balance is lower than the turn needs." }),
    cure: z.string().meta({ description: "What to do about it.", example: "Top up." }),
    operation: z.string().meta({ description: "The method and the path.", example: "POST /v1/turns" }),
    param: z.string().nullable().meta({ description: "The field or parameter that the error names.", example: null }),
    key_id: z.string().meta({ example: "key_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    key_name: z.string().nullable().meta({ example: "Production server" }),
    request_id: z.string().meta({ example: "req_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    refused_at: z.iso.datetime(),
  })
  .meta({ id: "RefusedRequest" })

export const setupSchema = z
  .object({
    has_key: z.boolean().meta({ description: "True if the account has an API key that works." }),
    key_turn: z
      .object({
        turn_id: z.string().meta({ example: "turn_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
        state: z.string().meta({ example: "done" }),
        created_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "The newest turn that a key has sent; null: none yet." }),
    has_done_turn: z.boolean().meta({ description: "True if a turn that a key has sent is done. It stays true." }),
    is_in_use: z.boolean().meta({
      description: `True if at least ${SETUP_POLICY.turnsInUse} turns that keys have sent are done. It stays true.`,
    }),
    has_chat_turn: z.boolean().meta({ description: "True if the user has sent a turn in the playground." }),
    webhook: z.enum(["none", "pending", "verified"]).meta({ description: "The state of the most advanced webhook." }),
    has_tool: z.boolean().meta({ description: "True if a space of the account has a tool or an MCP server." }),
    own_space: space.nullable().meta({ description: "The newest space that the account owns." }),
    shared_space: space.nullable().meta({ description: "The newest space of another account that the user may use." }),
    refused: z.array(refusedRequestSchema).meta({
      description: `The newest refused request for each error code, from the last ${SETUP_POLICY.refusedDays} days, newest first. Requests without a known key are not listed.`,
    }),
    top_up_url: z.string().nullable().meta({
      description: "The page where the account buys credit (the setting `top_up_url`); null: ask the operator.",
      example: "https://example.com/credit",
    }),
  })
  .meta({ id: "AccountSetup" })

type Setup = z.infer<typeof setupSchema>

/** How far an account is on the way to a working integration: live, or with `test` in the test data. */
export async function getSetup(ctx: Context, credential: SessionCredential): Promise<Setup> {
  const now = ctx.clock.now()
  const since = new Date(now.getTime() - SETUP_POLICY.refusedDays * DAY_MS)
  const [topUpUrl, { rows }] = await Promise.all([
    readSetting(ctx, "top_up_url"),
    readAs(ctx, credential, (db) =>
      db.selectFrom("caller").select((eb) => {
        const keys = eb
          .selectFrom("api_keys as k")
          .whereRef("k.user_id", "=", "caller.user_id")
          .whereRef("k.test", "=", "caller.test")
        const turns = eb
          .selectFrom(
            keys
              .select("k.key_id")
              .orderBy("k.key_id", (order) => order.collate("C").desc())
              .limit(SETUP_POLICY.keys)
              .as("k"),
          )
          .innerJoinLateral(
            (sub) =>
              sub
                .selectFrom("turns as t")
                .whereRef("t.key_id", "=", "k.key_id")
                .select(["t.turn_id", "t.state", "t.created_at"])
                .orderBy("t.turn_id", (order) => order.collate("C").desc())
                .limit(1)
                .as("t"),
            (join) => join.onTrue(),
          )
        // The totals never forget a turn. They have no turns of the playground, and not yet the queued ones.
        const totals = eb
          .selectFrom("end_user_sums as s")
          .whereRef("s.user_id", "=", "caller.user_id")
          .whereRef("s.test", "=", "caller.test")
          .where("s.done", ">", 0)
          .select("s.done")
          .limit(SETUP_POLICY.endUsers)
        const queued = eb
          .selectFrom("turn_ends as e")
          .whereRef("e.user_id", "=", "caller.user_id")
          .whereRef("e.test", "=", "caller.test")
          .where("e.state", "=", "done")
          .where("e.end_user_ref", "<>", "")
        const endpoints = eb
          .selectFrom("webhook_endpoints as w")
          .whereRef("w.user_id", "=", "caller.user_id")
          .whereRef("w.test", "=", "caller.test")
          .where("w.deleted_at", "is", null)
        const newest = eb
          .selectFrom("spaces as s")
          .where(spaceInScope)
          .where("s.archived_at", "is", null)
          .orderBy("s.slug", (order) => order.collate("C").desc())
        const chats = eb.selectFrom("turns as t").where("t.key_id", "is", null)
        return [
          eb
            .exists(
              keys
                .where("k.revoked_at", "is", null)
                .where((key) => key.or([key("k.expires_at", "is", null), key("k.expires_at", ">", now)]))
                .select("k.key_id"),
            )
            .as("has_key"),
          jsonObjectFrom(
            turns
              .select(["t.turn_id", "t.state", "t.created_at"])
              .orderBy("t.turn_id", (order) => order.collate("C").desc())
              .limit(1),
          ).as("key_turn"),
          eb
            .selectFrom(totals.as("d"))
            .select(({ fn }) => fn.sum<number | null>("d.done").as("done"))
            .as("done_in_totals"),
          queued.select(({ fn }) => fn.sum<number | null>("e.turns").as("done")).as("done_in_queue"),
          eb
            .or([
              eb.exists(
                chats
                  .whereRef("t.user_id", "=", "caller.user_id")
                  .whereRef("t.test", "=", "caller.test")
                  .where("t.member_id", "is", null)
                  .select("t.turn_id"),
              ),
              eb.exists(chats.whereRef("t.member_id", "=", "caller.user_id").select("t.turn_id")),
            ])
            .as("has_chat_turn"),
          eb.exists(endpoints.select("w.webhook_id")).as("has_webhook"),
          eb.exists(endpoints.where("w.verified_at", "is not", null).select("w.webhook_id")).as("has_verified"),
          eb
            .exists(
              eb
                .selectFrom(newest.select(["s.prompt_facts", "s.mcp_servers"]).limit(SETUP_POLICY.spaces).as("n"))
                .where((one) =>
                  one.or([
                    one(sql<string | null>`${one.ref("n.prompt_facts")} ->> 'tools'`, "is not", null),
                    one(sql<string>`${one.ref("n.mcp_servers")}::text`, "<>", "{}"),
                  ]),
                )
                .select(sql<number>`1`.as("one")),
            )
            .as("has_tool"),
          jsonObjectFrom(newest.select(["s.slug as space_id", "s.title"]).limit(1)).as("own_space"),
          jsonObjectFrom(
            eb
              .selectFrom("space_shares as h")
              .innerJoin("spaces as s", "s.space_id", "h.space_id")
              .whereRef("h.user_id", "=", "caller.user_id")
              .where("caller.person_id", "is", null)
              .whereRef("s.user_id", "<>", "caller.user_id")
              .whereRef("s.test", "=", "caller.test")
              .where("s.archived_at", "is", null)
              .select(["s.slug as space_id", "s.title"])
              .orderBy("s.slug", (order) => order.collate("C").desc())
              .limit(1),
          ).as("shared_space"),
          jsonArrayFrom(
            eb
              .selectFrom("refused_requests as r")
              .leftJoin("api_keys as k", "k.key_id", "r.key_id")
              .whereRef("r.user_id", "=", "caller.user_id")
              .whereRef("r.test", "=", "caller.test")
              .where("r.refused_at", ">", since)
              .select([
                "r.code",
                "r.operation",
                "r.param",
                "r.key_id",
                "k.name as key_name",
                "r.request_id",
                "r.refused_at",
              ])
              .orderBy("r.refused_at", "desc")
              .limit(SETUP_POLICY.refused),
          ).as("refused"),
        ]
      }),
    ),
  ])
  const row = rows[0]
  if (!row) throw new Error("the caller has no row")
  const done = Number(row.done_in_totals ?? 0) + Number(row.done_in_queue ?? 0)
  return {
    has_key: Boolean(row.has_key),
    key_turn: row.key_turn && { ...row.key_turn, created_at: toInstant(row.key_turn.created_at) },
    has_done_turn: done > 0,
    is_in_use: done >= SETUP_POLICY.turnsInUse,
    has_chat_turn: Boolean(row.has_chat_turn),
    webhook: row.has_verified ? "verified" : row.has_webhook ? "pending" : "none",
    has_tool: Boolean(row.has_tool),
    own_space: row.own_space,
    shared_space: row.shared_space,
    refused: row.refused.map((one) => {
      const { status, cause, cure } = ERROR_CODES[one.code as ErrorCode] ?? ERROR_CODES.INTERNAL
      return { ...one, status, cause, cure, refused_at: toInstant(one.refused_at) }
    }),
    top_up_url: topUpUrl || null,
  }
}

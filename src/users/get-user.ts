import type { ExpressionBuilder, Selectable } from "kysely"
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { sameQuery } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { released } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { serializeSubscription, subscriptionSchema } from "../subscriptions/subscription.ts"
import { balanceSchema, serializeBalance } from "../wallets/get-balance.ts"
import { type AdminUserRow, adminUserColumns, adminUserSchema, serializeAdminUser } from "./admin-user.ts"
import { namedAccountsSchema } from "./user-row.ts"

/** The maximum number of sessions in the answer. */
const SESSIONS = 100

/** The maximum number of subscriptions in the answer. */
const SUBSCRIPTIONS = 100

const instant = z.iso.datetime()

export const userDetailSchema = adminUserSchema
  .extend({
    identities: z.array(
      z.object({
        identity_id: z.string(),
        issuer: z.string(),
        subject: z.string().meta({ description: "The id of the user at the issuer.", example: "248289761001" }),
        email: z.string().nullable(),
        email_verified: z.boolean(),
        created_at: instant,
        last_used_at: instant.nullable().meta({ example: null }),
      }),
    ),
    sessions: z
      .array(
        z.object({
          session_id: z.string(),
          user_agent: z.string().nullable().meta({ example: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" }),
          address: z.string().nullable().meta({ example: "203.0.113.9" }),
          created_at: instant,
          last_seen_at: instant,
          expires_at: instant,
        }),
      )
      .meta({ description: `Valid sessions, most recently used first; at most ${SESSIONS}.` }),
    wallet: balanceSchema,
    subscription: z
      .object({
        sub_id: z.int().meta({ example: 7 }),
        plan: z.string().meta({ example: "pro" }),
        trial: z.boolean().meta({ example: false }),
        starts_at: instant,
        ends_at: instant.nullable().meta({ example: null }),
      })
      .nullable()
      .meta({
        description:
          "The active subscription; if several are active, the one that started last. Null if none is active.",
      }),
    subscriptions: z.array(subscriptionSchema).meta({
      description: `All subscriptions, active or not, newest first; at most ${SUBSCRIPTIONS}.`,
    }),
    teams: z.array(z.object({ team_id: z.int().meta({ example: 3 }), name: z.string().meta({ example: "Support" }) })),
    workspaces: z.array(
      z.object({ workspace_id: z.string().meta({ example: "acme" }), name: z.string().meta({ example: "Acme" }) }),
    ),
    only_owner_of: namedAccountsSchema.meta({
      description:
        "Accounts of other users that were handed over, and have no owner who can sign in except this user. While this user is disabled, " +
        "no owner can act for them.",
      example: [{ user_id: 44, name: "Acme" }],
    }),
    referral: z.object({
      ref_code: z.string().meta({
        description: "The code that referred users give at their first sign-in.",
        example: "4f1c9a7be2d05836",
      }),
      referred_by: z
        .int()
        .nullable()
        .meta({ description: "The user who referred this user; null if the user was not referred.", example: null }),
      referred: z.int().meta({ description: "The number of users that this user referred.", example: 2 }),
    }),
    spend_30_days_usd: z.number().meta({
      description:
        "The billed amount of the account's live turns that ended in the last 30 days (UTC), including today, as in the reports. " +
        "Refunds are not subtracted. Containers and storage do not count.",
      example: 3.25,
    }),
    refunded_30_days_usd: z.number().meta({
      description: "The refunds that were booked in these 30 days, whenever their turns ended.",
      example: 0.25,
    }),
    net_30_days_usd: z.number().meta({
      description: "`spend_30_days_usd` less `refunded_30_days_usd`. Negative if more was refunded than billed.",
      example: 3,
    }),
  })
  .meta({ id: "UserDetail" })

type UserDetail = z.infer<typeof userDetailSchema>

/** One user with their identities, sessions, plan, groups and referrals. NOT_FOUND, ADMIN_REQUIRED. */
export async function getUser(ctx: Context, credential: SessionCredential, userId: number): Promise<UserDetail> {
  const now = ctx.clock.now()
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("users as u")
        .innerJoin("caller", (join) => join.onTrue())
        .leftJoin("wallets as w", "w.user_id", "u.user_id")
        .where("u.user_id", "=", userId)
        .select(adminUserColumns)
        .select("u.ref_code")
        .select((eb) => partsOf(sameQuery<Users>(eb), now)),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  return {
    ...serializeAdminUser(row as AdminUserRow),
    identities: row.identities.map((identity) => ({
      ...identity,
      created_at: toInstant(identity.created_at),
      last_used_at: toInstant(identity.last_used_at),
    })),
    sessions: row.sessions.map((session) => ({
      ...session,
      created_at: toInstant(session.created_at),
      last_seen_at: toInstant(session.last_seen_at),
      expires_at: toInstant(session.expires_at),
    })),
    wallet: serializeBalance({ balance: row.balance ?? 0, held: row.held ?? 0 }),
    subscription: row.subscription && {
      ...row.subscription,
      starts_at: toInstant(row.subscription.starts_at),
      ends_at: toInstant(row.subscription.ends_at),
    },
    subscriptions: row.subscriptions.map(({ subscription }) => serializeSubscription(subscription)),
    teams: row.teams,
    workspaces: row.workspaces,
    only_owner_of: row.only_owner_of,
    referral: { ref_code: row.ref_code, referred_by: row.referred_by, referred: row.referred ?? 0 },
    spend_30_days_usd: toUsd(row.billed ?? 0),
    refunded_30_days_usd: toUsd(row.refunded ?? 0),
    net_30_days_usd: toUsd((row.billed ?? 0) - (row.refunded ?? 0)),
  }
}

/** The columns of `active_subscription()` (src/subscriptions/subscription.sql). */
type ActiveSubscription = Pick<Selectable<DB["subscriptions"]>, "sub_id" | "plan" | "trial" | "starts_at" | "ends_at">

type Users = ExpressionBuilder<CallerDB & { u: DB["users"]; w: DB["wallets"] }, "u" | "w" | "caller">

function partsOf(eb: Users, now: Date) {
  const firstDay = new Date((Math.floor(now.getTime() / DAY_MS) - 29) * DAY_MS)
  return [
    jsonArrayFrom(
      eb
        .selectFrom("identities as i")
        .whereRef("i.user_id", "=", "u.user_id")
        .select(["i.issuer", "i.subject", "i.email", "i.email_verified", "i.created_at", "i.last_used_at"])
        .select((own) => own.fn<string>(released("identity_id"), ["i.issuer", "i.subject"]).as("identity_id"))
        .orderBy("i.created_at")
        .orderBy("i.issuer")
        .orderBy("i.subject"),
    ).as("identities"),
    jsonArrayFrom(
      eb
        .selectFrom("sessions as n")
        .whereRef("n.user_id", "=", "u.user_id")
        .whereRef("n.epoch", "=", "u.session_epoch")
        .where("n.ended_at", "is", null)
        .where("n.expires_at", ">", now)
        .select(["n.session_id", "n.user_agent", "n.address", "n.created_at", "n.last_seen_at", "n.expires_at"])
        .orderBy("n.last_seen_at", "desc")
        .orderBy("n.session_id", "desc")
        .limit(SESSIONS),
    ).as("sessions"),
    jsonObjectFrom(
      eb
        .selectFrom(eb.fn<ActiveSubscription>(released("active_subscription"), ["u.user_id", eb.val(now)]).as("b"))
        .select(["b.sub_id", "b.plan", "b.trial", "b.starts_at", "b.ends_at"]),
    ).as("subscription"),
    jsonArrayFrom(
      eb
        .selectFrom("subscriptions as s")
        .whereRef("s.user_id", "=", "u.user_id")
        .select(({ fn }) =>
          fn<Answers["subscription_answer"]>(released("subscription_answer_of"), ["s.sub_id"]).as("subscription"),
        )
        .orderBy("s.sub_id", "desc")
        .limit(SUBSCRIPTIONS),
    ).as("subscriptions"),
    jsonArrayFrom(
      eb
        .selectFrom("team_members as m")
        .innerJoin("teams as g", "g.team_id", "m.team_id")
        .whereRef("m.user_id", "=", "u.user_id")
        .where("g.archived_at", "is", null)
        .select(["g.team_id", "g.name"])
        .orderBy("g.team_id"),
    ).as("teams"),
    jsonArrayFrom(
      eb
        .selectFrom("workspace_members as m")
        .innerJoin("workspaces as g", "g.workspace_id", "m.workspace_id")
        .whereRef("m.user_id", "=", "u.user_id")
        .where("g.archived_at", "is", null)
        .select(["g.workspace_id", "g.name"])
        .orderBy("g.workspace_id"),
    ).as("workspaces"),
    eb
      .fn<Answers["named_account"][]>("to_jsonb", [eb.fn(released("only_owner_of"), ["u.user_id"])])
      .as("only_owner_of"),
    eb
      .selectFrom("referrals as r")
      .whereRef("r.referred_user_id", "=", "u.user_id")
      .select("r.referrer_user_id")
      .as("referred_by"),
    eb
      .selectFrom("referrals as r")
      .whereRef("r.referrer_user_id", "=", "u.user_id")
      .select((own) => own.fn.countAll<number>().as("count"))
      .as("referred"),
    eb
      .selectFrom("ended_turns as t")
      .whereRef("t.user_id", "=", "u.user_id")
      .where("t.test", "=", false)
      .where("t.finished_at", ">=", firstDay)
      .select((own) => own.cast<number>(own.fn.sum("t.billed_credit_micros"), "bigint").as("sum"))
      .as("billed"),
    eb
      .selectFrom("refunded_turns as r")
      .whereRef("r.user_id", "=", "u.user_id")
      .where("r.test", "=", false)
      .where("r.refunded_at", ">=", firstDay)
      .select((own) => own.cast<number>(own.fn.sum("r.refunded_credit_micros"), "bigint").as("sum"))
      .as("refunded"),
  ] as const
}

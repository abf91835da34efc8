import { expressionBuilder, sql } from "kysely"
import { type Credential, MEMBER_CODES } from "../actor/actor.ts"
import { type CallerDB, callAs, isOfScope, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS, toInstant } from "../base/time.ts"
import { findProfile } from "../end-users/profile.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { leftOf } from "../quotas/cap-state.ts"
import { rateStates } from "../quotas/rate.ts"
import { getEndUserBalance } from "../resale/end-user-balance.ts"
import { serializeEndUserEntry } from "../resale/end-user-ledger.ts"
import { listEndUserLedger } from "../resale/list-end-user-ledger.ts"
import type {
  PortalApproval,
  PortalFact,
  PortalLimit,
  PortalOverview,
  PortalRate,
  PortalScope,
  PortalWallet,
} from "./answers.ts"
import { charged } from "./charge.ts"
import { PORTAL_POLICY } from "./policies.ts"
import { type Portal, portalRefused } from "./session.ts"

/** The end user's limits that the portal shows. All others are the owner's. */
const PERIODS: Readonly<Record<string, "day" | "month">> = { end_user_daily: "day", end_user_monthly: "month" }

/** All that the first view of a session shows, by its scopes. PORTAL_SESSION_INVALID if it has ended. */
export async function readOverview(ctx: Context, portal: Portal): Promise<PortalOverview> {
  const has = (scope: PortalScope) => portal.scopes.includes(scope)
  await checkSession(ctx, portal)
  const [usage, limits, wallet, approvals, profile] = await Promise.all([
    has("usage") ? readUsage(ctx, portal) : null,
    has("limits") ? readLimits(ctx, portal) : null,
    has("wallet") ? readWallet(ctx, portal) : null,
    has("approvals") ? readApprovals(ctx, portal) : null,
    has("profile") ? readFacts(ctx, portal) : null,
  ])
  return { usage, limits, wallet, approvals, profile }
}

/**
 * Throws PORTAL_SESSION_INVALID for a session that has ended: its key was revoked or expired, its account is disabled,
 * or its end user was erased.
 */
export async function checkSession(ctx: Context, portal: Portal): Promise<void> {
  const { rows } = await asEndUser(
    readAs(ctx, portal.credential, (db) =>
      db
        .selectFrom("erasures as e")
        .innerJoin("caller", (join) =>
          join.onRef("caller.user_id", "=", "e.user_id").onRef("caller.test", "=", "e.test"),
        )
        .where("e.end_user_ref", "=", portal.ref)
        .where("e.requested_at", ">=", portal.since)
        .select("e.erasure_id")
        .limit(1),
    ),
  )
  if (rows.length > 0) throw portalRefused()
}

/** The reader is not the owner of the key, so its refusals are those of the session. */
export const asEndUser = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  answer.catch((error: unknown) => {
    throw error instanceof TurnpikeError && isOver(error) ? portalRefused() : error
  })

/** True if the credential of a session ended, or its member lost the right to it. */
const isOver = ({ status, code }: TurnpikeError) => status === 401 || MEMBER_CODES.some((one) => one === code)

/** SCOPE_DENIED without the scope. */
export function requireScope({ scopes }: Portal, scope: PortalScope): void {
  if (scopes.includes(scope)) return
  throw new TurnpikeError("SCOPE_DENIED", `This portal session does not have the scope \`${scope}\`.`)
}

type OfTurns = CallerDB & { t: Pick<DB["turns"], "user_id" | "test" | "end_user_ref" | "key_id" | "space_id"> }
const eb = expressionBuilder<OfTurns, "t">()
const costs = expressionBuilder<
  { t: Pick<DB["turns"], "billed_credit_micros" | "end_user_charge_credit_micros"> },
  "t"
>()

/**
 * The end user's turns that a key has sent and that the session's key sees. Turns from the web app are the owner's.
 * Scalar subqueries, because the planner treats them as constants and starts from an index.
 */
export const isOwnTurn = (ref: string) =>
  eb.and([
    eb("t.user_id", "=", eb.selectFrom("caller").select("user_id")),
    eb("t.test", "=", eb.selectFrom("caller").select("test")),
    eb("t.end_user_ref", "=", ref),
    eb("t.key_id", "is not", null),
    isOfScope(eb.ref("t.space_id")),
  ])

/** The condition of the index of end users. */
const hasCost = costs.or([costs("t.billed_credit_micros", ">", 0), costs("t.end_user_charge_credit_micros", ">", 0)])

async function readUsage(ctx: Context, { credential, ref }: Portal): Promise<NonNullable<PortalOverview["usage"]>> {
  const now = ctx.clock.now()
  const today = now.toISOString().slice(0, 10)
  const first = new Date(Date.parse(today) - (PORTAL_POLICY.days - 1) * DAY_MS)
  const month = new Date(`${today.slice(0, 7)}-01`)
  const { rows } = await asEndUser(
    readAs(ctx, credential, (db) =>
      db
        .selectFrom("ended_turns as t")
        .where(isOwnTurn(ref))
        .where(hasCost)
        .where("t.finished_at", ">=", first < month ? first : month)
        .select(({ fn }) => [
          sql<string>`((t.finished_at at time zone 'UTC')::date)::text`.as("day"),
          fn.sum<number>(charged).as("charged"),
          fn.countAll<number>().as("turns"),
        ])
        .groupBy("day"),
    ),
  )
  const byDay = new Map(
    rows.map(({ day, charged, turns }) => [day, { charged: Number(charged), turns: Number(turns) }]),
  )
  const inMonth = rows.filter(({ day }) => day.startsWith(today.slice(0, 7)))
  return {
    today_usd: toUsd(byDay.get(today)?.charged ?? 0),
    month_usd: toUsd(inMonth.reduce((sum, { charged }) => sum + Number(charged), 0)),
    days: Array.from({ length: PORTAL_POLICY.days }, (_, index) => {
      const day = new Date(first.getTime() + index * DAY_MS).toISOString().slice(0, 10)
      const { charged = 0, turns = 0 } = byDay.get(day) ?? {}
      return { day, charged_usd: toUsd(charged), turns }
    }),
  }
}

async function readLimits(ctx: Context, { credential, ref }: Portal): Promise<NonNullable<PortalOverview["limits"]>> {
  const [{ row }, isSold] = await Promise.all([
    asEndUser(callAs(ctx, credential, "get_end_user", { ref })),
    hasPrice(ctx, credential, ref),
  ])
  const limits: PortalLimit[] = (row.end_user?.caps ?? []).flatMap((cap) => {
    const period = PERIODS[cap.cap]
    if (period === undefined) return []
    const limit = cap.limit_credit_micros
    const left = leftOf(cap)
    // Limits count what the owner pays. Next to charges by a price, their amounts would tell the margin.
    const amounts = isSold ? { limit_usd: null, left_usd: null } : { limit_usd: toUsd(limit), left_usd: toUsd(left) }
    return [{ period, ...amounts, left_share: limit > 0 ? left / limit : 0, resets_at: toInstant(cap.resets_at) }]
  })
  return { blocked: row.end_user?.limits?.blocked ?? false, limits, rates: await readRates(ctx, row.end_user, ref) }
}

/** The rate of the end user. The rate of the key is the owner's. */
async function readRates(ctx: Context, row: Answers["end_user_answer"] | null, endUser: string): Promise<PortalRate[]> {
  const [states = []] = await rateStates(ctx, row ? [{ ...row.rated, endUser }] : [])
  return states.flatMap(({ limit, most, used }) => {
    const [, kind] = /^end_user_(.*)$/.exec(limit) ?? []
    return kind ? [{ kind: kind as PortalRate["kind"], most, used }] : []
  })
}

/** True if a price of the owner may apply to the end user, through any key, or has applied to a turn. */
async function hasPrice(ctx: Context, credential: Credential, ref: string): Promise<boolean> {
  const { rows } = await asEndUser(
    readAs(ctx, credential, (db) =>
      db
        .selectFrom("caller")
        .select((eb) =>
          eb
            .or([
              eb.exists(
                eb
                  .selectFrom("end_users as e")
                  .whereRef("e.user_id", "=", "caller.user_id")
                  .whereRef("e.test", "=", "caller.test")
                  .where("e.end_user_ref", "=", ref)
                  .where("e.price_name", "is not", null),
              ),
              eb.exists(
                eb
                  .selectFrom("api_keys as k")
                  .whereRef("k.user_id", "=", "caller.user_id")
                  .whereRef("k.test", "=", "caller.test")
                  .where("k.end_user_price", "is not", null),
              ),
              eb.exists(
                eb
                  .selectFrom("wallets as w")
                  .whereRef("w.user_id", "=", "caller.user_id")
                  .where("caller.test", "=", false)
                  .where("w.end_user_price", "is not", null),
              ),
              eb.exists(
                eb
                  .selectFrom("test_defaults as d")
                  .whereRef("d.user_id", "=", "caller.user_id")
                  .where("caller.test", "=", true)
                  .where("d.end_user_price", "is not", null),
              ),
              eb.exists(
                eb
                  .selectFrom("ended_turns as t")
                  .where(isOwnTurn(ref))
                  .where(hasCost)
                  .whereRef("t.end_user_charge_credit_micros", "<>", "t.billed_credit_micros"),
              ),
            ])
            .as("is_sold"),
        ),
    ),
  )
  return rows.some(({ is_sold }) => is_sold)
}

async function readWallet(ctx: Context, { credential, ref }: Portal): Promise<PortalWallet | "none"> {
  const [wallet, { data }] = await Promise.all([
    asEndUser(getEndUserBalance(ctx, credential, ref)),
    asEndUser(listEndUserLedger(ctx, credential, { ref, filters: {}, limit: PORTAL_POLICY.entries })),
  ])
  if (!wallet.prepaid && data.length === 0) return "none"
  const { available_usd, held_usd, balance_usd } = wallet
  const entries = data.map(serializeEndUserEntry).map(({ entry_id: id, created_at: at, reason, amount_usd }) => ({
    id,
    at,
    reason,
    amount_usd,
  }))
  return { available_usd, held_usd, balance_usd, entries }
}

async function readApprovals(ctx: Context, { credential, ref, scopes }: Portal): Promise<PortalApproval[]> {
  const { rows } = await asEndUser(
    readAs(ctx, credential, (db) =>
      db
        .selectFrom("waiting_turns as w")
        .innerJoin("turns as t", "t.turn_id", "w.turn_id")
        .innerJoin("turn_calls as k", "k.turn_id", "w.turn_id")
        .where("w.user_id", "=", eb.selectFrom("caller").select("user_id"))
        .where("w.test", "=", eb.selectFrom("caller").select("test"))
        .where("w.reason", "=", "approval")
        .where(isOwnTurn(ref))
        .where("k.state", "=", "asked")
        .select(["w.turn_id", "w.since", "w.expires_at", "k.step", "k.call", "k.tool", "k.input", "t.text"])
        .orderBy("w.since")
        .orderBy("w.turn_id")
        .orderBy("k.step")
        .orderBy("k.call")
        .limit(PORTAL_POLICY.approvals),
    ),
  )
  return rows.map(({ turn_id, since, expires_at, step, call, tool, input, text }) => ({
    turn_id,
    call: `${step}.${call}`,
    tool,
    input,
    excerpt: scopes.includes("turns") ? text.slice(0, PORTAL_POLICY.excerptChars) : "",
    since: toInstant(since),
    expires_at: toInstant(expires_at),
  }))
}

/** The facts that the end user may change, in the order in which the owner names them. */
async function readFacts(ctx: Context, { credential, ref, profileKeys }: Portal): Promise<PortalFact[]> {
  const known = await asEndUser(findProfile(ctx, credential, ref))
  return shownFacts(profileKeys, known?.profile ?? {})
}

export const shownFacts = (keys: readonly string[], profile: Record<string, PortalFact["value"]>): PortalFact[] =>
  keys.map((key) => ({ key, value: Object.hasOwn(profile, key) ? (profile[key] ?? null) : null }))

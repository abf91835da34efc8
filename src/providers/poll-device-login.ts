import { createHash } from "node:crypto"
import type { Context } from "../actor/context.ts"
import type { ProviderLogin } from "../base/provider-logins.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { accountOf } from "./account-of.ts"
import { sealCredential } from "./credential.ts"
import { type DeviceCode, pollDevice } from "./device-endpoint.ts"
import { keepTrying } from "./keep-trying.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { openLogin } from "./sealed-login.ts"
import type { Tokens } from "./token-endpoint.ts"
import { TokenError } from "./token-errors.ts"

export const loginCallbackPath = (loginId: string) => `/callbacks/provider-logins/${loginId}`

/**
 * Publishes a message that polls a login when it is due. The queue keeps one message per value of
 * `after`. Never throws: the sweep publishes again what was lost.
 */
export async function publishPoll(
  ctx: Context,
  loginId: string,
  { after, delayMs }: { after: number | string; delayMs: number },
): Promise<boolean> {
  try {
    await ctx.queue.publish({ path: loginCallbackPath(loginId), flow: null, delayMs, dedupe: `${loginId}-${after}` })
    return true
  } catch (error) {
    ctx.log("error", "provider_login.publish_failed", { login_id: loginId, error: describeError(error) })
    return false
  }
}

export type Polled = "early" | "over" | "pending" | "authorized" | "expired" | "error"

/** The codes of a login and the client that they were issued to, to notice a changed configuration. */
type Kept = DeviceCode & Pick<ProviderLogin, "client_id" | "token_endpoint">

interface Taken {
  loginId: string
  takes: number
  interval: number
}

/**
 * Polls a device login once, if it is due and no other worker has claimed it, and publishes the next
 * poll. The claim is in the login's row, so messages may arrive early, twice, or after the end.
 */
export async function pollDeviceLogin(ctx: Context, loginId: string): Promise<Polled> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + PROVIDER_POLICY.takeMs)
  const row = await callOne(ctx.db, "take_login", { login_id: loginId, until, moment: now })
  if (!row.taken) {
    if (row.state !== "polling" || !row.due_at) return "over"
    const delayMs = row.due_at.getTime() - now.getTime()
    await publishPoll(ctx, loginId, { after: `early-${row.takes}`, delayMs })
    return "early"
  }
  const taken: Taken = {
    loginId,
    takes: row.takes ?? 0,
    interval: row.interval_seconds ?? PROVIDER_POLICY.intervalSeconds,
  }
  const settings = ctx.providerLogins["alt-pool"]
  const kept = await openLogin<Kept>(ctx, loginId, row.sealed ?? "")
  // Never send a code to another client's provider.
  if (settings?.client_id !== kept.client_id || settings.token_endpoint !== kept.token_endpoint) {
    return end(ctx, taken, "error", "not_configured")
  }
  try {
    return await authorized(ctx, taken, settings, await pollDevice(ctx, settings, kept))
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    ctx.log("info", "provider_login.polled", { login_id: loginId, kind: error.kind })
    return failed(ctx, taken, error)
  }
}

/** Handles a poll without tokens. An unavailable provider is polled again. */
function failed(ctx: Context, taken: Taken, { kind, answered }: TokenError): Promise<Polled> | Polled {
  if (kind === "denied" || kind === "refused") return end(ctx, taken, "error", kind)
  if (kind === "expired") return end(ctx, taken, "expired", "expired")
  // An answer came but is not valid, so the code is used up.
  if (kind === "lost" && answered) return end(ctx, taken, "error", "lost")
  const { interval } = taken
  // RFC 8628 section 3.5: add five seconds after slow_down, and poll less often without an answer.
  const slower = {
    slow_down: interval + PROVIDER_POLICY.slowDownSeconds,
    lost: Math.max(interval, Math.min(interval * 2, PROVIDER_POLICY.maxIntervalSeconds)),
  }
  return pollAgain(ctx, taken, kind === "slow_down" || kind === "lost" ? slower[kind] : interval)
}

async function pollAgain(ctx: Context, { loginId, takes }: Taken, interval: number): Promise<Polled> {
  const now = ctx.clock.now()
  const due_at = new Date(now.getTime() + interval * 1000)
  const args = { login_id: loginId, takes, interval_seconds: interval, due_at, moment: now }
  const { keep_login: kept } = await callOne(ctx.db, "keep_login", args)
  if (!kept) return "over"
  await publishPoll(ctx, loginId, { after: takes, delayMs: interval * 1000 })
  return "pending"
}

async function end(
  ctx: Context,
  { loginId, takes }: Taken,
  state: "expired" | "error",
  error: string,
): Promise<Polled> {
  await call(ctx.db, "end_login", { login_id: loginId, takes, state, error, moment: ctx.clock.now() })
  return state
}

/** Saves the tokens of a successful poll as the account, and retries the save if necessary. */
async function authorized(ctx: Context, taken: Taken, settings: ProviderLogin, tokens: Tokens): Promise<Polled> {
  const { external_id, label } = accountOf(settings, tokens)
  const provider_id = `alt-${createHash("sha256").update(external_id).digest("hex").slice(0, 12)}`
  const { access_token, refresh_token, expires_at } = tokens
  const opens = { kind: "oauth" as const, access_token, refresh_token, headers: settings.headers }
  const { engine, base_url = null } = settings
  const args = {
    login_id: taken.loginId,
    takes: taken.takes,
    account: {
      provider_id,
      pool: "alt-pool",
      // Cut by code points: half of a surrogate pair cannot be stored.
      name: [...label].slice(0, 100).join(""),
      kind: "oauth_device",
      engine,
      base_url,
      external_id,
    },
    sealed: await sealCredential(ctx, provider_id, opens),
    expires_at,
    request_id: ctx.requestId,
    moment: ctx.clock.now(),
  }
  const { refused } = await keepTrying(ctx, () => callOne(ctx.db, "finish_device_login", args))
  ctx.log("info", "provider_login.authorized", { login_id: taken.loginId, provider_id, refused })
  if (refused === null) return "authorized"
  if (refused === "superseded") return "over"
  return end(ctx, taken, "error", refused === "admin" ? "not_admin" : "taken")
}

/**
 * Expires logins whose time is over, publishes lost polls again, and contains
 * accounts whose refresh never ended.
 */
export async function sweepProviderLogins(
  ctx: Context,
): Promise<{ expired: number; contained: number; published: number }> {
  const now = ctx.clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  const swept = await callOne(ctx.db, "sweep_logins", {
    late: before(PROVIDER_POLICY.pollLateMs),
    old: before(PROVIDER_POLICY.keepLoginsMs),
    most: PROVIDER_POLICY.sweepBatch,
    moment: now,
  })
  const sweep = { expired: swept.expired ?? 0, contained: swept.contained ?? 0, published: 0 }
  for (const loginId of swept.login_ids ?? []) {
    if (await publishPoll(ctx, loginId, { after: `sweep-${now.getTime()}`, delayMs: 0 })) sweep.published++
  }
  return sweep
}

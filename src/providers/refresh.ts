import type { Context } from "../actor/context.ts"
import type { LoginPool } from "../base/provider-logins.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { type AccountCredential, openCredential, sealCredential } from "./credential.ts"
import { keepTrying } from "./keep-trying.ts"
import { loginOf } from "./login-settings.ts"
import { openedOf } from "./opened.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { refreshedTokens, type Tokens } from "./token-endpoint.ts"
import { TokenError } from "./token-errors.ts"

/** An account's credential, as a statement just read it. */
export interface SealedCredential {
  provider_id: string
  sealed: string
  /** When the access token expires; null: never, or not known. */
  expires_at: string | null
  credential_version: number
}

/** The credential that a call sends: an API key, or a bearer token with its headers. */
export interface CallCredential {
  kind: "api_key" | "bearer"
  secret: string
  headers: Record<string, string>
  credential_version: number
  /** The stored credential that this was made from. The next refresh starts from it. */
  from: SealedCredential
}

/**
 * An account without a usable credential. `health`: its new health, or null
 * if it may serve again by itself.
 */
export class ProviderUnusable extends Error {
  readonly health: "needs_login" | "contained" | null

  constructor(providerId: string, health: ProviderUnusable["health"]) {
    super(`${providerId} cannot be called${health ? `: ${health}` : " at the moment"}`)
    this.name = "ProviderUnusable"
    this.health = health
  }
}

type OauthCredential = Extract<AccountCredential, { kind: "oauth" }>

/**
 * Returns the credential for a call. One worker refreshes the token if it expires within 5 minutes
 * or if the provider refused it (`after401`). Throws ProviderUnusable.
 */
export async function freshCredential(
  ctx: Context,
  account: SealedCredential,
  { after401 = false }: { after401?: boolean } = {},
): Promise<CallCredential> {
  const credential = await opened(ctx, account)
  if (credential.kind === "oauth" && (after401 || endsWithin(ctx, account, PROVIDER_POLICY.refreshBeforeMs))) {
    return refresh(ctx, account, credential, after401)
  }
  if (credential.kind === "api_key" && after401) return refuseKey(ctx, account)
  return sent(account, credential)
}

function sent(account: SealedCredential, credential: AccountCredential): CallCredential {
  const { provider_id, sealed, expires_at, credential_version } = account
  const origin = { credential_version, from: { provider_id, sealed, expires_at, credential_version } }
  if (credential.kind === "api_key") return { kind: "api_key", secret: credential.api_key, headers: {}, ...origin }
  return { kind: "bearer", secret: credential.access_token, headers: credential.headers, ...origin }
}

const endsWithin = ({ clock }: Context, { expires_at }: SealedCredential, ms: number) =>
  expires_at !== null && new Date(expires_at).getTime() - clock.now().getTime() <= ms

/**
 * Opens a credential. If an older key sealed it, it is sealed again in the background. Throws
 * ProviderUnusable if it cannot be opened.
 */
async function opened(ctx: Context, { provider_id, sealed }: SealedCredential): Promise<AccountCredential> {
  const now = ctx.clock.now().getTime()
  const known = openedOf(ctx).find({ provider_id, sealed }, now)
  if (known) return known
  const { credential, stale } = await openCredential(ctx, provider_id, sealed).catch((error: unknown) => {
    ctx.log("error", "provider.not_opened", { provider_id, error: describeError(error) })
    throw new ProviderUnusable(provider_id, null)
  })
  if (stale) ctx.background(reseal(ctx, { provider_id, old: sealed, credential }))
  else openedOf(ctx).keep({ provider_id, sealed }, credential, now)
  return credential
}

async function reseal(
  ctx: Context,
  { provider_id, old, credential }: { provider_id: string; old: string; credential: AccountCredential },
): Promise<void> {
  try {
    await call(ctx.db, "reseal_provider", {
      provider_id,
      old,
      sealed: await sealCredential(ctx, provider_id, credential),
    })
  } catch (error) {
    ctx.log("error", "provider.reseal_failed", { provider_id, error: describeError(error) })
  }
}

/** A refused API key cannot be refreshed, but an admin may have replaced it. */
async function refuseKey(ctx: Context, account: SealedCredential): Promise<CallCredential> {
  if (await fail(ctx, account, "needs_login")) throw new ProviderUnusable(account.provider_id, "needs_login")
  return newer(ctx, account)
}

async function refresh(
  ctx: Context,
  account: SealedCredential,
  credential: OauthCredential,
  after401: boolean,
): Promise<CallCredential> {
  const usable = !after401 && !endsWithin(ctx, account, 0) ? credential : null
  const { refresh_token: refreshToken } = credential
  if (refreshToken === null) {
    if (usable) return sent(account, usable)
    if (await fail(ctx, account, "needs_login")) throw new ProviderUnusable(account.provider_id, "needs_login")
    return newer(ctx, account)
  }
  const work = exchanged(ctx, account, { ...credential, refresh_token: refreshToken }, usable)
  // The refresh must finish even if its caller leaves, so that the exchanged token is saved.
  const ended = () => {}
  ctx.background(work.then(ended, ended))
  return (await work) ?? overtaken(ctx, account, usable)
}

/**
 * Claims the refresh, exchanges the refresh token and saves the result. Returns null if another
 * worker holds the claim. `usable`: as in `overtaken`.
 */
async function exchanged(
  ctx: Context,
  account: SealedCredential,
  credential: OauthCredential & { refresh_token: string },
  usable: OauthCredential | null,
): Promise<CallCredential | null> {
  const { provider_id } = account
  const unusable = (health: ProviderUnusable["health"]) => new ProviderUnusable(provider_id, health)
  /**
   * Releases the claim and returns the current token while it is valid. If the release is lost, the
   * claim expires and the account is contained.
   */
  const givenBack = async () => {
    await fail(ctx, account, null)
    if (!usable) throw unusable(null)
    return sent(account, usable)
  }
  const { claimed, pool, until } = await claim(ctx, account)
  if (!claimed) return null
  // The exchange could outlast the claim, and nothing has been sent yet.
  if (until - ctx.clock.now().getTime() < PROVIDER_POLICY.timeoutMs) return givenBack()

  let tokens: Tokens
  try {
    tokens = await refreshedTokens(ctx, settingsOf(ctx, pool), credential.refresh_token)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    ctx.log("error", "provider.refresh_failed", { provider_id, kind: error.kind, error: error.message })
    if (error.kind === "passing") return givenBack()
    const health = error.kind === "refused" ? "needs_login" : "contained"
    if (await fail(ctx, account, health)) throw unusable(health)
    return newer(ctx, account)
  }
  return saved(ctx, account, { ...credential, ...tokensOf(tokens, credential) }, tokens.expires_at)
}

/**
 * Claims the refresh. `until`: the end of the claim, in milliseconds. A retry
 * after a lost answer extends it.
 */
async function claim(ctx: Context, { provider_id, credential_version: version }: SealedCredential) {
  const by = crypto.randomUUID()
  return keepTrying(ctx, async () => {
    const moment = ctx.clock.now()
    const until = moment.getTime() + PROVIDER_POLICY.refreshMs
    const args = { provider_id, version, by, until: new Date(until), moment }
    return { ...(await callOne(ctx.db, "claim_refresh", args)), until }
  })
}

/** A provider that rotates refresh tokens returns the next one. Others leave it out (RFC 6749 section 6). */
const tokensOf = ({ access_token, refresh_token }: Tokens, former: OauthCredential) => ({
  access_token,
  refresh_token: refresh_token ?? former.refresh_token,
})

/**
 * The login settings of the account's pool. If they are missing, nothing was
 * sent, so the error is `passing`.
 */
function settingsOf(ctx: Context, pool: string | null) {
  try {
    return loginOf(ctx, pool as LoginPool)
  } catch (error) {
    throw new TokenError(
      "passing",
      error instanceof Error ? error.message : "PROVIDER_LOGINS has no settings for its pool.",
    )
  }
}

/**
 * Saves the exchanged tokens. If that stays uncertain, the account is contained,
 * since its refresh token is used up.
 */
async function saved(
  ctx: Context,
  account: SealedCredential,
  credential: OauthCredential,
  expiresAt: Date | null,
): Promise<CallCredential> {
  const { provider_id, credential_version: version } = account
  const sealed = await sealCredential(ctx, provider_id, credential)
  const args = { provider_id, version, sealed, expires_at: expiresAt, moment: ctx.clock.now() }
  const done = await keepTrying(ctx, () => callOne(ctx.db, "save_refresh", args)).catch(async (error: unknown) => {
    ctx.log("error", "provider.refresh_not_saved", { provider_id, error: describeError(error) })
    await fail(ctx, account, "contained")
    throw new ProviderUnusable(provider_id, "contained")
  })
  if (!done.save_refresh) return newer(ctx, account)
  ctx.log("info", "provider.refreshed", { provider_id, version: version + 1 })
  const expires_at = expiresAt?.toISOString() ?? null
  return sent({ provider_id, sealed, expires_at, credential_version: version + 1 }, credential)
}

/**
 * Ends a failed refresh. Returns false if the credential has another version. If the database is
 * unavailable, the claim expires.
 */
async function fail(
  ctx: Context,
  { provider_id, credential_version: version }: SealedCredential,
  health: ProviderUnusable["health"],
): Promise<boolean> {
  const args = { provider_id, version, health, moment: ctx.clock.now() }
  try {
    const { fail_refresh: same } = await keepTrying(ctx, () => callOne(ctx.db, "fail_refresh", args))
    return same !== false
  } catch (error) {
    ctx.log("error", "provider.refresh_not_ended", { provider_id, error: describeError(error) })
    return true
  }
}

/**
 * Another worker refreshes the credential. Returns the current token while it is valid,
 * otherwise waits for the new one.
 */
async function overtaken(
  ctx: Context,
  account: SealedCredential,
  usable: OauthCredential | null,
): Promise<CallCredential> {
  const { provider_id, credential_version } = account
  const began = ctx.clock.now().getTime()
  for (;;) {
    const now = await look(ctx, provider_id)
    if (now.version !== credential_version) return newer(ctx, account)
    if (now.lost) {
      await call(ctx.db, "contain_lost", { provider_id, moment: ctx.clock.now() })
      throw new ProviderUnusable(provider_id, "contained")
    }
    if (now.health !== "healthy") throw new ProviderUnusable(provider_id, now.health as "contained")
    if (usable) return sent(account, usable)
    // The other worker released its claim: the provider is unavailable, and more requests would fail too.
    const waited = ctx.clock.now().getTime() - began
    if (!now.refreshing || waited >= PROVIDER_POLICY.refreshMs) throw new ProviderUnusable(provider_id, null)
    await ctx.clock.sleep(PROVIDER_POLICY.refreshLookMs)
  }
}

async function look(ctx: Context, providerId: string) {
  const [row] = await call(ctx.db, "credential_now", { provider_id: providerId, moment: ctx.clock.now() })
  if (!row) throw new ProviderUnusable(providerId, null)
  return row
}

/** Returns the credential that another worker saved. It is not refreshed again. */
async function newer(ctx: Context, { provider_id }: SealedCredential): Promise<CallCredential> {
  const { sealed, expires_at, version } = await look(ctx, provider_id)
  if (sealed === null || version === null) throw new ProviderUnusable(provider_id, null)
  const account = {
    provider_id,
    sealed,
    expires_at: expires_at?.toISOString() ?? null,
    credential_version: version,
  }
  if (endsWithin(ctx, account, 0)) throw new ProviderUnusable(provider_id, null)
  return sent(account, await opened(ctx, account))
}

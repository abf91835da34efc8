import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { timeInWords } from "../base/in-words.ts"
import type { ProviderLogin } from "../base/provider-logins.ts"
import type { Redis } from "../platform/redis.ts"
import { accountOf, type ProviderIdentity } from "./account-of.ts"
import { type Authorization, beginLogin } from "./authorization-url.ts"
import { loginOf } from "./login-settings.ts"
import { pastedCode } from "./pasted-code.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { type Tokens, tokensOfCode } from "./token-endpoint.ts"
import { loginError } from "./token-errors.ts"

/** The context of a login by a pasted code. Redis keeps the login. */
export interface LoginContext extends Context {
  readonly redis: Redis
}

/** An admin's login, as Redis keeps it sealed. */
export interface MainLogin {
  login_id: string
  /** The client id and the token endpoint. A code or token is never sent to another client's provider. */
  at: string
  authorization: Authorization
  expires_at: string
  /** The account that the code was exchanged for; null before the exchange. */
  account: (ProviderIdentity & Omit<Tokens, "answer" | "expires_at"> & { token_expires_at: string | null }) | null
}

export const authStartedSchema = z
  .object({
    authorization_url: z.string().meta({
      description: "Open this URL, log in, and paste the code that the page shows at the end.",
      example: "https://login.provider.com/authorize?response_type=code&client_id=turnpike&state=7f3a…",
    }),
    expires_at: z.iso.datetime().meta({ description: "When the login expires." }),
  })
  .meta({ id: "ProviderLoginStarted" })

/** AuthCodeRequest of docs/contract.md. */
export const authCodeSchema = z
  .strictObject({
    code: z.string().min(1).max(8192).meta({
      description:
        "The text that the provider showed: `code#state`, the code alone, or the whole URL of the last page.",
      example: "ac-7f3a…#st-91bc…",
    }),
  })
  .meta({ id: "AuthCodeRequest" })

export const authCodeAnswerSchema = z
  .object({
    external_id: z.string().meta({ description: "The account's id at its provider.", example: "acc_7f3a" }),
    label: z.string().meta({
      description: "The account's name at its provider, such as an email address.",
      example: "ada@people.com",
    }),
    token_expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the access token expires. Null if not known." }),
    expires_at: z.iso.datetime().meta({ description: "When the login expires. Add the account before then." }),
  })
  .meta({ id: "ProviderLoginAccount" })

/**
 * Starts a login of this admin and replaces an earlier one. Throws LOGIN_NOT_CONFIGURED, or
 * VALIDATION_FAILED for an API key, which needs no login.
 */
export async function startMainLogin(
  ctx: LoginContext,
  credential: SessionCredential,
  { kind }: { kind: "oauth" | "api_key" },
): Promise<z.input<typeof authStartedSchema>> {
  if (kind === "api_key") {
    throw new TurnpikeError("VALIDATION_FAILED", "kind: an API key needs no login. Add it directly.", {
      param: "kind",
    })
  }
  const userId = await adminOf(ctx, credential)
  const settings = loginOf(ctx, "main")
  const login: MainLogin = {
    login_id: newId("login", ctx.clock.now()),
    at: applicationOf(settings),
    authorization: await beginLogin(settings),
    expires_at: inLoginTime(ctx),
    account: null,
  }
  await noteStep(ctx, credential, "provider.login_start", login.login_id, { pool: "main" })
  await putLogin(ctx, userId, login)
  return { authorization_url: login.authorization.url, expires_at: login.expires_at }
}

export const SUBMIT_CODE_ERRORS = [
  "LOGIN_NOT_CONFIGURED",
  "LOGIN_NOT_STARTED",
  "LOGIN_EXPIRED",
  "LOGIN_CODE_INVALID",
  "LOGIN_DENIED",
  "LOGIN_PROVIDER_FAILED",
  "LOGIN_PROVIDER_UNAVAILABLE",
] as const

/**
 * Exchanges the pasted code. If the provider rejects it (LOGIN_CODE_INVALID), the login stays open for another
 * code. Throws LOGIN_NOT_STARTED, LOGIN_EXPIRED, LOGIN_DENIED, LOGIN_PROVIDER_UNAVAILABLE or LOGIN_PROVIDER_FAILED.
 */
export async function submitCode(
  ctx: LoginContext,
  credential: SessionCredential,
  pasted: string,
): Promise<z.input<typeof authCodeAnswerSchema>> {
  const userId = await adminOf(ctx, credential)
  const settings = loginOf(ctx, "main")
  const login = await takeLogin(ctx, userId, settings)
  try {
    if (login.account) throw notStarted("The code of your login was accepted already. Add the account.")
    const { state, verifier, redirect_uri: redirectUri } = login.authorization
    const code = pastedCode(pasted, state)
    const { answer, expires_at, ...tokens } = await tokensOfCode(ctx, settings, { code, redirectUri, verifier, state })
    const identity = accountOf(settings, { ...tokens, answer })
    const account = { ...identity, ...tokens, token_expires_at: expires_at?.toISOString() ?? null }
    const done = { ...login, account, expires_at: inLoginTime(ctx) }
    const { login_id } = login
    await noteStep(ctx, credential, "provider.login_code", login_id, { external_id: identity.external_id })
    await putLogin(ctx, userId, done)
    return { ...identity, token_expires_at: account.token_expires_at, expires_at: done.expires_at }
  } catch (error) {
    // takeLogin() removed it from Redis, so no other request changed it.
    await putLogin(ctx, userId, login)
    throw loginError(error, "code")
  }
}

/**
 * Takes the admin's login out of Redis, so that no other request has it until putLogin(). Throws
 * LOGIN_NOT_STARTED or LOGIN_EXPIRED.
 */
export async function takeLogin(ctx: LoginContext, userId: number, settings: ProviderLogin): Promise<MainLogin> {
  const sealed = await ctx.redis.take(keyOf(userId))
  const login =
    sealed === null ? null : (JSON.parse((await ctx.keyRing.open(sealed, target(userId))).text) as MainLogin)
  const until = login?.expires_at ?? (await ctx.redis.get(notedKeyOf(userId)))
  if (until !== null && new Date(until) <= ctx.clock.now()) {
    throw new TurnpikeError(
      "LOGIN_EXPIRED",
      `Your login took longer than ${timeInWords(PROVIDER_POLICY.loginMs)}. Start another one.`,
    )
  }
  if (!login) throw notStarted("You have no login in progress. Start one.")
  if (login.at !== applicationOf(settings))
    throw notStarted("PROVIDER_LOGINS has changed since you started the login. Start again.")
  return login
}

export const notStarted = (message: string) => new TurnpikeError("LOGIN_NOT_STARTED", message)

/** Keeps a login until its time is over. */
export async function putLogin(ctx: LoginContext, userId: number, login: MainLogin): Promise<void> {
  const ttlMs = new Date(login.expires_at).getTime() - ctx.clock.now().getTime()
  if (ttlMs <= 0) return
  await ctx.redis.set(notedKeyOf(userId), login.expires_at, { ttlMs: PROVIDER_POLICY.loginNotedMs })
  await ctx.redis.set(keyOf(userId), await ctx.keyRing.seal(JSON.stringify(login), target(userId)), { ttlMs })
}

/** Deletes the remembered end of a login, once the login has become an account. */
export const forgetLogin = (ctx: LoginContext, userId: number) => ctx.redis.take(notedKeyOf(userId))

const keyOf = (userId: number) => `provider_login:${userId}`
const notedKeyOf = (userId: number) => `provider_login_until:${userId}`
const target = (userId: number) => ({ table: "redis", column: "provider_login", row: String(userId), owner: userId })
const applicationOf = ({ client_id, token_endpoint }: ProviderLogin) => `${client_id} ${token_endpoint}`
const inLoginTime = ({ clock }: Context) => new Date(clock.now().getTime() + PROVIDER_POLICY.loginMs).toISOString()

/** The id of the signed-in admin, checked before any call to a provider or Redis. Throws ADMIN_REQUIRED. */
export async function adminOf(ctx: Context, credential: SessionCredential): Promise<number> {
  const { actor } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select("user_id"), { role: "admin" })
  return actor.user_id
}

/** Writes the audit entry. It comes before the step, so that no step is without one. */
function noteStep(ctx: Context, credential: SessionCredential, action: string, login_id: string, after: object) {
  return callAs(ctx, credential, "note_login_step", { action, login_id, after })
}

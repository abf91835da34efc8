import type { Context as HonoContext } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { createMiddleware } from "hono/factory"
import { factorRequired } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { endSession } from "../sign-in/end-session.ts"
import { sendSignInNotice } from "../sign-in/notices.ts"
import { ACTING_POLICY, SESSION_POLICY } from "../sign-in/policies.ts"
import { readSessionToken, signSessionToken } from "../sign-in/session-token.ts"
import { type NewSession, startSession } from "../sign-in/start-session.ts"
import { getUserOfIdentity } from "../users/get-me.ts"
import type { User } from "../users/user-row.ts"
import type { AppEnv } from "./app-env.ts"
import { readBoolean } from "./query.ts"
import { SAFE } from "./same-origin.ts"

export const SESSION_COOKIE = "token"

/** An admin who acts as a user. Browsers send it to the pages of an account's owner only, beside the admin's own session. */
const ACTING_COOKIE = "acting"
const ACTING_PATH = "/api/account"

/**
 * Reads the cookie `token`, and refuses one that we have not signed without any I/O. The session's row decides whether it is still
 * valid, in the same statement as the request. `?test=true` asks for test data. The cookie is renewed with its session. On the pages of
 * an account's owner the cookie `acting` takes precedence.
 */
export const sessionAuth = createMiddleware<AppEnv>(async (c, next) => {
  const ctx = c.get("ctx")
  const acting = c.req.path.startsWith(`${ACTING_PATH}/`) ? getCookie(c, ACTING_COOKIE) : undefined
  if (acting !== undefined) return actAs(c, acting, next)
  const token = getCookie(c, SESSION_COOKIE)
  if (!token) throw new TurnpikeError("SESSION_REQUIRED", "There is no session. Sign in.")
  const session = await readSessionToken(ctx, token)
  if (!session)
    throw new TurnpikeError("SESSION_REQUIRED", "The session has expired or is not one of ours. Sign in again.")
  c.set("credential", { kind: "session", token: session.token, test: asksForTestData(c) })
  await next()
  const age = ctx.clock.now().getTime() - session.issuedAt.getTime()
  // An operation that sets cookies itself, such as signing out, takes precedence.
  const mayRenew = c.res.ok && !c.res.headers.has("set-cookie")
  if (age >= SESSION_POLICY.noteUseMs && mayRenew) await setSessionCookie(c, session.token, session.framed)
})

const asksForTestData = (c: HonoContext<AppEnv>) => readBoolean(c.req.query("test")) === true

/** A request of an admin who acts as a user: it may only look. An end that is over removes the cookie. */
async function actAs(c: HonoContext<AppEnv>, token: string, next: () => Promise<void>): Promise<void> {
  const session = await readSessionToken(c.get("ctx"), token, "acting")
  if (!session) {
    dropActingCookie(c)
    throw new TurnpikeError("SESSION_REQUIRED", "You no longer act as this user.")
  }
  if (!SAFE.has(c.req.method)) throw actingReadOnly()
  c.set("credential", { kind: "session", token: session.token, acting: true, test: asksForTestData(c) })
  await next()
  if (c.res.status === 401) dropActingCookie(c)
}

export const actingReadOnly = () => new TurnpikeError("ACTING_READ_ONLY", "You act as this user, and may only look.")

/** Lets the browser's admin act as a user. */
export async function setActingCookie(c: HonoContext<AppEnv>, token: string): Promise<void> {
  const signed = await signSessionToken(c.get("ctx"), token, "acting")
  setCookie(c, ACTING_COOKIE, signed, { ...ATTRIBUTES, path: ACTING_PATH, maxAge: ACTING_POLICY.cookieMs / 1000 })
}

export function dropActingCookie(c: HonoContext<AppEnv>): void {
  deleteCookie(c, ACTING_COOKIE, { ...ATTRIBUTES, path: ACTING_PATH })
}

/** The cookie is for this host only, and out of reach of scripts (docs/architecture/sign-in.md). */
const ATTRIBUTES = { path: "/", httpOnly: true, secure: true, sameSite: "Lax" } as const

/**
 * Inside a page of the messaging platform browsers send no other cookie than this. It is partitioned (CHIPS): each site that frames us has one of
 * its own. Its requests change nothing for other origins' pages either (sameOrigin).
 */
const FRAMED_ATTRIBUTES = { ...ATTRIBUTES, sameSite: "None", partitioned: true } as const

/** The session that the browser's cookie names, valid or not. */
async function sessionInCookie(c: HonoContext<AppEnv>, ctx: Context) {
  const token = getCookie(c, SESSION_COOKIE)
  return token ? readSessionToken(ctx, token) : null
}

/** Gives the browser its session. `framed`: also inside the messaging platform; as its cookie was, when left out. */
export async function setSessionCookie(
  c: HonoContext<AppEnv>,
  token: string,
  framed: boolean | undefined = undefined,
): Promise<void> {
  const ctx = c.get("ctx")
  const isFramed = framed ?? (await sessionInCookie(c, ctx))?.framed ?? false
  const signed = await signSessionToken(ctx, token, isFramed ? "framed" : "session")
  const attributes = isFramed ? FRAMED_ATTRIBUTES : ATTRIBUTES
  setCookie(c, SESSION_COOKIE, signed, { ...attributes, maxAge: SESSION_POLICY.lifeMs / 1000 })
}

/** The signed-in user of the request's cookie, if they have this identity: that browser has been signed in by it before. */
export async function userOfCookie(
  c: HonoContext<AppEnv>,
  ctx: Context,
  identity: { issuer: string; subject: string },
): Promise<User | null> {
  const session = await sessionInCookie(c, ctx)
  if (!session) return null
  return getUserOfIdentity(ctx, { kind: "session", token: session.token, test: false }, identity)
}

/** Ends the session of the request's cookie, if it is valid, and removes the cookie. */
export async function closeSession(c: HonoContext<AppEnv>): Promise<void> {
  const ctx = c.get("ctx")
  const session = await sessionInCookie(c, ctx)
  if (session) await endSession(ctx, { kind: "session", token: session.token, test: false })
  await dropSessionCookie(c)
}

/** Removes the browser's cookie, and with it that of acting as somebody. */
export async function dropSessionCookie(c: HonoContext<AppEnv>): Promise<void> {
  const session = await sessionInCookie(c, c.get("ctx"))
  deleteCookie(c, SESSION_COOKIE, session?.framed ? FRAMED_ATTRIBUTES : ATTRIBUTES)
  dropActingCookie(c)
}

/**
 * The end of every login path: starts a session, sets its cookie and answers the user. The session that this browser had ends. Whoever
 * signs in sees their own account: an admin who used this browser no longer acts in it. For a user who was disabled in the meantime:
 * `refusal`, or SESSION_REQUIRED. SECOND_FACTOR_REQUIRED: the cookie is set, and opens nothing before the code was given.
 */
export async function openSession(
  c: HonoContext<AppEnv>,
  ctx: Context,
  userId: number,
  { framed, ...proof }: Pick<NewSession, "grantedBy" | "refusal" | "exceptAdmins"> & { framed?: boolean } = {},
): Promise<User> {
  const userAgent = c.req.header("user-agent") ?? null
  const former = await sessionInCookie(c, ctx)
  const started = await startSession(ctx, { userId, userAgent, replaces: former?.token, ...proof })
  await setSessionCookie(c, started.token, framed ?? former?.framed ?? false)
  dropActingCookie(c)
  if (started.factorDue) throw factorRequired()
  if (started.news) sendSignInNotice(ctx, started.user, userAgent)
  return started.user
}

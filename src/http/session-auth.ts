import type { Context as HonoContext } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { createMiddleware } from "hono/factory"
import { factorRequired } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { noteActingRead } from "../sign-in/act-as.ts"
import { endSession } from "../sign-in/end-session.ts"
import type { SessionState } from "../sign-in/list-ways.ts"
import { sendSignInNotice } from "../sign-in/notices.ts"
import { ACTING_POLICY, SESSION_POLICY } from "../sign-in/policies.ts"
import { readSessionToken, signSessionToken } from "../sign-in/session-token.ts"
import { type NewSession, startSession } from "../sign-in/start-session.ts"
import { getCurrentUser, getUserOfIdentity } from "../users/get-me.ts"
import type { User } from "../users/user-row.ts"
import type { AppEnv } from "./app-env.ts"
import { pageUserOf } from "./page-user.ts"
import { readBoolean } from "./query.ts"
import { SAFE } from "./same-origin.ts"

export const SESSION_COOKIE = "token"

/** The cookie of an acting session. Browsers send it only to ACTING_PATH, together with the admin's own session. */
const ACTING_COOKIE = "acting"
const ACTING_PATH = "/api/account"

/**
 * Reads the cookie `token`, and rejects a value that we have not signed without any I/O. The
 * request's own statement checks the session's row. `?test=true` selects test data. Renews the
 * cookie with its session. Below ACTING_PATH, the cookie `acting` takes precedence.
 */
export const sessionAuth = createMiddleware<AppEnv>(async (c, next) => {
  const ctx = c.get("ctx")
  const acting = c.req.path.startsWith(`${ACTING_PATH}/`) ? getCookie(c, ACTING_COOKIE) : undefined
  if (acting !== undefined) return actAs(c, acting, next)
  const token = getCookie(c, SESSION_COOKIE)
  if (!token) throw new TurnpikeError("SESSION_REQUIRED", "You are not signed in. Sign in first.")
  const session = await readSessionToken(ctx, token)
  if (!session) throw new TurnpikeError("SESSION_REQUIRED", "The session has expired or is not valid. Sign in again.")
  c.set("credential", { kind: "session", token: session.token, test: asksForTestData(c), page: pageUserOf(c) })
  await next()
  const age = ctx.clock.now().getTime() - session.issuedAt.getTime()
  // A response that sets cookies itself, as when signing out, takes precedence.
  const mayRenew = c.res.ok && !c.res.headers.has("set-cookie")
  if (age >= SESSION_POLICY.noteUseMs && mayRenew) await setSessionCookie(c, session.token, session.framed)
})

const asksForTestData = (c: HonoContext<AppEnv>) => readBoolean(c.req.query("test")) === true

/** Handles a request of an admin who acts as a user, which is read-only. Removes the cookie once acting has ended. */
async function actAs(c: HonoContext<AppEnv>, token: string, next: () => Promise<void>): Promise<void> {
  const session = await readSessionToken(c.get("ctx"), token, "acting")
  if (!session) {
    dropActingCookie(c)
    throw new TurnpikeError("SESSION_REQUIRED", "You are no longer acting as this user.")
  }
  const page = pageUserOf(c)
  const credential = { kind: "session", token: session.token, acting: true, test: asksForTestData(c), page } as const
  if (!SAFE.has(c.req.method)) {
    // A page that was made before the admin began to act gets the error that says so.
    if (page) await getCurrentUser(c.get("ctx"), credential)
    throw actingReadOnly()
  }
  c.set("credential", credential)
  try {
    await noteActingRead(c.get("ctx"), credential, c.req.path)
  } catch (error) {
    if (error instanceof TurnpikeError && error.status === 401) dropActingCookie(c)
    throw error
  }
  await next()
  if (c.res.status === 401) dropActingCookie(c)
}

export const actingReadOnly = () =>
  new TurnpikeError(
    "ACTING_READ_ONLY",
    "You are acting as this user, and this is read-only. Stop acting to make changes.",
  )

/** Sets the cookie with which an admin acts as a user. */
export async function setActingCookie(c: HonoContext<AppEnv>, token: string): Promise<void> {
  const signed = await signSessionToken(c.get("ctx"), token, "acting")
  setCookie(c, ACTING_COOKIE, signed, { ...ATTRIBUTES, path: ACTING_PATH, maxAge: ACTING_POLICY.cookieMs / 1000 })
}

export function dropActingCookie(c: HonoContext<AppEnv>): void {
  deleteCookie(c, ACTING_COOKIE, { ...ATTRIBUTES, path: ACTING_PATH })
}

/** The cookie is limited to this host, and scripts cannot read it (docs/architecture/sign-in.md). */
const ATTRIBUTES = { path: "/", httpOnly: true, secure: true, sameSite: "Lax" } as const

/**
 * In a frame of the messaging platform, browsers send only a cookie like this. It is partitioned (CHIPS),
 * so each framing site has its own. Pages of other origins cannot change data with it (sameOrigin).
 */
const FRAMED_ATTRIBUTES = { ...ATTRIBUTES, sameSite: "None", partitioned: true } as const

/** The session in the browser's cookie, valid or not. */
async function sessionInCookie(c: HonoContext<AppEnv>, ctx: Context) {
  const token = getCookie(c, SESSION_COOKIE)
  return token ? readSessionToken(ctx, token) : null
}

/**
 * Sets the session cookie. `framed`: it also works in a frame of the messaging platform; default:
 * as the current cookie.
 */
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

/** The signed-in user of the browser's cookie, if it has this identity; otherwise null. */
export async function userOfCookie(
  c: HonoContext<AppEnv>,
  ctx: Context,
  identity: { issuer: string; subject: string },
): Promise<User | null> {
  const session = await sessionInCookie(c, ctx)
  if (!session) return null
  return getUserOfIdentity(ctx, { kind: "session", token: session.token, test: false }, identity)
}

/** The state of the session in the browser's cookie. */
export async function sessionState(c: HonoContext<AppEnv>): Promise<SessionState> {
  const ctx = c.get("ctx")
  if (!getCookie(c, SESSION_COOKIE)) return "none"
  const session = await sessionInCookie(c, ctx)
  if (!session) return "ended"
  try {
    await getCurrentUser(ctx, { kind: "session", token: session.token, test: false })
    return "open"
  } catch (error) {
    if (!(error instanceof TurnpikeError) || error.status !== 401) throw error
    return error.code === "SECOND_FACTOR_REQUIRED" ? "second_factor" : "ended"
  }
}

/**
 * Ends the session in the request's cookie, if it is valid, and removes the cookie. Throws SIGNED_IN_AS_OTHER if the
 * page was made for another user.
 */
export async function closeSession(c: HonoContext<AppEnv>): Promise<void> {
  const ctx = c.get("ctx")
  const session = await sessionInCookie(c, ctx)
  const page = pageUserOf(c)
  if (session && page) {
    const own = { kind: "session", token: session.token, test: false, page, needs: "self" } as const
    await getCurrentUser(ctx, own).catch((error: unknown) => {
      if (!(error instanceof TurnpikeError) || error.status !== 401) throw error
    })
  }
  if (session) await endSession(ctx, { kind: "session", token: session.token, test: false })
  await dropSessionCookie(c)
}

/** Removes the session cookie and the acting cookie. */
export async function dropSessionCookie(c: HonoContext<AppEnv>): Promise<void> {
  const session = await sessionInCookie(c, c.get("ctx"))
  deleteCookie(c, SESSION_COOKIE, session?.framed ? FRAMED_ATTRIBUTES : ATTRIBUTES)
  dropActingCookie(c)
}

/**
 * Ends every login path: starts a session, sets its cookie and returns the user. The browser's
 * former session and acting end. Throws SECOND_FACTOR_REQUIRED with the cookie already set, and
 * `refusal` or SESSION_REQUIRED for a user who was disabled in the meantime.
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

import { jwtVerify, SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { firstThatFits } from "../platform/signed-body.ts"
import { ACTING_POLICY, SESSION_POLICY } from "./policies.ts"

/** Each kind has an issuer of its own, so neither is taken for the other. */
const KINDS = {
  session: { issuer: "turnpike", lifeMs: SESSION_POLICY.lifeMs },
  acting: { issuer: "turnpike/acting", lifeMs: ACTING_POLICY.lifeMs },
} as const

type TokenKind = keyof typeof KINDS

/** The token of a cookie: names a session, signed under the newest key of the ring. */
export async function signSessionToken(ctx: Context, sessionId: string, kind: TokenKind = "session"): Promise<string> {
  const [key] = await ctx.keyRing.derive("sessions")
  const seconds = Math.floor(ctx.clock.now().getTime() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(KINDS[kind].issuer)
    .setSubject(sessionId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + KINDS[kind].lifeMs / 1000)
    .sign(key as Uint8Array)
}

/**
 * The session that our token of this kind names, signed by any key of the ring; null for any other token. It does not say whether the session is
 * valid.
 */
export async function readSessionToken(
  ctx: Context,
  token: string,
  kind: TokenKind = "session",
): Promise<{ sessionId: string; issuedAt: Date } | null> {
  const options = {
    algorithms: ["HS256"],
    issuer: KINDS[kind].issuer,
    currentDate: ctx.clock.now(),
    requiredClaims: ["sub", "iat", "exp"],
  }
  const verify = async (key: Uint8Array) => (await jwtVerify(token, key, options)).payload
  const claims = await firstThatFits(await ctx.keyRing.derive("sessions"), verify).catch(() => null)
  return claims?.sub ? { sessionId: claims.sub, issuedAt: new Date((claims.iat ?? 0) * 1000) } : null
}

import { jwtVerify, SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { firstThatFits } from "../platform/signed-body.ts"
import { SESSION_POLICY } from "./policies.ts"

const ISSUER = "turnpike"
const PURPOSE = "turnpike sessions"

/** The token of the cookie `token`: names a session, signed under the newest key of the ring. */
export async function signSessionToken(ctx: Context, sessionId: string): Promise<string> {
  const [key] = await ctx.keyRing.derive(PURPOSE)
  const seconds = Math.floor(ctx.clock.now().getTime() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(ISSUER)
    .setSubject(sessionId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + SESSION_POLICY.lifeMs / 1000)
    .sign(key as Uint8Array)
}

/**
 * The session that our token names, signed by any key of the ring; null for any other token. It does not say whether the session is
 * valid.
 */
export async function readSessionToken(
  ctx: Context,
  token: string,
): Promise<{ sessionId: string; issuedAt: Date } | null> {
  const options = {
    algorithms: ["HS256"],
    issuer: ISSUER,
    currentDate: ctx.clock.now(),
    requiredClaims: ["sub", "iat", "exp"],
  }
  const verify = async (key: Uint8Array) => (await jwtVerify(token, key, options)).payload
  const claims = await firstThatFits(await ctx.keyRing.derive(PURPOSE), verify).catch(() => null)
  return claims?.sub ? { sessionId: claims.sub, issuedAt: new Date((claims.iat ?? 0) * 1000) } : null
}

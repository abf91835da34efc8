import { createHash, randomBytes } from "node:crypto"
import { jwtVerify, SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { firstThatFits } from "../platform/signed-body.ts"
import { ACTING_POLICY, SESSION_POLICY } from "./policies.ts"

/** Each kind has an issuer of its own, so neither is taken for the other. */
const KINDS = {
  session: { issuer: "turnpike", lifeMs: SESSION_POLICY.lifeMs },
  /** A session of the mini-app, whose cookie browsers also send inside a page of the messaging platform. */
  framed: { issuer: "turnpike/framed", lifeMs: SESSION_POLICY.lifeMs },
  acting: { issuer: "turnpike/acting", lifeMs: ACTING_POLICY.lifeMs },
} as const

type TokenKind = keyof typeof KINDS

/**
 * The token of a new session: its id and 256 random bits. Only a hash of it is stored, so that nothing that can be read in the database is
 * somebody's session.
 */
export const newToken = (kind: "session" | "acting", now: Date) =>
  `${newId(kind, now)}.${randomBytes(32).toString("base64url")}`

/** The id of a session, which lists and events show. */
export const sessionIdOf = (token: string) => token.split(".")[0] ?? ""

/** As the database stores it. */
export const hashOfToken = (token: string) => createHash("sha256").update(token).digest("hex")

/** A cookie's value: a session's token, signed under the newest key of the ring. */
export async function signSessionToken(ctx: Context, token: string, kind: TokenKind = "session"): Promise<string> {
  const [key] = await ctx.keyRing.derive("sessions")
  const seconds = Math.floor(ctx.clock.now().getTime() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(KINDS[kind].issuer)
    .setSubject(token)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + KINDS[kind].lifeMs / 1000)
    .sign(key as Uint8Array)
}

/**
 * The token in a cookie of this kind that we have signed, by any key of the ring; null for any other value. A session may be `framed`. It does
 * not say whether the session is valid.
 */
export async function readSessionToken(
  ctx: Context,
  signed: string,
  kind: "session" | "acting" = "session",
): Promise<{ token: string; issuedAt: Date; framed: boolean } | null> {
  const options = {
    algorithms: ["HS256"],
    issuer: kind === "session" ? [KINDS.session.issuer, KINDS.framed.issuer] : KINDS[kind].issuer,
    currentDate: ctx.clock.now(),
    requiredClaims: ["sub", "iat", "exp"],
  }
  const verify = async (key: Uint8Array) => (await jwtVerify(signed, key, options)).payload
  const claims = await firstThatFits(await ctx.keyRing.derive("sessions"), verify).catch(() => null)
  if (!claims?.sub) return null
  return { token: claims.sub, issuedAt: new Date((claims.iat ?? 0) * 1000), framed: claims.iss === KINDS.framed.issuer }
}

import { createHash, randomBytes } from "node:crypto"
import { jwtVerify, SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { firstThatFits } from "../platform/signed-body.ts"
import { ACTING_POLICY, SESSION_POLICY } from "./policies.ts"

/** Each kind of token has its own issuer, so that one kind is not accepted as another. */
const KINDS = {
  session: { issuer: "turnpike", lifeMs: SESSION_POLICY.lifeMs },
  /** A session of the mini-app. Browsers also send its cookie inside a frame of the messaging platform. */
  framed: { issuer: "turnpike/framed", lifeMs: SESSION_POLICY.lifeMs },
  acting: { issuer: "turnpike/acting", lifeMs: ACTING_POLICY.lifeMs },
} as const

type TokenKind = keyof typeof KINDS

/**
 * Makes the token of a new session: its id and 256 random bits. Only its hash is stored, so read
 * access to the database gives no session.
 */
export const newToken = (kind: "session" | "acting", now: Date) =>
  `${newId(kind, now)}.${randomBytes(32).toString("base64url")}`

/** The id of a session, which lists and events show. */
export const sessionIdOf = (token: string) => token.split(".")[0] ?? ""

/** The hash of a token, as the database stores it. */
export const hashOfToken = (token: string) => createHash("sha256").update(token).digest("hex")

/** The value of a cookie: a session's token, signed with the newest key of the ring. */
export async function signSessionToken(
  ctx: Pick<Context, "clock" | "keyRing">,
  token: string,
  kind: TokenKind = "session",
): Promise<string> {
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
 * Reads the token from a cookie that any key of the ring has signed; null for any other value. It
 * does not check whether the session is valid. A session may be `framed`.
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

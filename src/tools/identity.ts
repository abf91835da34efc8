import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { SignJWT } from "jose"
import type { Context } from "../actor/context.ts"
import type { TurnValues } from "../agent-config/template.ts"
import { findValidKey, type SigningKey } from "../signing/signing-keys.ts"
import { TOOL_POLICY } from "./policies.ts"

/** For whom tools are called. */
export interface CalledFor {
  values: Omit<TurnValues, "metadata" | "profile">
  space: string
  configVersion: number | null
  test: boolean
}

/** A request that carries an identity. */
export interface SignedRequest {
  url: string
  /** The body; undefined for a request without one. Null: the token covers no body, since a worker takes the call. */
  body: string | undefined | null
  /** The Idempotency-Key of a call; null for other requests to an MCP server, such as its listing. */
  key: string | null
  /** The sub-agent that makes the call; null: the space's own agent. */
  agent: string | null
  /** The time limit of the request, in milliseconds. */
  timeoutMs: number
}

/** Makes the headers with which a server of the owner can tell for whom it is called. */
export type Identity = (request: SignedRequest) => Promise<Record<string, string>>

export const IDENTITY_HEADER = "turnpike-identity"
/** Its own type (RFC 8725, section 3.11), so no token of another kind can be taken for one. */
export const IDENTITY_TYPE = "turnpike-identity+jwt"
/**
 * For how long an isolate signs with a key without asking whether it was withdrawn, in milliseconds. Servers refuse
 * such a key at once.
 */
const KEY_MS = 60_000

const kept = new WeakMap<Context["keyRing"], { key: Promise<SigningKey | null>; until: number }>()

/**
 * The identity of a turn's calls: a JWT (RFC 7519) in `Turnpike-Identity`, signed by a key of /.well-known/jwks.json
 * whose purpose is `identity`. It names the origin that is called, the end user, the turn, and the SHA-256 of the body.
 * Without a key that may sign, requests carry none: a server that needs it refuses them, and all others serve them.
 */
export function identityOf(
  ctx: Pick<Context, "keyRing" | "db" | "clock" | "site" | "log">,
  { values, space, configVersion, test }: CalledFor,
): Identity {
  return async ({ url, body = "", key, agent, timeoutMs }) => {
    const signer = await keyOf(ctx)
    if (!signer) return {}
    const now = Math.floor(ctx.clock.now().getTime() / 1000)
    const claims = {
      act: { space, config_version: configVersion, agent },
      turn: values.turnId,
      conv: values.conversationId,
      ...(key !== null && { call: key.split(".").slice(1).join(".") }),
      test,
      ...(body !== null && { body: createHash("sha256").update(body).digest("base64url") }),
    }
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: "EdDSA", typ: IDENTITY_TYPE, kid: signer.kid })
      .setIssuer(ctx.site.origin)
      .setAudience(new URL(url).origin)
      .setIssuedAt(now)
      .setExpirationTime(now + Math.ceil(timeoutMs / 1000) + TOOL_POLICY.identityLeewaySeconds)
      .setJti(key ?? crypto.randomUUID())
    if (values.endUserRef !== null) token.setSubject(values.endUserRef)
    return { [IDENTITY_HEADER]: await token.sign(signer.secret) }
  }
}

/** The newest valid key, which is looked up once a minute, not for each call. */
function keyOf(ctx: Pick<Context, "keyRing" | "db" | "clock" | "log">): Promise<SigningKey | null> {
  const now = ctx.clock.now().getTime()
  const known = kept.get(ctx.keyRing)
  if (known && now < known.until) return known.key
  const key = findValidKey(ctx, "identity", (keyRing) => keyRing.derive("identity")).then((found) => {
    if (!found) ctx.log("error", "identity.unsigned", { cure: "npm run admin -- worker-keys" })
    return found
  })
  kept.set(ctx.keyRing, { key, until: now + KEY_MS })
  key.catch(() => kept.delete(ctx.keyRing))
  return key
}

/** Whole bytes of the header up to the key's id, so every token begins with it. */
const BEGINNING = Buffer.from(`{"alg":"EdDSA","typ":"${IDENTITY_TYPE}","kid":"`).subarray(0, 51).toString("base64url")
const TOKEN = new RegExp(`${BEGINNING}[\\w-]*\\.[\\w-]+\\.[\\w-]+`, "g")

/** Masks tokens in a text that a server has sent, which may repeat its request. */
export const maskIdentity = (text: string, mask: string): string => text.replace(TOKEN, mask)

import { createHash, randomBytes } from "node:crypto"
import * as z from "zod"
import type { Credential, KeyCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { RIGHTS, type Right } from "../base/member-roles.ts"
import type { Redis } from "../platform/redis.ts"
import { PORTAL_LANGS, PORTAL_MODES, PORTAL_SCOPES, type PortalScope, type ShownFrame } from "./answers.ts"
import { PORTAL_POLICY } from "./policies.ts"

/** A page of the portal with the rights of the credential that made it, as they are at each look. */
export interface Portal {
  ref: string
  scopes: readonly PortalScope[]
  /** The facts of the profile that the end user may change. */
  profileKeys: readonly string[]
  /** An erasure of the end user from then on ends the session. */
  since: Date
  until: Date
  /** True for the preview of a signed-in owner, which decides nothing. */
  preview: boolean
  credential: Credential
}

type PortalContext = Pick<Context, "keyRing" | "clock">

const PREFIX = "portal_"
/** The database stores none of them: a frame is in the page's path, and Redis has a grant until its code is used. */
const target = (column: "frame" | "grant" | "token") => ({ table: "portal_sessions", column, row: "", owner: "" })

const credentialSchema = z.union([
  z.strictObject({ kind: z.literal("key"), hash: z.string(), test: z.boolean() }),
  z.strictObject({
    kind: z.literal("session"),
    token: z.string(),
    test: z.boolean(),
    acting: z.literal(true).optional(),
    proved: z.literal(true).optional(),
    page: z.strictObject({ user: z.int(), account: z.int().nullable() }).optional(),
    needs: z.enum(Object.keys(RIGHTS) as [Right, ...Right[]]).optional(),
  }),
])

const portalSchema = z.tuple([
  z.string(),
  z.array(z.enum(PORTAL_SCOPES)),
  z.int(),
  z.int(),
  z.boolean(),
  credentialSchema,
  // Sessions from before the last release have none.
  z.array(z.string()).optional(),
])

const frameSchema = z.tuple([
  z.array(z.string()),
  z.object({ light: z.string().optional(), dark: z.string().optional() }),
  z.string().nullable(),
  z.enum(PORTAL_MODES),
  z.string().nullable(),
  // Sessions from before the last release have none.
  z.enum(PORTAL_LANGS).nullable().optional(),
])

/** Opens a session: its page, and a code that is exchanged once. */
export async function openPortal(
  ctx: PortalContext,
  redis: Redis,
  portal: Portal,
  frame: ShownFrame,
): Promise<{ session: string; code: string }> {
  const { origins, accents, logo, mode, return_url, lang } = frame
  const framed: z.input<typeof frameSchema> = [[...origins], accents, logo, mode, return_url, lang]
  const session = await ctx.keyRing.seal(JSON.stringify(framed), target("frame"))
  const code = randomBytes(PORTAL_POLICY.codeBytes).toString("base64url")
  const ttlMs = portal.until.getTime() - ctx.clock.now().getTime()
  const grant = await ctx.keyRing.seal(JSON.stringify(contentOf(portal)), target("grant"))
  await redis.set(codeKey(session, code), grant, { ttlMs })
  return { session, code }
}

/** Opens the frame of a page without any I/O. Null: it is not ours. An expired session still has its frame. */
export async function readFrame(ctx: PortalContext, session: string): Promise<ShownFrame | null> {
  const text = await opened(ctx, session, "frame")
  if (text === null) return null
  const [origins, accents, logo, mode, return_url, lang = null] = frameSchema.parse(JSON.parse(text))
  return { origins, accents, logo, mode, return_url, lang }
}

/** Exchanges a code for a token: one of several callers gets it. PORTAL_SESSION_INVALID for every other. */
export async function exchangeCode(
  ctx: PortalContext,
  redis: Redis,
  { session, code }: { session: string; code: string },
): Promise<{ token: string; portal: Portal }> {
  // A stranger's guess costs no request to Redis.
  if (!/^[\w-]{43}$/.test(code) || (await readFrame(ctx, session)) === null) throw portalRefused()
  const grant = await redis.take(codeKey(session, code))
  const text = grant && (await opened(ctx, grant, "grant"))
  if (!text) throw portalRefused()
  const portal = portalOf(ctx, text)
  return { token: PREFIX + (await ctx.keyRing.seal(text, target("token"))), portal }
}

/** Opens a token without any I/O. PORTAL_SESSION_INVALID if it is not ours, or has expired. */
export async function readPortalToken(ctx: PortalContext, token: string): Promise<Portal> {
  const text = token.startsWith(PREFIX) ? await opened(ctx, token.slice(PREFIX.length), "token") : null
  if (text === null) throw portalRefused()
  return portalOf(ctx, text)
}

/** One error for all cases, so that it tells a stranger nothing. */
export const portalRefused = () =>
  new TurnpikeError("PORTAL_SESSION_INVALID", "This portal session has ended, or was never valid.")

/** Redis sees only a digest. A code belongs to one page, so it opens nothing under the frame of another session. */
const codeKey = (session: string, code: string) =>
  `portal:${createHash("sha256").update(`${session}#${code}`).digest("hex")}`

async function opened(
  ctx: PortalContext,
  sealed: string,
  column: Parameters<typeof target>[0],
): Promise<string | null> {
  if (sealed.length > PORTAL_POLICY.maxSessionChars) return null
  const answer = await ctx.keyRing.open(sealed, target(column)).catch(() => null)
  return answer?.text ?? null
}

function contentOf({
  ref,
  scopes,
  since,
  until,
  preview,
  credential,
  profileKeys,
}: Portal): z.input<typeof portalSchema> {
  // The preview of a member keeps the account of the member's page, and the right that each look needs again.
  const { needs: _needs, ...key } = credential
  const kept = credential.kind === "key" ? (key as KeyCredential) : credential
  return [ref, [...scopes], since.getTime(), until.getTime(), preview, kept, [...profileKeys]]
}

function portalOf(ctx: PortalContext, text: string): Portal {
  const [ref, scopes, since, until, preview, credential, profileKeys = []] = portalSchema.parse(JSON.parse(text))
  if (until <= ctx.clock.now().getTime()) throw portalRefused()
  return {
    ref,
    scopes,
    profileKeys,
    since: new Date(since),
    until: new Date(until),
    preview,
    credential: credential as Credential,
  }
}

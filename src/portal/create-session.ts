import * as z from "zod"
import type { KeyCredential, SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { profileKey } from "../base/profile.ts"
import { needsScopeAll } from "../end-users/get-end-user.ts"
import { takeOfAccount } from "../platform/rate-limit.ts"
import type { Redis } from "../platform/redis.ts"
import { resaleNeedsScopeAll } from "../resale/price.ts"
import { PORTAL_LANGS, PORTAL_SCOPES, type PortalLang } from "./answers.ts"
import { PORTAL_POLICY } from "./policies.ts"
import { openPortal, type Portal } from "./session.ts"
import { accentsOf, portalThemeSchema } from "./theme.ts"
import { isPlainHttp, originText, returnUrl } from "./web-addresses.ts"

const scopes = z
  .array(z.enum(PORTAL_SCOPES))
  .min(1)
  .max(PORTAL_SCOPES.length)
  .transform((list) => PORTAL_SCOPES.filter((scope) => list.includes(scope)))
  .meta({
    description:
      "What the end user sees. `usage`: the amounts charged, by day. `turns`: the turns with their texts. `limits`: what is left of " +
      "the daily and the monthly limit. `wallet`: the prepaid balance and its last entries. `approvals`: calls that wait for a " +
      "decision, with their inputs. The end user may allow or deny them. `profile`: the facts of `profile_keys`, which the end user " +
      "may change.",
    example: ["usage", "turns", "limits", "profile"],
  })

const profileKeys = z
  .array(profileKey)
  .max(PORTAL_POLICY.profileKeys)
  .refine((list) => new Set(list).size === list.length, "must name each key once")
  .default([])
  .meta({
    description: "The facts of their profile that the end user sees and may change, with the scope `profile`.",
    example: ["name", "time_zone"],
  })

const theme = portalThemeSchema.prefault({})
const lang = z.enum(PORTAL_LANGS).optional().meta({
  description: "The language of the page. Default: the language of the browser if the page has it, otherwise English.",
  example: "de",
})

export const createPortalSessionSchema = z
  .strictObject({
    scopes,
    profile_keys: profileKeys,
    expires_in: z
      .int()
      .min(PORTAL_POLICY.leastSeconds)
      .max(PORTAL_POLICY.mostSeconds)
      .default(PORTAL_POLICY.seconds)
      .meta({ description: "The session's life in seconds.", example: PORTAL_POLICY.seconds }),
    allowed_origins: z
      .array(originText)
      .max(PORTAL_POLICY.mostOrigins)
      .refine((list) => new Set(list).size === list.length, "must name each origin once")
      .default([])
      .meta({
        description:
          "The origins of the pages that may show the portal in a frame, and that get its messages. Default: none, so the portal " +
          "opens only as a page of its own. With a test key, `http://localhost` is also possible.",
        example: ["https://shop.example.com"],
      }),
    return_url: returnUrl.optional().meta({
      description: "Where the portal's link back leads. Default: no link.",
      example: "https://shop.example.com/account",
    }),
    theme,
    lang,
  })
  .meta({ id: "CreatePortalSession" })

export const previewPortalSchema = z
  .strictObject({ scopes, profile_keys: profileKeys, theme, lang })
  .meta({ id: "PreviewPortal" })

export const portalSessionSchema = z
  .object({
    url: z.string().meta({
      description: "The portal's address. It opens once, so create a session for each view.",
      example: "https://api.example.com/portal/view/k1.…#…",
    }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "PortalSession" })

interface Created {
  session: string
  code: string
  expiresAt: Date
}

/**
 * Opens a session of the portal for an end user, with the rights of the key. Also for an end user without turns yet.
 * VALIDATION_FAILED for http outside of test mode, SCOPE_DENIED for
 * the wallet with a key that cannot access the whole account.
 */
export async function createPortalSession(
  ctx: Context,
  redis: Redis,
  credential: KeyCredential,
  { ref, body }: { ref: string; body: z.output<typeof createPortalSessionSchema> },
): Promise<Created> {
  const { scopes, profile_keys, expires_in, allowed_origins: origins, return_url = null, theme, lang = null } = body
  const plain = origins.findIndex(isPlainHttp)
  if (plain >= 0 && !credential.test) throw needsTestKey(`allowed_origins[${plain}]`)
  if (return_url !== null && isPlainHttp(return_url) && !credential.test) throw needsTestKey("return_url")
  return open(
    ctx,
    redis,
    { ref, scopes, profileKeys: profile_keys, credential, preview: false },
    { seconds: expires_in, origins, return_url, theme, lang },
  )
}

/** Opens a preview of the portal for a signed-in owner. Only the web app may frame it, and it decides nothing. */
export async function previewPortal(
  ctx: Context,
  redis: Redis,
  credential: SessionCredential,
  { ref, body, origin }: { ref: string; body: z.output<typeof previewPortalSchema>; origin: string },
): Promise<Created> {
  const { scopes, profile_keys, theme, lang = null } = body
  const shown = { seconds: PORTAL_POLICY.previewSeconds, origins: [origin], return_url: null, theme, lang }
  return open(ctx, redis, { ref, scopes, profileKeys: profile_keys, credential, preview: true }, shown)
}

interface Shown {
  seconds: number
  origins: readonly string[]
  return_url: string | null
  theme: z.output<typeof portalThemeSchema>
  lang: PortalLang | null
}

async function open(
  ctx: Context,
  redis: Redis,
  who: Pick<Portal, "ref" | "scopes" | "profileKeys" | "credential" | "preview">,
  { seconds, origins, return_url, theme, lang }: Shown,
): Promise<Created> {
  // Throws the refusal of a revoked key before anything is made.
  const { actor } = await readAs(ctx, who.credential, (db) => db.selectFrom("caller").select("caller.scope"))
  if (who.scopes.includes("profile") !== who.profileKeys.length > 0) throw needsBoth()
  if (who.scopes.includes("profile") && actor.scope !== "all") throw needsScopeAll("A portal with a profile")
  // A key grants only what it can read. The wallet belongs to the whole account.
  if (who.scopes.includes("wallet") && actor.scope !== "all") throw resaleNeedsScopeAll()
  const wait = await takeOfAccount(redis, "portal", actor.user_id, PORTAL_POLICY.opened)
  if (wait > 0) throw tooMany(wait)
  const since = ctx.clock.now()
  const until = new Date(since.getTime() + seconds * 1000)
  const frame = { origins, accents: accentsOf(theme), logo: theme.logo ?? null, mode: theme.mode, return_url, lang }
  return { ...(await openPortal(ctx, redis, { ...who, since, until }, frame)), expiresAt: until }
}

const tooMany = (retryAfter: number) =>
  new TurnpikeError("QUOTA_EXCEEDED", "The account opens too many sessions of the portal. Open one only for a view.", {
    details: { cap: "portal_sessions", limit: PORTAL_POLICY.opened.burst },
    retryAfter,
  })

const needsBoth = () =>
  new TurnpikeError(
    "VALIDATION_FAILED",
    "The scope `profile` needs `profile_keys`, and `profile_keys` need the scope.",
    {
      param: "profile_keys",
    },
  )

const needsTestKey = (param: string) =>
  new TurnpikeError("VALIDATION_FAILED", `${param} may use http only with a test key. Use https.`, { param })

import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { AuthContext } from "./auth-context.ts"

/** What the users of one brand see: its name, its landing page, its bot. */
export interface Brand {
  brand: string
  /** The landing page of a login without a `next`. */
  landing_path: string
  /** Without its @; null when the brand has no bot. */
  bot_username: string | null
  /** On the messaging platform. */
  bot_id: string | null
  /** Sealed: `openBrandSecret` opens them. */
  bot_token: string | null
  bot_webhook_secret: string | null
}

const NO_BOT = { landing_path: "/chat", bot_username: null, bot_id: null, bot_token: null, bot_webhook_secret: null }

/**
 * The brand that has this URL's host, with its port or without; the worker's own BRAND for any other host. Only hosts that Cloudflare's
 * routes name can arrive.
 */
export async function brandOf(ctx: Context, url: string): Promise<Brand> {
  const { host, hostname } = new URL(url)
  const own = (name: string) => JSON.stringify([name.toLowerCase()])
  const found = await ctx.db
    .selectFrom("brands as b")
    .select(["b.brand", "b.landing_path", "b.bot_username", "b.bot_id", "b.bot_token", "b.bot_webhook_secret"])
    .where((eb) =>
      eb.or([eb("b.hosts", "@>", own(host)), eb("b.hosts", "@>", own(hostname)), eb("b.brand", "=", ctx.brand)]),
    )
    .orderBy((eb) => eb("b.hosts", "@>", own(host)), "desc")
    .orderBy((eb) => eb("b.hosts", "@>", own(hostname)), "desc")
    .orderBy("b.brand")
    .limit(1)
    .executeTakeFirst()
  return found ?? { brand: ctx.brand, ...NO_BOT }
}

/** The columns of a brand that are sealed: each opens for its own brand and column only. */
export type SealedColumn = "bot_token" | "bot_webhook_secret"

export const brandSecretTarget = (brand: string, column: SealedColumn): SealTarget => ({
  table: "brands",
  column,
  row: brand,
  owner: brand,
})

/** A brand's secret, opened, or null when it has none. Seals it again, in the background, under the newest key of the ring. */
export async function openBrandSecret(ctx: Context, brand: Brand, column: SealedColumn): Promise<string | null> {
  const sealed = brand[column]
  if (sealed === null) return null
  const { text, stale } = await ctx.keyRing.open(sealed, brandSecretTarget(brand.brand, column))
  if (stale) ctx.background(rewrap(ctx, { brand: brand.brand, column, old: sealed, text }))
  return text
}

interface Stale {
  brand: string
  column: SealedColumn
  old: string
  text: string
}

async function rewrap(ctx: Context, { brand, column, old, text }: Stale): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, brandSecretTarget(brand, column))
    await call(ctx.db, "reseal_brand", { brand, column, old, sealed })
  } catch (error) {
    ctx.log("error", "brand.rewrap_failed", { brand, column, error: describeError(error) })
  }
}

/** A brand's bot on the messaging platform. */
interface Bot {
  brand: string
  /** Without its @. */
  username: string
  token: string
}

/** The bot of the brand of this URL's host. BOT_NOT_SET_UP. */
export async function botOf(ctx: AuthContext, url: string): Promise<Bot> {
  const brand = await brandOf(ctx, url)
  const token = await openBrandSecret(ctx, brand, "bot_token")
  if (!token || !brand.bot_username) {
    throw new TurnpikeError("BOT_NOT_SET_UP", "The brand of this host has no bot: sign in another way.")
  }
  return { brand: brand.brand, username: brand.bot_username, token }
}

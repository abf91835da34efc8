import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { AuthContext } from "./auth-context.ts"

/** The parts of a brand that a request needs: name, landing page and bot. */
export interface Brand {
  brand: string
  /** The path where a login without `next` ends. */
  landing_path: string
  /** Without the leading @; null if the brand has no bot. */
  bot_username: string | null
  /** The bot's id on the messaging platform. */
  bot_id: string | null
  /** Sealed. `openBrandSecret` opens both secrets. */
  bot_token: string | null
  bot_webhook_secret: string | null
}

const NO_BOT = { landing_path: "/chat", bot_username: null, bot_id: null, bot_token: null, bot_webhook_secret: null }

/**
 * The brand with the host of this URL, with or without the port; any other host gets the worker's
 * BRAND. Only hosts that Cloudflare's routes name can arrive.
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

/** The sealed columns of a brand. Each value opens only for its own brand and column. */
export type SealedColumn = "bot_token" | "bot_webhook_secret"

export const brandSecretTarget = (brand: string, column: SealedColumn): SealTarget => ({
  table: "brands",
  column,
  row: brand,
  owner: brand,
})

/** Opens a brand's secret; null if the brand has none. In the background, seals it again if a newer key exists. */
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
  /** Without the leading @. */
  username: string
  token: string
}

/** The bot of this host's brand. Throws BOT_NOT_SET_UP. */
export async function botOf(ctx: AuthContext, url: string): Promise<Bot> {
  const brand = await brandOf(ctx, url)
  const token = await openBrandSecret(ctx, brand, "bot_token")
  if (!token || !brand.bot_username) {
    throw new TurnpikeError("BOT_NOT_SET_UP", "The brand of this host has no bot: sign in another way.")
  }
  return { brand: brand.brand, username: brand.bot_username, token }
}

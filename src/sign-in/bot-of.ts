import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { brandOf, openBrandSecret } from "./brand-of.ts"

/** A brand's bot on the messaging platform. */
export interface Bot {
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

import type { Context } from "../actor/context.ts"
import { secretPlace } from "../agent-config/secret.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { createSecrets, type Secrets } from "./secrets.ts"

/** Decrypts a space's secrets. What an older key of the ring sealed is sealed again under the newest, in the background. */
export async function openSecrets(
  ctx: Context,
  { spaceId, slug, sealed }: { spaceId: number; slug: string; sealed: Record<string, string> },
): Promise<Secrets> {
  const opened = await Promise.all(
    Object.entries(sealed).map(async ([name, box]) => {
      const { text, stale } = await ctx.keyRing.open(box, secretPlace(slug, name))
      if (stale) ctx.background(rewrap(ctx, { spaceId, slug, name, old: box, text }))
      return [name, text] as const
    }),
  )
  return createSecrets(Object.fromEntries(opened))
}

async function rewrap(
  ctx: Context,
  { spaceId, slug, name, old, text }: { spaceId: number; slug: string; name: string; old: string; text: string },
): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, secretPlace(slug, name))
    await call(ctx.db, "reseal_secret", { space_id: spaceId, name, old, sealed })
  } catch (error) {
    ctx.log("error", "secret.rewrap_failed", { space: slug, error: describeError(error) })
  }
}

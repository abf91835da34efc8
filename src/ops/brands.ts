import { randomBytes } from "node:crypto"
import type { SystemContext } from "../actor/context.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { callOne } from "../platform/db.ts"
import { brandSecretTarget, type SealedColumn } from "../sign-in/brand-of.ts"
import { safeNext } from "../sign-in/safe-next.ts"

interface BrandChange {
  brand: string
  /** Replaces all hosts of the brand. */
  hosts?: string[]
  landingPath?: string
  botUsername?: string
  botToken?: string
  /** The key ring that encrypts the bot's secrets (SECRETS_KEYS). */
  keys: string | undefined
}

/**
 * Creates or changes a brand; omitted fields stay. A new bot token also creates a new webhook secret, which is returned
 * once. Throws if another brand has one of the hosts.
 */
export async function putBrand(ctx: SystemContext, { brand, hosts, keys, ...change }: BrandChange): Promise<string> {
  if (change.landingPath !== undefined && safeNext(change.landingPath, "https://own.test") !== change.landingPath) {
    throw new Error("--landing must be a path of the web app, such as /chat.")
  }
  const webhookSecret = change.botToken === undefined ? undefined : randomBytes(32).toString("base64url")
  const seal = async (text: string | undefined, column: SealedColumn) => {
    if (text === undefined) return null
    if (!keys)
      throw new Error("Set SECRETS_KEYS to the key ring of the workers, because the bot's token is stored encrypted.")
    return createKeyRing(parseKeyRing(keys)).seal(text, brandSecretTarget(brand, column))
  }
  const { seen, refused } = await callOne(ctx.db, "put_brand", {
    brand,
    hosts: hosts?.map(hostOf) ?? null,
    landing_path: change.landingPath ?? null,
    bot_username: change.botUsername?.replace(/^@/, "") ?? null,
    bot_id: /^(\d{1,20}):/.exec(change.botToken ?? "")?.[1] ?? null,
    bot_token: await seal(change.botToken, "bot_token"),
    bot_webhook_secret: await seal(webhookSecret, "bot_webhook_secret"),
    request_id: ctx.requestId,
    address: ctx.address,
    moment: ctx.clock.now(),
  })
  if (refused) throw new Error("Another brand has one of these hosts.")
  const secret = webhookSecret ? `\nwebhook secret ${webhookSecret} (shown once)` : ""
  return `${JSON.stringify(seen, null, 2)}${secret}`
}

/** The host as requests have it: `app.example.com`, with the port if there is one. */
function hostOf(text: string): string {
  const url = URL.parse(`https://${text.trim()}`)
  if (url?.href !== `https://${url?.host}/`) {
    throw new Error(`"${text}" is not a host, such as app.example.com or 127.0.0.1:8787.`)
  }
  return url.host
}

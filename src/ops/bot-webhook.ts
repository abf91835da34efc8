import type { SystemContext } from "../actor/context.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"
import { brandSecretTarget, type SealedColumn } from "../sign-in/brand-of.ts"
import { BOT_POLICY } from "../sign-in/policies.ts"

interface BotWebhook {
  brand: string
  /** The host that receives the updates; null for the brand's first host. */
  host: string | null
  /** The key ring that decrypts the bot's secrets (SECRETS_KEYS). */
  keys: string | undefined
  /** The address of the Bot API (BOT_API_URL). */
  apiUrl: string
  fetch: typeof fetch
}

/**
 * Registers the webhook of a brand's bot and its secret at the messaging platform. Returns the webhook's address.
 * Errors contain the platform's text but never the bot's token, which is part of the called URL.
 */
export async function setBotWebhook(
  ctx: SystemContext,
  { brand, host, keys, apiUrl, fetch }: BotWebhook,
): Promise<string> {
  const row = await ctx.db
    .selectFrom("brands")
    .select(["hosts", "bot_token", "bot_webhook_secret"])
    .where("brand", "=", brand)
    .executeTakeFirst()
  const at = host ?? (row?.hosts as string[] | undefined)?.[0]
  if (!row?.bot_token) throw new Error(`The brand ${brand} has no bot. Add one with \`brand --bot-token\`.`)
  if (!at) throw new Error(`The brand ${brand} has no host. Name one with --host.`)
  if (!keys)
    throw new Error("Set SECRETS_KEYS to the key ring of the workers, because the bot's token is stored encrypted.")
  const ring = createKeyRing(parseKeyRing(keys))
  const open = async (column: SealedColumn) =>
    (await ring.open(String(row[column]), brandSecretTarget(brand, column))).text
  const url = `https://${at}/api/auth/bot`
  const answer = await fetch(`${apiUrl}/bot${await open("bot_token")}/setWebhook`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      url,
      secret_token: await open("bot_webhook_secret"),
      allowed_updates: BOT_POLICY.updates,
    }),
    signal: AbortSignal.timeout(TIME_LIMITS.botApiMs),
  })
    .then((response) => response.json() as Promise<{ ok: boolean; description?: string }>)
    .catch(() => ({ ok: false, description: "the Bot API does not respond" }))
  if (!answer.ok) throw new Error(`The webhook was not registered: ${answer.description ?? "the Bot API rejected it"}.`)
  return url
}

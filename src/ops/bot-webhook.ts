import type { SystemContext } from "../actor/context.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"
import { brandSecretTarget, type SealedColumn } from "../sign-in/brand-of.ts"
import { BOT_POLICY } from "../sign-in/policies.ts"

interface BotWebhook {
  brand: string
  /** The host whose worker answers; null: the brand's first host. */
  host: string | null
  /** The ring that seals the bot's secrets (SECRETS_KEYS). */
  keys: string | undefined
  /** The Bot API (BOT_API_URL). */
  apiUrl: string
  fetch: typeof fetch
}

/**
 * Sets the webhook of a brand's bot at the messaging platform, with its secret. Returns the address. Throws the platform's error, and
 * never shows the bot's token, which is part of the called URL.
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
  if (!row?.bot_token) throw new Error(`The brand ${brand} has no bot: give it one with \`brand --bot-token\`.`)
  if (!at) throw new Error(`The brand ${brand} has no host: name one with --host.`)
  if (!keys) throw new Error("Set SECRETS_KEYS to the key ring of the workers: the bot's token is stored sealed.")
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
    .catch(() => ({ ok: false, description: "the Bot API does not answer" }))
  if (!answer.ok) throw new Error(`The webhook is not set: ${answer.description ?? "the Bot API refuses it"}.`)
  return url
}

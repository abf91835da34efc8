import { randomBytes } from "node:crypto"
import { brandSecretPlace, type SealedColumn } from "../identity/brand-of.ts"
import { safeNext } from "../identity/safe-next.ts"
import { createKeyRing, parseKeyRing } from "../platform/key-ring.ts"
import type { RunSql } from "./seed.ts"

interface BrandChange {
  brand: string
  /** In place of all that it had. */
  hosts?: string[]
  landingPath?: string
  botUsername?: string
  botToken?: string
  /** The ring that seals the bot's secrets (SECRETS_KEYS). */
  keys: string | undefined
  now: Date
}

/**
 * Makes or changes a brand; what is left out stays. With a new bot token its webhook gets a new secret, which is returned once.
 * Throws when another brand has one of the hosts.
 */
export async function putBrand(sql: RunSql, { brand, hosts, now, keys, ...change }: BrandChange): Promise<string> {
  if (change.landingPath !== undefined && safeNext(change.landingPath, "https://own.test") !== change.landingPath) {
    throw new Error("--landing takes a path of our own, such as /chat.")
  }
  const webhookSecret = change.botToken === undefined ? undefined : randomBytes(32).toString("base64url")
  const seal = async (text: string | undefined, column: SealedColumn) => {
    if (text === undefined) return null
    if (!keys) throw new Error("Set SECRETS_KEYS to the key ring of the workers: the bot's token is stored sealed.")
    return createKeyRing(parseKeyRing(keys)).seal(text, brandSecretPlace(brand, column))
  }
  const rows = await sql(
    `with before as materialized (select to_jsonb(b) - 'bot_token' - 'bot_webhook_secret' as seen from brands b where brand = $1),
     put as (
       insert into brands as b (brand, hosts, landing_path, bot_username, bot_token, bot_webhook_secret, created_at, updated_at)
       select $1, coalesce($2::jsonb, '[]'), coalesce($3, '/chat'), $4, $5, $6, $7::timestamptz, $7::timestamptz
       where not exists (select 1 from brands o where o.brand <> $1
         and o.hosts ?| array(select jsonb_array_elements_text(coalesce($2::jsonb, '[]'))))
       on conflict (brand) do update set hosts = coalesce($2::jsonb, b.hosts), landing_path = coalesce($3, b.landing_path),
         bot_username = coalesce($4, b.bot_username), bot_token = coalesce($5, b.bot_token),
         bot_webhook_secret = coalesce($6, b.bot_webhook_secret), updated_at = excluded.updated_at
       returning to_jsonb(b) - 'bot_token' - 'bot_webhook_secret' as seen
     ), audited as (
       insert into audit_log (action, subject_type, subject_id, before, after, created_at)
       select 'brand.put', 'brand', $1, (select seen from before),
         put.seen || jsonb_build_object('bot_token_set', $5::text is not null), $7::timestamptz from put
     ) select seen from put`,
    [
      brand,
      hosts ? JSON.stringify(hosts.map(hostOf)) : null,
      change.landingPath ?? null,
      change.botUsername?.replace(/^@/, "") ?? null,
      await seal(change.botToken, "bot_token"),
      await seal(webhookSecret, "bot_webhook_secret"),
      now.toISOString(),
    ],
  )
  if (!rows[0]) throw new Error("Another brand has one of these hosts.")
  const secret = webhookSecret ? `\nwebhook secret ${webhookSecret} (shown once)` : ""
  return `${JSON.stringify(rows[0].seen, null, 2)}${secret}`
}

/** A host as requests name it: `app.example.com`, with a port if it has one. */
function hostOf(text: string): string {
  const url = URL.parse(`https://${text.trim()}`)
  if (url?.href !== `https://${url?.host}/`) {
    throw new Error(`"${text}" is not a host, such as app.example.com or 127.0.0.1:8787.`)
  }
  return url.host
}

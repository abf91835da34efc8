import { createHash } from "node:crypto"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { connectOwner } from "../ops/connect-owner.ts"
import { sealCredential } from "../providers/credential.ts"
import { DEMO_ACCOUNTS } from "./provider-oauth.ts"
import type { LocalProvider } from "./provider-server.ts"

/** The value of PROVIDER_LOGINS: how the accounts of each pool log in at the demo's provider. */
export function providerLogins({ url }: Pick<LocalProvider, "url">): string {
  const common = {
    token_endpoint: `${url}/oauth/token`,
    client_id: "demo",
    base_url: `${url}/v1`,
    account: { in: "answer", path: ["account", "uuid"] },
    label: { in: "answer", path: ["account", "email_address"] },
  }
  const byCode = { ...common, authorization_endpoint: `${url}/oauth/authorize` }
  return JSON.stringify({
    main: { ...byCode, engine: "anthropic", redirect_uri: `${url}/oauth/code` },
    "alt-pool": { ...common, engine: "openai-compatible", device_authorization_endpoint: `${url}/oauth/device` },
    media: { ...byCode, engine: "openai-compatible", redirect_uri: "http://127.0.0.1:8798/callback" },
  })
}

const MODELS = [
  ["anthropic", "Demo, main pool"],
  ["openai-compatible", "Demo, alt-pool"],
] as const

/** Adds two accounts and a model to each pool once, so that changes by an operator are kept. */
export async function seedProviders(databaseUrl: string, provider: LocalProvider, keys: string): Promise<void> {
  const client = await connectOwner(databaseUrl)
  try {
    for (const [engine, label] of MODELS) {
      await client.query(
        `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
         values ($1, $2, 'demo', $3, true, 100, 10000000, 1000000, 50000000) on conflict (pin) do update set enabled = true`,
        [`${engine}/demo`, engine, label],
      )
    }
    const { rows } = await client.query(
      "select 1 from provider_accounts union all select 1 from former_providers limit 1",
    )
    if (rows.length > 0) return
    const keyRing = createKeyRing(parseKeyRing(keys))
    for (const [index, { id, email }] of DEMO_ACCOUNTS.entries()) {
      const [pool, kind, engine] =
        index < 2 ? ["main", "oauth_code", "anthropic"] : ["alt-pool", "oauth_device", "openai-compatible"]
      // The id that a login in the alt-pool derives, so that a new login updates this account.
      const providerId = pool === "main" ? id : `alt-${createHash("sha256").update(id).digest("hex").slice(0, 12)}`
      await client.query(
        `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, external_id, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, now(), now())`,
        [providerId, pool, email, kind, engine, `${provider.url}/v1`, id],
      )
      await client.query("insert into provider_states (provider_id) values ($1)", [providerId])
      const { access_token, refresh_token, expires_in } = provider.login(id)
      const credential = { kind: "oauth" as const, access_token, refresh_token, headers: {} }
      await client.query(
        `insert into provider_credentials (provider_id, sealed, expires_at, updated_at)
         values ($1, $2, now() + $3 * interval '1 second', now())`,
        [providerId, await sealCredential({ keyRing }, providerId, credential), expires_in],
      )
    }
  } finally {
    await client.end()
  }
}

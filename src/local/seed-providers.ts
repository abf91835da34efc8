import { createHash } from "node:crypto"
import { composed } from "../base/casts.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { COMPONENT_NAMES, type ComponentPrices, columnOf } from "../catalog/price-components.ts"
import { WHOLE_FACTOR } from "../catalog/price-terms.ts"
import { markedUp } from "../catalog/provider-prices.ts"
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

const NONE = composed<ComponentPrices>(Object.fromEntries(COMPONENT_NAMES.map((name) => [columnOf(name), null])))

/** The provider's prices of both models: 0.80 USD per million tokens of a prompt. The cached part and output differ. */
const PRICES = { ...NONE, price_input: 8_000_000, price_cached: 800_000, price_output: 40_000_000 }
const LONG_PROMPTS = {
  ...PRICES,
  above_input_tokens: 6_000,
  price_input: 16_000_000,
  price_cached: 1_600_000,
  price_output: 60_000_000,
}
const MARKUP = { ten_thousandths: 2_500, per_million: 0 }

const MODELS = [
  ["anthropic", "Demo, main pool", { ...PRICES, price_tiers: null, price_modifiers: null }],
  [
    "openai-compatible",
    "Demo, alt-pool",
    { ...PRICES, price_tiers: [LONG_PROMPTS], price_modifiers: { flex: WHOLE_FACTOR / 2 } },
  ],
] as const

/** Adds two accounts and a model to each pool once, so that changes by an operator are kept. */
export async function seedProviders(databaseUrl: string, provider: LocalProvider, keys: string): Promise<void> {
  const client = await connectOwner(databaseUrl)
  try {
    for (const [engine, label, listed] of MODELS) {
      await client.query(
        `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output,
           price_tiers, price_modifiers, provider_prices, price_markup)
         select $1, $2, 'demo', $3, true, 100, p.price_input, p.price_cached, p.price_output, p.price_tiers, p.price_modifiers,
           $5, $6
         from jsonb_populate_record(null::model_catalog, $4) p
         on conflict (pin) do update set enabled = true`,
        [`${engine}/demo`, engine, label, markedUp(listed, MARKUP), listed, MARKUP],
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

import { priceRowOf, type UsdPrices } from "../catalog/price-components.ts"
import { call, type Database } from "../platform/db.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/** A model for which the environment has credentials. Prices are in USD per million tokens. */
export interface ConfiguredModel {
  engine: "anthropic" | "openai" | "openai-compatible"
  model: string
  label: string
  usd: UsdPrices
}

type Environment = Record<string, string | undefined>

/**
 * The models for which ANTHROPIC_API_KEY, OPENAI_API_KEY and OPENAI_BASE_URL give credentials. TURNPIKE_MODEL replaces
 * the default model. The default of a compatible server is the first model that it lists.
 */
export async function configuredModels(env: Environment): Promise<ConfiguredModel[]> {
  const models: ConfiguredModel[] = []
  if (env.OPENAI_BASE_URL) {
    const model = env.TURNPIKE_MODEL ?? (await firstModelOf(env.OPENAI_BASE_URL, env.OPENAI_API_KEY))
    const usd = { input: 0.1, cached: 0.05, output: 0.4 }
    models.push({ engine: "openai-compatible", model, label: `${model} at ${new URL(env.OPENAI_BASE_URL).host}`, usd })
  } else if (env.OPENAI_API_KEY) {
    const model = env.TURNPIKE_MODEL ?? "gpt-5-mini"
    models.push({ engine: "openai", model, label: model, usd: { input: 0.25, cached: 0.025, output: 2 } })
  }
  if (env.ANTHROPIC_API_KEY) {
    const model = (models.length === 0 && env.TURNPIKE_MODEL) || "claude-haiku-4-5"
    models.push({
      engine: "anthropic",
      model,
      label: model,
      usd: { input: 1, cached: 0.1, output: 5, cache_write: 1.25, cache_write_hour: 2 },
    })
  }
  return models
}

async function firstModelOf(baseUrl: string, apiKey: string | undefined): Promise<string> {
  const url = `${baseUrl.replace(/\/+$/, "")}/models`
  const how = "Set TURNPIKE_MODEL to the model's name, or check OPENAI_BASE_URL."
  const response = await fetch(url, {
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    signal: AbortSignal.timeout(TIME_LIMITS.modelListMs),
  }).catch((error: unknown) => {
    throw new Error(`${url} does not respond. ${how}`, { cause: error })
  })
  const list = (await response.json().catch(() => null)) as { data?: { id?: string }[] } | null
  const id = list?.data?.[0]?.id
  if (!id) throw new Error(`${url} returned no model (HTTP ${response.status}). ${how}`)
  return id
}

/** Disables every provider model that is not in `models`, because there are no credentials for it any more. */
export async function disableOtherModels(db: Database, models: ConfiguredModel[]): Promise<void> {
  await call(db, "disable_other_models", { pins: models.map(({ engine, model }) => `${engine}/${model}`) })
}

/** Prices that are the provider's and ours, without tiers and factors. */
const versionOf = (usd: UsdPrices) => ({
  ...priceRowOf(usd),
  price_tiers: null,
  price_modifiers: null,
  provider_prices: null,
  price_markup: null,
})

/** Puts the models of the environment at the start of the catalog. Rows that an admin has changed stay as they are. */
export async function enableModels(db: Database, models: ConfiguredModel[], now: Date): Promise<void> {
  for (const [index, { engine, model, label, usd }] of models.entries()) {
    const row = { engine, model, label, sort_order: index, prices: versionOf(usd), idle_seconds: null }
    await call(db, "enable_model", { ...row, keep_edits: true, moment: now })
  }
}

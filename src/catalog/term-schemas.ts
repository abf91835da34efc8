import * as z from "zod"
import { isUsualTier } from "../agent/answer-terms.ts"
import { composed, storedRow } from "../base/casts.ts"
import { MICROS_PER_USD } from "../base/money.ts"
import { columnOf, type PriceFields, TOKEN_COMPONENTS, usdOf } from "./price-components.ts"
import { PRICE_EXAMPLES, shownPricesSchema, tokenPricesSchema } from "./price-schemas.ts"
import { type PriceTerms, type PriceTier, TERM_LIMITS, WHOLE_FACTOR } from "./price-terms.ts"

const above = z.int().min(1).max(100_000_000)
const aboveMeta = {
  description: "Its prices count for the whole call if the prompt has more tokens than this, cached ones included.",
  example: 200_000,
}
const tiersMeta = {
  description: "Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`.",
  example: [{ above_input_tokens: 200_000, ...PRICE_EXAMPLES }],
}
const modifiersMeta = {
  description:
    "Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), " +
    "`fast`, or `geo_` and a region (`geo_us`).",
  example: { flex: 0.5, priority: 2 },
}

const tiers = z
  .array(tokenPricesSchema.extend({ above_input_tokens: above.meta(aboveMeta) }).meta({ id: "ModelPriceTier" }))
  .max(TERM_LIMITS.tiers)
  .refine(
    (all) => all.every(({ above_input_tokens }, at) => above_input_tokens > (all[at - 1]?.above_input_tokens ?? -1)),
    {
      message: "must be in the order of above_input_tokens, each higher than the one before",
    },
  )
  .default([])
  .meta(tiersMeta)

const factor = z
  .number()
  .gt(0)
  .max(TERM_LIMITS.factor)
  .refine((value) => Math.round(value * WHOLE_FACTOR) / WHOLE_FACTOR === value, {
    message: "must have at most four decimals",
  })
const modifierName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/)
  .refine((name) => !isUsualTier(name), { message: "is a service tier that has the model's own prices" })
const modifiers = z
  .record(modifierName, factor)
  .refine((all) => Object.keys(all).length <= TERM_LIMITS.modifiers, {
    message: `must have at most ${TERM_LIMITS.modifiers} names`,
  })
  .default({})
  .meta(modifiersMeta)

/** The terms among the prices that a request sets. */
export const termFields = { tiers, modifiers }
/** The same in a row of the catalog. */
export const rowTermFields = { price_tiers: tiers, price_modifiers: modifiers }

type Terms = { [Name in keyof typeof termFields]?: z.output<(typeof termFields)[Name]> }

/** The columns of terms. */
export function termRowOf({ tiers: all = [], modifiers: factors = {} }: Terms): PriceTerms {
  const micros = (usd: number | null) => (usd === null ? null : Math.round(usd * MICROS_PER_USD))
  const stored = all.map(({ above_input_tokens, ...usd }) =>
    composed<PriceTier>({
      above_input_tokens,
      ...Object.fromEntries(TOKEN_COMPONENTS.map((name) => [columnOf(name), micros(usd[name])])),
    }),
  )
  const names = Object.entries(factors).map(([name, value]) => [name, Math.round(value * WHOLE_FACTOR)])
  return {
    price_tiers: stored.length > 0 ? stored : null,
    price_modifiers: names.length > 0 ? Object.fromEntries(names) : null,
  }
}

export const shownTermFields = {
  price_tiers: z
    .array(shownPricesSchema.extend({ above_input_tokens: z.int().meta(aboveMeta) }).meta({ id: "ShownPriceTier" }))
    .meta(tiersMeta),
  price_modifiers: z.record(z.string(), z.number()).meta(modifiersMeta),
}

type ShownTerms = { [Name in keyof typeof shownTermFields]: z.infer<(typeof shownTermFields)[Name]> }

/** Terms as the catalog shows them. */
export function serializeTerms(row: { price_tiers: unknown; price_modifiers: unknown }): ShownTerms {
  const { price_tiers, price_modifiers } = storedRow<PriceTerms>(row)
  const usd = (tier: PriceTier) =>
    composed<PriceFields<number, number | null>>(
      Object.fromEntries(TOKEN_COMPONENTS.map((name) => [name, usdOf(tier[columnOf(name)])])),
    )
  return {
    price_tiers: (price_tiers ?? []).map((tier) => ({ above_input_tokens: tier.above_input_tokens, ...usd(tier) })),
    price_modifiers: Object.fromEntries(
      Object.entries(price_modifiers ?? {}).map(([name, value]) => [name, value / WHOLE_FACTOR]),
    ),
  }
}

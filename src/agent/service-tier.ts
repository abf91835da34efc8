import { isUsualTier } from "./answer-terms.ts"
import type { EngineName, ModelError, ServiceTier } from "./engine.ts"

/** OpenAI has two words for one tier, and its answers have either (developers.openai.com/api/docs/guides/fast-mode). */
export const ONE_TIER: readonly string[] = ["priority", "fast"]

/** The names that an answer can give to a tier that was asked for. None: the model's own prices apply. */
export function namesOfTier(tier: string | undefined): readonly string[] {
  if (tier === undefined || isUsualTier(tier)) return []
  return ONE_TIER.includes(tier) ? ONE_TIER : [tier]
}

/**
 * Anthropic's options for a tier. Its priority tier is capacity that an account has bought, which `auto` uses
 * (platform.claude.com/docs/en/api/service-tiers), and its fast mode is a speed. It has no other tier.
 */
const ANTHROPIC = {
  auto: { serviceTier: "auto" },
  priority: { serviceTier: "auto" },
  default: { serviceTier: "standard_only" },
  fast: { speed: "fast" },
} as const

/** The options of the SDK that ask Anthropic for a tier. Null: Anthropic has no such tier. */
export const anthropicTier = (tier: ServiceTier) =>
  tier in ANTHROPIC ? ANTHROPIC[tier as keyof typeof ANTHROPIC] : null

/**
 * The field of a request that asks for a tier, by OpenAI's word. The SDK would leave it out for models that it does not
 * know. Groq, xAI and OpenRouter have the same field.
 */
export const tierField = (engine: EngineName, tier: ServiceTier | undefined) =>
  engine === "anthropic" || tier === undefined ? null : { service_tier: tier }

/** The names of a tier in refusals. */
export const isTierName = (parameter: string) => /^(service_tier|speed)\b/.test(parameter)

/** True if a provider has no room in a flexible tier: OpenAI answers 429, and Groq 498. It charges nothing. */
export const lacksRoom = (tier: ServiceTier | undefined, { status, message, whole }: ModelError) =>
  tier === "flex" && (status === 498 || (status === 429 && /resource.unavailable/i.test(`${whole ?? ""} ${message}`)))

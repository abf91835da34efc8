export const PRICE_FEED_POLICY = {
  /** The number of days before a model's retirement from which it is a finding. */
  retirementDays: 90,
  /** The catalog is compared once a week, in milliseconds. */
  checkEveryMs: 7 * 86_400_000,
  /** The most models that an alert names. */
  mostNamed: 20,
} as const

/** The engines whose models the price feed has. A compatible server can be of any provider, with prices of its own. */
export const FEED_ENGINES: readonly string[] = ["anthropic", "openai"]

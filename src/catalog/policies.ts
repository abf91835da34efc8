export const PRICE_FEED_POLICY = {
  /** The number of days before a model's retirement from which it is a finding. */
  retirementDays: 90,
} as const

/** The numbers of caps (docs/architecture/quotas.md). */
export const QUOTA_POLICY = {
  /** A cap or a balance is at its end when not even a turn with so long a text is accepted. */
  shortTextBytes: 1000,
  /** Days after their begin for which counters are kept. A window has at most 31. */
  shortDays: 40,
  monthDays: 400,
  sweepBatch: 5000,
  sweepBatches: 20,
} as const

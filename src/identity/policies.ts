/** The numbers of keys and requests. */
export const IDENTITY_POLICY = {
  /** So long at least a repeat under the same Idempotency-Key is told from a new request; those of turns never end. */
  idempotencyKeyDays: 7,
  sweepBatch: 5_000,
  sweepBatches: 20,
} as const

/** The most rows that the first steps of an account look at (src/home/get-setup.ts). */
export const SETUP_POLICY = {
  keys: 50,
  /** The end users whose totals are summed. An account with more of them is in use. */
  endUsers: 1_000,
  spaces: 1_000,
  refused: 10,
  refusedDays: 7,
  /** An account with this many done turns of its keys needs no guide. */
  turnsInUse: 100,
} as const

/** When something needs an owner (src/home/get-attention.ts). Times are in milliseconds. */
export const ATTENTION_POLICY = {
  /** The most items of a kind. */
  each: 5,
  /** The newest events, and turns that were not done, that are looked at. */
  lookedAt: 20,
  /** A cap needs the owner when this part of it is used. */
  capPercent: 80,
  /** Turns fail if this many of those that ended in this time have failed, and this share of them. */
  failedMs: 3_600_000,
  failedTurns: 5,
  failedShare: 0.2,
  /** How long before its end a key is told, and how long a declined refund is. */
  keyMs: 7 * 86_400_000,
  refundMs: 7 * 86_400_000,
} as const

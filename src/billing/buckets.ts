/** The reasons for adding credit. Only `admin_action` can also take credit back. */
export const CREDIT_REASONS = [
  "admin_grant",
  "admin_action",
  "operator_topup",
  "signup_credit",
  "referral_signup_credit",
  "manual_topup",
  "credit_purchase",
] as const

/** The reasons of all ledger entries (docs/contract.md). */
export const LEDGER_REASONS = [...CREDIT_REASONS, "usage", "space_usage", "referral_credit_commission"] as const

export type LedgerReason = (typeof LEDGER_REASONS)[number]

export type CreditReason = (typeof CREDIT_REASONS)[number]

/** The reason of an entry in reports, as reported_reason() returns it: a correction that names a turn is its refund. */
export type ReportedReason = LedgerReason | "refund"

export const reportedReason = ({
  reason,
  turn_id,
}: {
  reason: LedgerReason
  turn_id: string | null
}): ReportedReason => (reason === "admin_action" && turn_id !== null ? "refund" : reason)

/**
 * The buckets of reports (docs/contract.md). An entry is in the bucket of its
 * reason if its amount has that bucket's sign. Commissions have no amount, and
 * corrections that take credit back have the wrong sign, so both are in no bucket.
 */
export const BUCKETS = {
  free: { reasons: ["admin_grant", "admin_action", "operator_topup"], sign: 1 },
  bonus: { reasons: ["signup_credit", "referral_signup_credit"], sign: 1 },
  paid: { reasons: ["manual_topup", "credit_purchase"], sign: 1 },
  refunded: { reasons: ["refund"], sign: 1 },
  spent: { reasons: ["usage", "space_usage"], sign: -1 },
} as const satisfies Record<string, { reasons: ReportedReason[]; sign: 1 | -1 }>

export type LedgerBucket = keyof typeof BUCKETS

export const BUCKET_NAMES = Object.keys(BUCKETS) as [LedgerBucket, ...LedgerBucket[]]

export function bucketOf({ reason, amount }: { reason: ReportedReason; amount: number | null }): LedgerBucket | null {
  const inBucket = (name: LedgerBucket) => {
    const { reasons, sign } = BUCKETS[name]
    return (reasons as readonly ReportedReason[]).includes(reason) && amount !== null && amount * sign > 0
  }
  return BUCKET_NAMES.find(inBucket) ?? null
}

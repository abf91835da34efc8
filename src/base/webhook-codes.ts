/** The codes of the table (./errors.ts) about endpoints of webhooks. */
export const WEBHOOK_CODES = {
  WEBHOOK_DISABLED: {
    status: 409,
    retryable: false,
    cause: "The webhook is disabled: you disabled it, or all its deliveries failed for too long.",
    cure: 'Fix the receiver, then `PATCH` the webhook with `{"enabled": true}`.',
  },
  WEBHOOK_EXISTS: {
    status: 409,
    retryable: false,
    cause: "The account already has a webhook for this URL. Each URL receives an event once.",
    cure: "Change that webhook (`PATCH`), or delete it first. A retry with the same Idempotency-Key returns the webhook that the first request created.",
  },
} as const

// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** When each type of event is sent. */
export const EVENT_LABELS = {
  "turn.queued": "A turn was accepted",
  "turn.running": "A turn has begun to run",
  "turn.done": "A turn is done",
  "turn.failed": "A turn has failed",
  "turn.cancelled": "A turn was cancelled",
  "balance.low": "The balance is below its alert",
  "balance.depleted": "The balance is used up",
  "cap.reached": "A share of a cap is spent",
  "endpoint.disabled": "Another webhook was disabled",
  "account.signed_in": "Somebody has signed in from a new place",
  "account.locked": "Sign-in is locked after wrong passwords",
  "account.factor_changed": "A factor of the sign-in was changed",
  "key.created": "An API key was created or rotated",
  "space.shared": "More people see spaces of the account",
  "ping": "A test of the webhook, and the first message to a new one",
} as const

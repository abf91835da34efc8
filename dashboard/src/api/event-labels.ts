// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** When each type of event is sent. */
export const EVENT_LABELS = {
  "turn.queued": "A turn was accepted",
  "turn.running": "A turn started to run",
  "turn.waiting": "A turn waits for a limit, a decision or a result",
  "turn.resumed": "A waiting turn continues",
  "turn.done": "A turn is done",
  "turn.failed": "A turn has failed",
  "turn.cancelled": "A turn was cancelled",
  "call.decided": "A decision about a call was made",
  "balance.low": "The balance is low",
  "balance.depleted": "The balance is used up",
  "end_user.balance_low": "An end user's credit is low",
  "end_user.depleted": "An end user's credit is used up",
  "cap.reached": "A threshold of a cap was reached",
  "usage.posted": "A charge or a refund was posted to the ledger",
  "hour.closed": "An hour of the usage export is complete",
  "endpoint.disabled": "Another webhook was disabled",
  "account.signed_in": "Sign-in from a new place",
  "account.locked": "Sign-in was locked after wrong passwords",
  "account.factor_changed": "A sign-in method was changed",
  "key.created": "An API key was created or rotated",
  "key.revoked": "An API key was revoked",
  "mcp_server.failing": "An MCP server does not answer",
  "space.shared": "Spaces were shared with more people",
  "ping": "A test event, and the first event of a new webhook",
} as const

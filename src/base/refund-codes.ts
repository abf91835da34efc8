/** The codes of the table (./errors.ts) about refunds of turns. */
export const REFUND_CODES = {
  TURN_NOT_ENDED: {
    status: 409,
    retryable: true,
    cause: "The turn is still queued or running, so it has no bill and no receipt.",
    cure: "Wait until it has ended, or cancel it.",
  },
  TURN_NOT_BILLED: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The turn was billed nothing, so there is nothing to refund.",
    cure: "Check its `billed_cost_usd` and its entries in the ledger.",
  },
  TURN_REFUNDED: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The turn is already refunded.",
    cure: "Look for the refund in the ledger. It has the `turn_id`.",
  },
  REFUND_DECIDED: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "Another admin has decided about this request in another way.",
    cure: "Read the request. To refund a turn after its request was declined, use `POST /api/admin/turns/{turn_id}/refund`.",
  },
} as const

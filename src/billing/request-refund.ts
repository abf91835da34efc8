import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { noBillYet, noTurn, turnNotBilled } from "./booking.ts"
import { REFUND_POLICY } from "./policies.ts"
import { type RefundRequest, refundWords, serializeRefundRequest } from "./refund-request.ts"

export const requestRefundSchema = z
  .strictObject({
    reason: refundWords.meta({
      description: "Why the turn should be refunded. Operators read it.",
      example: "The agent answered the wrong customer.",
    }),
  })
  .meta({ id: "CreateRefundRequest" })

export const REQUEST_REFUND_ERRORS = [
  "NOT_FOUND",
  "TURN_NOT_ENDED",
  "TURN_NOT_BILLED",
  "TURN_REFUNDED",
  "LIMIT_REACHED",
] as const

const REFUSED = {
  unknown: noTurn,
  not_ended: noBillYet,
  not_billed: turnNotBilled,
  refunded: () => new TurnpikeError("TURN_REFUNDED", "The turn is already refunded."),
  too_many: () =>
    new TurnpikeError(
      "LIMIT_REACHED",
      `An account has at most ${REFUND_POLICY.openRequests} open requests for refunds. Wait for the decisions about them.`,
    ),
}

/** Asks the operator for the refund of a turn that the caller was billed for. A turn has one request. */
export async function requestRefund(
  ctx: Context,
  credential: SessionCredential,
  { turnId, reason }: { turnId: string; reason: string },
): Promise<RefundRequest> {
  const args = { turn_id: turnId, reason, most: REFUND_POLICY.openRequests }
  const { outcome, entity } = (await callAs(ctx, credential, "request_refund", args)).row
  if (entity) return serializeRefundRequest(entity)
  throw REFUSED[outcome as keyof typeof REFUSED]()
}

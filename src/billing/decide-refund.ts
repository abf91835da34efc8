import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { tellBooked } from "./booking.ts"
import { type RefundRequest, refundWords, serializeRefundRequest } from "./refund-request.ts"

export const decideRefundSchema = z
  .strictObject({
    decision: z.enum(["refund", "decline"]).meta({ example: "decline" }),
    answer: refundWords.meta({
      description: "The owner reads it with the decision. A refund has it as the note of its entry in the ledger.",
      example: "The tool of your space returned this customer.",
    }),
  })
  .meta({ id: "DecideRefund" })

export const DECIDE_REFUND_ERRORS = ["NOT_FOUND", "REFUND_DECIDED"] as const

/**
 * Decides as an admin about a request for a refund, once. The same decision again has no further effect.
 * Throws NOT_FOUND, or REFUND_DECIDED after another decision.
 */
export async function decideRefund(
  ctx: Context,
  credential: SessionCredential,
  { turnId, decision, answer }: { turnId: string } & z.infer<typeof decideRefundSchema>,
): Promise<RefundRequest> {
  const args = { turn_id: turnId, state: decision === "refund" ? "refunded" : "declined", answer }
  const { row } = await callAs(ctx, credential, "decide_refund", args)
  const { refused, entity } = row
  if (!entity) throw new TurnpikeError("NOT_FOUND", "There is no request for a refund of this turn.")
  if (refused === "decided")
    throw new TurnpikeError("REFUND_DECIDED", `The request was ${entity.state} before. Nothing was changed.`)
  await tellBooked(ctx, row)
  return serializeRefundRequest(entity)
}

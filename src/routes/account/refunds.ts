import * as z from "zod"
import { listRefundRequests } from "../../billing/list-refund-requests.ts"
import { REFUND_STATES, refundRequestSchema } from "../../billing/refund-request.ts"
import { REQUEST_REFUND_ERRORS, requestRefund, requestRefundSchema } from "../../billing/request-refund.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "Account"

/** Requests of the owner for refunds of turns. */
export function mountRefunds(app: App) {
  app.operation(
    {
      method: "put",
      path: "/api/account/turns/{turn_id}/refund-request",
      id: "requestRefund",
      tag,
      summary: "Ask for the refund of a turn",
      description:
        "Asks the operator to refund what an ended turn of your account was billed. A turn has one request: a later one changes nothing " +
        "and gets the first. The decision is an event, `refund.decided`.",
      params: z.object({ turn_id: idParam }),
      body: requestRefundSchema,
      answer: { status: 200, description: "The request.", schema: refundRequestSchema },
      errors: REQUEST_REFUND_ERRORS,
    },
    async (c, { params, body: { reason } }) =>
      requestRefund(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, reason }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/refund-requests",
      id: "listRefundRequests",
      tag,
      summary: "List requests for refunds",
      description: "Newest first. With `state=open`, the oldest is first.",
      query: z.strictObject({
        state: z.enum(REFUND_STATES).optional().meta({ description: "Only requests in this state." }),
        turn: idParam.optional().meta({ description: "A `turn_id`." }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of requests.", schema: listOf(refundRequestSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listRefundRequests(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )
}

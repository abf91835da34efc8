import * as z from "zod"
import { DECIDE_REFUND_ERRORS, decideRefund, decideRefundSchema } from "../../billing/decide-refund.ts"
import { adminRefundRequestSchema, listAllRefundRequests } from "../../billing/list-refund-requests.ts"
import { REFUND_STATES, refundRequestSchema } from "../../billing/refund-request.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "admin"

/** Requests of owners for refunds, and the decisions about them. */
export function mountRefundRequests(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/refund-requests",
      id: "listAllRefundRequests",
      tag,
      summary: "List the requests for refunds of all accounts",
      description: "Newest first. With `state=open`, the one that waits for longest is first.",
      query: z.strictObject({
        state: z.enum(REFUND_STATES).optional().meta({ description: "Only requests in this state." }),
        turn: idParam.optional().meta({ description: "A `turn_id`." }),
        user_id: numberParam.optional().meta({ description: "Only requests of this account.", example: 42 }),
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of requests.", schema: listOf(adminRefundRequestSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listAllRefundRequests(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/refund-requests/{turn_id}/decision",
      id: "decideRefund",
      tag,
      summary: "Decide about a request for a refund",
      description:
        "Refunds the turn as `POST /api/admin/turns/{turn_id}/refund` does, or declines the request. The owner reads the answer. " +
        "The same decision again has no further effect.",
      params: z.object({ turn_id: idParam }),
      body: decideRefundSchema,
      answer: { status: 200, description: "The request.", schema: refundRequestSchema },
      errors: DECIDE_REFUND_ERRORS,
    },
    async (c, { params, body }) => decideRefund(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, ...body }),
  )
}

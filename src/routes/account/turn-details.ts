import * as z from "zod"
import { fileSchema, serializeFile } from "../../files/serialize-file.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery, listQueryUpTo, testQuery, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { getBill, turnBillSchema } from "../../turns/get-bill.ts"
import { listSteps, serializeStep, turnStepSchema } from "../../turns/list-steps.ts"
import { listTurnFiles } from "../../turns/list-turn-files.ts"
import { serializeDelivery } from "../../webhooks/delivery-row.ts"
import { findTurnDeliveries } from "../../webhooks/list-deliveries.ts"
import { deliverySchema } from "../../webhooks/schemas.ts"

const tag = "Turns"
const params = z.object({ turn_id: idParam })
const query = z.strictObject(testQuery)

/** What one turn did, cost, used and told. */
export function mountTurnDetails(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/steps",
      id: "listTurnSteps",
      tag,
      summary: "List a turn's steps",
      description:
        "Its model calls in order, each with what the model said and its tool calls with both sides: input and output. Secrets are " +
        "masked. A page with very long texts may have fewer steps than its limit. The steps of an erased turn are empty.",
      params,
      query: z.strictObject({ ...testQuery, ...listQueryUpTo(200, 50) }),
      answer: { status: 200, description: "A page of steps.", schema: listOf(turnStepSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { limit, offset } }) => {
      const { steps, total } = await listSteps(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, limit, offset })
      return { items: steps.map(serializeStep), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/bill",
      id: "getTurnBill",
      tag,
      summary: "Read a turn's bill",
      description:
        "Each model call and picture with its tokens, the version of its price and that price. While the turn runs, `cost_usd` grows; " +
        "it is charged when the turn ends. A refund is in the ledger.",
      params,
      query,
      answer: { status: 200, description: "The bill.", schema: turnBillSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => getBill(c.get("ctx"), sessionOf(c), params.turn_id),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/files",
      id: "listTurnFiles",
      tag,
      summary: "List a turn's files",
      description:
        "Those that were sent with it (`turn` is null, or the turn that made them) and those that its agent made (`turn` is this one), " +
        "oldest first. Their bytes are at `/api/account/spaces/{space}/files/{file_id}/content`.",
      params,
      query,
      answer: { status: 200, description: "The files.", schema: listOf(fileSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => {
      const files = await listTurnFiles(c.get("ctx"), sessionOf(c), params.turn_id)
      return wholeList(files.map(serializeFile))
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/deliveries",
      id: "listTurnDeliveries",
      tag,
      summary: "List the webhook deliveries about a turn",
      description: "To all webhooks of your account, with their attempts, the newest first.",
      params,
      query: z.strictObject({ ...testQuery, ...listQuery }),
      answer: { status: 200, description: "A page of deliveries.", schema: listOf(deliverySchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { limit, offset } }) => {
      const input = { turnId: params.turn_id, limit, offset }
      const { deliveries, total } = await findTurnDeliveries(c.get("ctx"), sessionOf(c), input)
      return { items: deliveries.map(serializeDelivery), total, limit, offset }
    },
  )
}

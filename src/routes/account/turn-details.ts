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

/** The steps, bill, files and webhook deliveries of one turn. */
export function mountTurnDetails(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/steps",
      id: "listTurnSteps",
      tag,
      summary: "List a turn's steps",
      description:
        "The turn's model calls in order. Each has the model's output, and the input and output of its tool calls. Secrets are " +
        "masked. A page with very long texts can have fewer steps than `limit`. The steps of an erased turn are empty.",
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
        "Each model call and picture with its tokens, its price, and the version of that price. While the turn runs, `cost_usd` grows. " +
        "It is charged when the turn ends. A refund changes no line of the bill.",
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
        "Files that were sent with the turn (`turn` is null, or the turn that created them) and files that its agent created (`turn` is this " +
        "turn), oldest first. Their bytes are at `/api/account/spaces/{space}/files/{file_id}/content`.",
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
      description: "Deliveries to all webhooks of your account, with their attempts, newest first.",
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

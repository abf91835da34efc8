import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { CANCEL_TURN_ERRORS, cancelAnyTurn } from "../../turns/cancel-turn.ts"
import { turnSchema } from "../../turns/schemas.ts"
import { serializeTurn, type TurnRow } from "../../turns/turn-row.ts"
import { patchTurnSchema, RAISE_LIMIT_ERRORS, raiseAnyLimit } from "../../waits/raise-limit.ts"

const tag = "admin"

/** Why an admin acts on a turn of another account. */
const reason = z.string().trim().min(3).max(500).meta({
  description: "Why you do it. The audit log records it.",
  example: "Ticket 4711: the turn hangs",
})

/** A turn after an admin's action, without its texts. */
const actedTurnSchema = turnSchema
  .pick({ turn_id: true, state: true, status_reason: true, max_cost_usd: true, held_usd: true, billed_cost_usd: true })
  .meta({ id: "ActedTurn" })

function serializeActedTurn(row: TurnRow): z.infer<typeof actedTurnSchema> {
  const { turn_id, state, status_reason, max_cost_usd, held_usd, billed_cost_usd } = serializeTurn(row)
  return { turn_id, state, status_reason, max_cost_usd, held_usd, billed_cost_usd }
}

/** Actions of an admin on an open turn of any account. The account's owner sees both in the list of changes. */
export function mountTurnActions(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/admin/turns/{turn_id}/cancel",
      id: "cancelAnyTurn",
      tag,
      summary: "Cancel a turn of any account",
      description:
        "A queued or waiting turn ends at once, with the `status_reason` `operator`. A running turn ends at its next step, so its " +
        "`state` can still be `running`. The same request again has no further effect.",
      params: z.object({ turn_id: idParam }),
      body: z.strictObject({ reason }).meta({ id: "CancelAnyTurn" }),
      answer: { status: 200, description: "The turn.", schema: actedTurnSchema },
      errors: CANCEL_TURN_ERRORS,
    },
    async (c, { params, body }) =>
      serializeActedTurn(await cancelAnyTurn(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, ...body })),
  )

  app.operation(
    {
      method: "patch",
      path: "/api/admin/turns/{turn_id}",
      id: "raiseAnyTurn",
      tag,
      summary: "Raise the cost limit of a turn of any account",
      description:
        "Raises `max_cost_usd` as the owner can. The account pays for the turn. If the turn waits for this limit, it continues, as far " +
        "as the balance and the caps allow it. The same request again has no further effect.",
      params: z.object({ turn_id: idParam }),
      body: patchTurnSchema.extend({ reason }).meta({ id: "RaiseAnyTurn" }),
      answer: { status: 200, description: "The turn.", schema: actedTurnSchema },
      errors: RAISE_LIMIT_ERRORS,
    },
    async (c, { params, body: { max_cost_usd, reason } }) =>
      serializeActedTurn(
        await raiseAnyLimit(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, maxCostUsd: max_cost_usd, reason }),
      ),
  )
}

import * as z from "zod"
import { needsSpaceRole } from "../../actor/shares.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { turnSchema } from "../../turns/schemas.ts"
import { serializeTurn } from "../../turns/turn-row.ts"
import { waitReasonSchema } from "../../turns/waiting-schema.ts"
import { callParam } from "../../waits/call-id.ts"
import { DECIDE_CALL_ERRORS, decideCall, decidedCallSchema, decisionSchema } from "../../waits/decide-call.ts"
import { listWaits, waitingTurnSchema } from "../../waits/list-waits.ts"
import { patchTurnSchema, RAISE_LIMIT_ERRORS, raiseLimit } from "../../waits/raise-limit.ts"

const tag = "Turns"
const query = z.strictObject(testQuery)
const turnParams = z.object({ turn_id: idParam })

/** Turns that wait for a limit, a decision or a result. */
export function mountWaits(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/waiting-turns",
      id: "listWaitingTurns",
      tag,
      summary: "List waiting turns",
      description:
        "The turns that wait for a limit, a decision or a result, the one that waits for longest first: turns of your own " +
        "spaces, turns that you sent into shared spaces, and turns of shared spaces in which you are an admin.",
      query: z.strictObject({
        waiting: waitReasonSchema.optional().meta({ description: "Only turns that wait for this." }),
        space: idParam.optional().meta({ description: "A `space_id`." }),
        turn: idParam.optional().meta({ description: "A `turn_id`." }),
        ...testQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of waiting turns.", schema: listOf(waitingTurnSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, test: _test, ...filters } }) => {
      const { waits, total } = await listWaits(c.get("ctx"), sessionOf(c), { filters, limit, offset })
      return { items: waits, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "patch",
      path: "/api/account/turns/{turn_id}",
      id: "patchTurn",
      tag,
      summary: "Raise a turn's cost limit",
      description:
        "Raises `max_cost_usd` of a turn that has not ended. If the turn waits for this limit, it continues, as far as the balance and " +
        "the caps allow it. The same request again has no further effect.",
      params: turnParams,
      query,
      body: patchTurnSchema,
      answer: { status: 200, description: "The turn.", schema: turnSchema },
      errors: RAISE_LIMIT_ERRORS,
    },
    async (c, { params, body }) =>
      serializeTurn(
        await raiseLimit(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, maxCostUsd: body.max_cost_usd }),
      ),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/turns/{turn_id}/calls/{call}/decision",
      id: "decideCall",
      tag,
      summary: "Decide about a call",
      description:
        "Allows or denies a call that waits for a decision. The owner and the admins of the space decide. The first decision wins. " +
        "The same decision again has no effect and gets the same response, also after the turn's end. If another decision was made before, `details` " +
        "has that decision and who made it. When no call of the turn waits for a decision any more, the turn continues.",
      idempotent: "replayed",
      params: z.object({ turn_id: idParam, call: callParam }),
      query,
      body: decisionSchema,
      answer: { status: 200, description: "The decision.", schema: decidedCallSchema },
      errors: DECIDE_CALL_ERRORS,
      spaceRole: needsSpaceRole("admin"),
      example: { body: { decision: "allow" } },
    },
    async (c, { params: { turn_id: turnId, call }, body, once }) =>
      madeOf(c, await decideCall(c.get("ctx"), sessionOf(c), { turnId, call, body }, once)),
  )
}

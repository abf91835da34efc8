import * as z from "zod"
import type { App } from "../../http/app.ts"
import { createdQuery, idParam, numberCursor, pageOf, pageQuery, wholeParam } from "../../http/query.ts"
import { withoutNewFiles } from "../../turns/attach-files.ts"
import { CANCEL_TURN_ERRORS, cancelTurn } from "../../turns/cancel-turn.ts"
import { ESTIMATE_TURN_ERRORS, estimateTurn, turnEstimateSchema } from "../../turns/estimate-turn.ts"
import { turnEventSchema } from "../../turns/event-schema.ts"
import { FOLLOW_TURN_EVENTS_ERRORS } from "../../turns/follow-events.ts"
import { getTurn, WAIT_FOR_TURN_ERRORS, waitForTurn } from "../../turns/get-turn.ts"
import { listTurnEvents, listTurns } from "../../turns/list-turns.ts"
import { MESSAGE_POLICY } from "../../turns/policies.ts"
import { sentTurnSchema, TURN_STATES, turnSchema } from "../../turns/schemas.ts"
import { serializeTurnEvent } from "../../turns/turn-event.ts"
import { serializeTurn } from "../../turns/turn-row.ts"
import { waitReasonSchema } from "../../turns/waiting-schema.ts"
import { patchTurnSchema, RAISE_LIMIT_ERRORS, raiseLimit } from "../../waits/raise-limit.ts"
import { acceptsEventStream, parseLastEventId, streamTurnEvents } from "../turn-events.ts"
import { mountCreateTurn } from "./create-turn.ts"

const turnParams = z.object({ turn_id: idParam })
const theTurn = { status: 200, description: "The turn.", schema: turnSchema } as const

export function mountTurns(app: App) {
  mountCreateTurn(app)

  app.operation(
    {
      method: "post",
      path: "/v1/turns/estimate",
      id: "estimateTurn",
      tag: "Turns",
      summary: "Estimate a turn",
      description:
        "Takes the body of a turn. The response says whether the turn would be accepted now, and the hold that it would take or the " +
        "error that it would get. Nothing is sent, held or stored, so you can call it as often as you like. An " +
        "Idempotency-Key has no effect. Errors that do not concern money are returned as for " +
        "the turn: 404, 403 `END_USER_BLOCKED`, 409 `SPACE_ARCHIVED`, 422.\n\nThe estimate is no guarantee: " +
        "another turn can take the credit first. The final cost is not predicted; it never exceeds " +
        "`max_cost_usd`. Files by `url` or `data` are not counted.",
      idempotent: "naturally",
      maxBytes: MESSAGE_POLICY.bodyBytes,
      body: sentTurnSchema,
      answer: {
        status: 200,
        description: "The estimate: whether the turn would be accepted, and its hold or error.",
        schema: turnEstimateSchema,
      },
      errors: ESTIMATE_TURN_ERRORS,
      example: {
        answer: { admitted: true, hold_usd: 0.1, refused_by: null },
      },
    },
    async (c, { body }) => estimateTurn(c.get("ctx"), c.get("credential"), withoutNewFiles(body)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/turns",
      id: "listTurns",
      tag: "Turns",
      summary: "List turns",
      description:
        "The turns in the key's spaces, newest first. To find the turn of one of your requests, store the " +
        "`turn_id` of the response, or send the request again with its Idempotency-Key.",
      query: z.strictObject({
        ...pageQuery,
        space: idParam.optional().meta({ description: "A `space_id`." }),
        end_user_ref: idParam.optional(),
        conversation: idParam.optional().meta({ description: "A conversation's id, `conv_…`; not a name." }),
        state: z.enum(TURN_STATES).optional(),
        waiting: waitReasonSchema.optional().meta({ description: "Only turns that wait for this." }),
        key: idParam.optional().meta({ description: "A `key_id`." }),
        ...createdQuery,
      }),
      answer: { status: 200, description: "A page of turns.", schema: pageOf(turnSchema) },
      errors: [],
    },
    async (c, { query: { limit, cursor, ...filters } }) => {
      const page = await listTurns(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
      return { ...page, data: page.data.map(serializeTurn) }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/turns/{turn_id}",
      id: "getTurn",
      tag: "Turns",
      summary: "Read a turn",
      params: turnParams,
      query: z.strictObject({
        wait: wholeParam(0, 30).default(0).meta({
          description:
            "Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait.",
          example: 30,
        }),
      }),
      answer: theTurn,
      errors: WAIT_FOR_TURN_ERRORS,
    },
    async (c, { params: { turn_id: turnId }, query: { wait } }) => {
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const { signal } = c.req.raw
      return serializeTurn(
        wait
          ? await waitForTurn(ctx, credential, { turnId, waitSeconds: wait, signal, knowsWait: true })
          : await getTurn(ctx, credential, turnId),
      )
    },
  )

  app.operation(
    {
      method: "patch",
      path: "/v1/turns/{turn_id}",
      id: "patchTurn",
      tag: "Turns",
      summary: "Raise a turn's cost limit",
      description:
        "Raises `max_cost_usd` of a turn that has not ended. If the turn waits for this limit, it continues, as far as the balance and " +
        "the caps allow it. The same request again has no further effect. See [Turns that wait](/docs/waiting).",
      idempotent: "naturally",
      params: turnParams,
      body: patchTurnSchema,
      answer: theTurn,
      errors: RAISE_LIMIT_ERRORS,
    },
    async (c, { params, body }) =>
      serializeTurn(
        await raiseLimit(c.get("ctx"), c.get("credential"), { turnId: params.turn_id, maxCostUsd: body.max_cost_usd }),
      ),
  )

  app.operation(
    {
      method: "post",
      path: "/v1/turns/{turn_id}/cancel",
      id: "cancelTurn",
      tag: "Turns",
      summary: "Cancel a turn",
      description:
        "A queued or waiting turn is cancelled at once. A running turn stops before its next step and is billed for " +
        "its work so far. A second cancel returns the same response, with or without an Idempotency-Key.",
      idempotent: "naturally",
      params: turnParams,
      answer: theTurn,
      errors: CANCEL_TURN_ERRORS,
      example: { answer: { state: "cancelled", status_reason: "client", result: null } },
    },
    async (c, { params }) => serializeTurn(await cancelTurn(c.get("ctx"), c.get("credential"), params.turn_id)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/turns/{turn_id}/events",
      id: "listTurnEvents",
      tag: "Turns",
      summary: "Read a turn's events",
      description:
        "The events in ascending order. `seq` has no gaps. `next_cursor` is the last " +
        "`seq` of the page. With `Accept: text/event-stream` the events are sent as they happen, as server-sent " +
        "events, until the turn ends. A client that reconnects with the id of its last message as Last-Event-ID " +
        "gets every event and every piece of text exactly once. The agent's text (`text.delta`) is written only while " +
        "a client follows the turn. A stream shows it before it is in the log: the `seq` of such a piece is the number of " +
        "the last event before it, and the event of the log then has only text that was not shown, perhaps none. A second `step.started` of the same step means that its text starts again. " +
        "If the turn has ended and the client has all of its events, the response is 204, so that an EventSource does not " +
        "reconnect. " +
        "`model.waiting` means that the turn waits for capacity at the model's provider. `turn.waiting` and `turn.resumed` " +
        "mean that it waits for a limit, a decision or a result, and that it continues.",
      headers: [
        {
          name: "Last-Event-ID",
          required: false,
          description: "Only for server-sent events: the id of the message after which the stream continues.",
          example: "7",
        },
      ],
      params: turnParams,
      query: z.strictObject({
        limit: pageQuery.limit.default(100),
        cursor: numberCursor(0, 2_147_483_647),
      }),
      answer: {
        status: 200,
        description: "A page of events.",
        schema: pageOf(turnEventSchema),
        also: {
          "text/event-stream":
            "One message per event: `id` for Last-Event-ID, `event` its type, `data` the event as JSON.",
        },
        others: { 204: "With `Accept: text/event-stream`: the turn has ended, and the client has all of its events." },
      },
      errors: FOLLOW_TURN_EVENTS_ERRORS,
    },
    async (c, { params, query }) => {
      if (acceptsEventStream(c.req.header("accept"))) {
        const after = parseLastEventId(c.req.header("last-event-id")) ?? { seq: query.cursor ?? 0 }
        return streamTurnEvents(c.get("ctx"), c.get("credential"), {
          turnId: params.turn_id,
          after,
          signal: c.req.raw.signal,
        })
      }
      const options = { turnId: params.turn_id, afterSeq: query.cursor ?? 0, limit: query.limit }
      const { events, hasMore } = await listTurnEvents(c.get("ctx"), c.get("credential"), options)
      const next_cursor = hasMore ? String(events.at(-1)?.seq) : null
      return { data: events.map(serializeTurnEvent), has_more: hasMore, next_cursor }
    },
  )
}

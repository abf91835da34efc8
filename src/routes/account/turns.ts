import * as z from "zod"
import type { App } from "../../http/app.ts"
import { createdQuery, idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { CANCEL_TURN_ERRORS, cancelTurn } from "../../turns/cancel-turn.ts"
import { turnEventSchema } from "../../turns/event-schema.ts"
import { FOLLOW_TURN_EVENTS_ERRORS } from "../../turns/follow-events.ts"
import { getTurn } from "../../turns/get-turn.ts"
import { findTurns, listTurnEvents } from "../../turns/list-turns.ts"
import { TURN_STATES, turnSchema } from "../../turns/schemas.ts"
import { serializeTurnEvent } from "../../turns/turn-event.ts"
import { serializeTurn } from "../../turns/turn-row.ts"
import { waitReasonSchema } from "../../turns/waiting-schema.ts"
import { acceptsEventStream, parseLastEventId, streamTurnEvents } from "../turn-events.ts"

const tag = "Turns"
const params = z.object({ turn_id: idParam })
const query = z.strictObject(testQuery)
const theTurn = { status: 200, description: "The turn.", schema: turnSchema } as const

/** The filters of lists of turns, besides `test`. */
export const turnFilters = {
  space: idParam.optional().meta({ description: "A `space_id`." }),
  conversation: idParam.optional().meta({ description: "A conversation's id." }),
  state: z.enum(TURN_STATES).optional(),
  ...createdQuery,
}

export function mountOwnTurns(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/turns",
      id: "listTurns",
      tag,
      summary: "List turns",
      description:
        "The turns of all keys and of the web chat, newest first. A page with very long texts can have fewer " +
        "turns than `limit`.",
      query: z.strictObject({
        ...turnFilters,
        waiting: waitReasonSchema.optional().meta({ description: "Only turns that wait for this." }),
        end_user_ref: idParam.optional(),
        key: idParam.optional().meta({ description: "A `key_id`." }),
        ...testQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of turns.", schema: listOf(turnSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, test: _test, ...filters } }) => {
      const { turns, total } = await findTurns(c.get("ctx"), sessionOf(c), { filters, limit, offset })
      return { items: turns.map(serializeTurn), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}",
      id: "getTurn",
      tag,
      summary: "Read a turn",
      params,
      query,
      answer: theTurn,
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeTurn(await getTurn(c.get("ctx"), sessionOf(c), params.turn_id)),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/turns/{turn_id}/cancel",
      id: "cancelTurn",
      tag,
      summary: "Cancel a turn",
      description:
        "A queued turn is cancelled at once. A running turn stops before its next step and is billed for " +
        "its work so far.",
      params,
      query,
      answer: theTurn,
      errors: CANCEL_TURN_ERRORS,
      example: { answer: { state: "cancelled", status_reason: "client", result: null } },
    },
    async (c, { params }) => serializeTurn(await cancelTurn(c.get("ctx"), sessionOf(c), params.turn_id)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/events",
      id: "listTurnEvents",
      tag,
      summary: "Read a turn's events",
      description:
        "The events in ascending order. `seq` has no gaps, so use the `seq` of your last event as `offset`. " +
        "With `Accept: text/event-stream` the events are sent as they happen, as server-sent events, until the " +
        "turn ends. If the turn has ended and the client has all of its events, the response is 204.",
      headers: [
        {
          name: "Last-Event-ID",
          required: false,
          description: "Only for server-sent events: the id of the message after which the stream continues.",
          example: "7",
        },
      ],
      params,
      query: z.strictObject({ ...testQuery, ...listQuery, limit: listQuery.limit.default(100) }),
      answer: {
        status: 200,
        description: "A page of events.",
        schema: listOf(turnEventSchema),
        also: {
          "text/event-stream":
            "One message per event: `id` for Last-Event-ID, `event` its type, `data` the event as JSON.",
        },
        others: { 204: "With `Accept: text/event-stream`: the turn has ended, and the client has all of its events." },
      },
      errors: FOLLOW_TURN_EVENTS_ERRORS,
    },
    async (c, { params, query: { limit, offset } }) => {
      const turnId = params.turn_id
      if (acceptsEventStream(c.req.header("accept"))) {
        const after = parseLastEventId(c.req.header("last-event-id")) ?? { seq: offset }
        return streamTurnEvents(c.get("ctx"), sessionOf(c), { turnId, after, signal: c.req.raw.signal })
      }
      const { events, total } = await listTurnEvents(c.get("ctx"), sessionOf(c), { turnId, afterSeq: offset, limit })
      return { items: events.map(serializeTurnEvent), total, limit, offset }
    },
  )
}

import { createRoute } from "@hono/zod-openapi"
import { z } from "zod"
import type { App } from "../../http/app.ts"
import { parseIdempotencyKey } from "../../http/idempotency.ts"
import { errorResponses, jsonAnswer, jsonBody, pageOf } from "../../http/openapi.ts"
import { idParam, instantParam, pageQuery } from "../../http/query.ts"
import { acceptTurn } from "../../turns/accept-turn.ts"
import { cancelTurn } from "../../turns/cancel-turn.ts"
import { getTurn, waitForTurn } from "../../turns/get-turn.ts"
import { listTurnEvents, listTurns } from "../../turns/list-turns.ts"
import { createTurnSchema, TURN_STATES, turnEventSchema, turnSchema } from "../../turns/schemas.ts"
import { serializeTurnEvent } from "../../turns/turn-event.ts"
import { serializeTurn } from "../../turns/turn-row.ts"

const turnParam = z.object({ turn_id: idParam })

const post = createRoute({
  method: "post",
  path: "/v1/turns",
  tags: ["Turns"],
  operationId: "createTurn",
  summary: "Send a turn",
  description:
    "Accepts a request for the space's agent and answers at once. The same Idempotency-Key with the same body answers " +
    "the same turn, with `Idempotent-Replayed: true`, as long as the turn exists.",
  request: {
    headers: z.object({
      "idempotency-key": z.string().optional().meta({
        description: "Required. 1–255 printable characters, unique per logical request.",
        example: "order-1001",
      }),
    }),
    body: jsonBody(createTurnSchema),
  },
  responses: {
    202: {
      ...jsonAnswer("The turn.", turnSchema),
      headers: z.object({
        location: z.string(),
        "idempotent-replayed": z.string().optional().meta({ description: "`true` when the turn was there already." }),
      }),
    },
    ...errorResponses(
      "INVALID_JSON",
      "IDEMPOTENCY_KEY_REQUIRED",
      "IDEMPOTENCY_KEY_INVALID",
      "INSUFFICIENT_CREDITS",
      "NOT_FOUND",
      "CONFLICT",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "VALIDATION_FAILED",
      "IDEMPOTENCY_KEY_REUSED",
    ),
  },
})

const get = createRoute({
  method: "get",
  path: "/v1/turns/{turn_id}",
  tags: ["Turns"],
  operationId: "getTurn",
  summary: "Read a turn",
  request: {
    params: turnParam,
    query: z.strictObject({
      wait: z.coerce
        .number()
        .int()
        .min(0)
        .max(30)
        .optional()
        .meta({ description: "Hold the answer until the turn has ended, at most so many seconds." }),
    }),
  },
  responses: { 200: jsonAnswer("The turn.", turnSchema), ...errorResponses("NOT_FOUND", "VALIDATION_FAILED") },
})

const list = createRoute({
  method: "get",
  path: "/v1/turns",
  tags: ["Turns"],
  operationId: "listTurns",
  summary: "List turns",
  description: "Newest first. A cursor belongs to the filters it was given for.",
  request: {
    query: z.strictObject({
      ...pageQuery,
      space: idParam.optional(),
      end_user_ref: idParam.optional(),
      conversation: idParam.optional(),
      state: z.enum(TURN_STATES).optional(),
      key: idParam.optional(),
      created_after: instantParam.optional(),
      created_before: instantParam.optional(),
    }),
  },
  responses: { 200: jsonAnswer("A page of turns.", pageOf(turnSchema)), ...errorResponses("VALIDATION_FAILED") },
})

const cancel = createRoute({
  method: "post",
  path: "/v1/turns/{turn_id}/cancel",
  tags: ["Turns"],
  operationId: "cancelTurn",
  summary: "Cancel a turn",
  description:
    "A queued turn is cancelled at once; a running one stops at its next boundary and is billed for what it has done. " +
    "Cancelling twice answers the same.",
  request: { params: turnParam },
  responses: { 200: jsonAnswer("The turn.", turnSchema), ...errorResponses("NOT_FOUND", "TURN_FINISHED", "CONFLICT") },
})

const events = createRoute({
  method: "get",
  path: "/v1/turns/{turn_id}/events",
  tags: ["Turns"],
  operationId: "listTurnEvents",
  summary: "Read a turn's events",
  description: "Oldest first, numbered without gaps by `seq`; `next_cursor` is the last `seq` of the page.",
  request: {
    params: turnParam,
    query: z.strictObject({
      limit: pageQuery.limit.default(100),
      cursor: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
    }),
  },
  responses: {
    200: jsonAnswer("A page of events.", pageOf(turnEventSchema)),
    ...errorResponses("NOT_FOUND", "VALIDATION_FAILED"),
  },
})

export function mountTurns(app: App) {
  app.openapi(post, async (c) => {
    const idempotencyKey = parseIdempotencyKey(c.req.header("idempotency-key"))
    const body = c.req.valid("json")
    const { turn, replayed } = await acceptTurn(c.get("ctx"), c.get("credential"), { idempotencyKey, body })
    if (replayed) c.header("Idempotent-Replayed", "true")
    c.header("Location", `/v1/turns/${turn.turn_id}`)
    return c.json(serializeTurn(turn), 202)
  })
  app.openapi(list, async (c) => {
    const { limit, cursor, ...filters } = c.req.valid("query")
    const page = await listTurns(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
    return c.json({ ...page, data: page.data.map(serializeTurn) }, 200)
  })
  app.openapi(get, async (c) => {
    const turnId = c.req.valid("param").turn_id
    const { wait } = c.req.valid("query")
    const turn = wait
      ? await waitForTurn(c.get("ctx"), c.get("credential"), { turnId, waitSeconds: wait })
      : await getTurn(c.get("ctx"), c.get("credential"), turnId)
    return c.json(serializeTurn(turn), 200)
  })
  app.openapi(cancel, async (c) =>
    c.json(serializeTurn(await cancelTurn(c.get("ctx"), c.get("credential"), c.req.valid("param").turn_id)), 200),
  )
  app.openapi(events, async (c) => {
    const { limit, cursor } = c.req.valid("query")
    const turnId = c.req.valid("param").turn_id
    const page = await listTurnEvents(c.get("ctx"), c.get("credential"), { turnId, afterSeq: cursor, limit })
    const last = page.events.at(-1)
    const next_cursor = page.hasMore && last ? String(last.seq) : null
    return c.json({ data: page.events.map(serializeTurnEvent), has_more: page.hasMore, next_cursor }, 200)
  })
}

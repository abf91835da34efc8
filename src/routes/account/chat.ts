import type { Context as HonoContext } from "hono"
import * as z from "zod"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { madeOf, parseIdempotencyKey, REPLAYED } from "../../http/idempotency.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  acceptChatTurn,
  createChatTurnSchema,
  ESTIMATE_CHAT_TURN_ERRORS,
  estimateChatTurn,
  GET_CHAT_TURN_ERRORS,
  getChatTurn,
  SEND_CHAT_TURN_ERRORS,
  sendChatTurn,
} from "../../turns/chat.ts"
import { turnEstimateSchema } from "../../turns/estimate-turn.ts"
import { findTurns } from "../../turns/list-turns.ts"
import { turnSchema } from "../../turns/schemas.ts"
import { serializeTurn } from "../../turns/turn-row.ts"
import { acceptsEventStream, streamTurnEvents } from "../turn-events.ts"
import { turnFilters } from "./turns.ts"

const tag = "Chat"

export function mountChat(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/account/chat/turns",
      id: "createChatTurn",
      tag,
      summary: "Send a turn of the web chat",
      description:
        "Sends a turn as the signed-in user, without an API key, to one of your spaces or a space that is shared with you. Only the owner " +
        "of the space is billed. Members cannot see each other's conversations. The turn is accepted, run and billed like any other. " +
        "Without `end_user_ref` it has no end user. Its charge is in the ledger as `space_usage`, and it does not count in the usage " +
        "of keys. No caps apply except those of the owner's plan and of the space's members. The same Idempotency-Key with the same body " +
        "returns the same turn.",
      headers: [
        {
          name: "Idempotency-Key",
          required: false,
          description: "A unique value per logical request, of 1–255 printable ASCII characters.",
          example: "b1d6a1d2-5b0e-4d5e-9f43-0a7a4b7f6f1c",
        },
      ],
      query: z.strictObject(testQuery),
      body: createChatTurnSchema,
      answer: {
        status: 202,
        description: "The turn.",
        schema: turnSchema,
        also: {
          "text/event-stream":
            "The events of the turn from the first one until it has ended, as in `GET /api/account/turns/{turn_id}/events`. If the " +
            "turn can start at once, the request itself runs it.",
        },
        alike: { 200: "With `Accept: text/event-stream`: the events of the turn." },
        headers: {
          Location: "The turn's path.",
          "Idempotent-Replayed": "`true` if an earlier request with this key created the turn.",
        },
      },
      errors: [...SEND_CHAT_TURN_ERRORS, "IDEMPOTENCY_KEY_INVALID"],
    },
    async (c, { body }) => {
      const header = c.req.header("idempotency-key")
      const idempotencyKey = header ? parseIdempotencyKey(header) : null
      if (acceptsEventStream(c.req.header("accept"))) return streamChatTurn(c, { idempotencyKey, body })
      const turn = madeOf(c, await acceptChatTurn(c.get("ctx"), sessionOf(c), { idempotencyKey, body }))
      c.header("Location", `/api/account/chat/turns/${turn.turn_id}`)
      return serializeTurn(turn)
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/chat/turns/estimate",
      id: "estimateChatTurn",
      tag,
      summary: "Estimate a turn of the web chat",
      description:
        "Takes the body of a turn. The response says whether the turn would be accepted now, and the hold that it would take or the error " +
        "that it would get. Nothing is sent, held or stored. It works only for your own spaces: a space that is shared with you returns " +
        "404, because its owner is billed. The final cost is not predicted; it never exceeds `max_cost_usd`.",
      query: z.strictObject(testQuery),
      body: createChatTurnSchema,
      answer: {
        status: 200,
        description: "The estimate: whether the turn would be accepted, and its hold or error.",
        schema: turnEstimateSchema,
      },
      errors: ESTIMATE_CHAT_TURN_ERRORS,
      example: { answer: { admitted: true, hold_usd: 0.1, refused_by: null, caps: [] } },
    },
    async (c, { body }) => estimateChatTurn(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/chat/turns",
      id: "listChatTurns",
      tag,
      summary: "List turns of the web chat",
      description:
        "Your turns in your own spaces and in spaces that are shared with you, newest first. A page with very long texts can have fewer turns than `limit`.",
      query: z.strictObject({ ...turnFilters, ...testQuery, ...listQuery }),
      answer: { status: 200, description: "A page of turns.", schema: listOf(turnSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, test: _test, ...filters } }) => {
      const search = { filters: { ...filters, chat: true as const }, limit, offset }
      const { turns, total } = await findTurns(c.get("ctx"), sessionOf(c), search)
      return { items: turns.map(serializeTurn), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/chat/turns/{turn_id}",
      id: "getChatTurn",
      tag,
      summary: "Read a turn of the web chat",
      params: z.object({ turn_id: idParam }),
      query: z.strictObject({
        wait: z.coerce.number().int().min(0).max(30).default(0).meta({
          description:
            "Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait.",
        }),
        ...testQuery,
      }),
      answer: { status: 200, description: "The turn.", schema: turnSchema },
      errors: GET_CHAT_TURN_ERRORS,
    },
    async (c, { params, query }) =>
      serializeTurn(
        await getChatTurn(c.get("ctx"), sessionOf(c), {
          turnId: params.turn_id,
          waitSeconds: query.wait,
          signal: c.req.raw.signal,
        }),
      ),
  )
}

/** Sends a turn, and answers with its events from the first one. */
async function streamChatTurn(c: HonoContext<AppEnv>, asked: Parameters<typeof sendChatTurn>[2]): Promise<Response> {
  const [ctx, credential] = [c.get("ctx"), sessionOf(c)]
  const { made, replayed, own } = await sendChatTurn(ctx, credential, asked)
  const { turn_id: turnId } = made
  const follow = { turnId, after: { seq: 0 }, signal: c.req.raw.signal, own, wasSent: true }
  const response = await streamTurnEvents(ctx, credential, follow)
  response.headers.set("Location", `/api/account/chat/turns/${turnId}`)
  if (replayed) response.headers.set(REPLAYED, "true")
  return response
}

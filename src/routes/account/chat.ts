import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf, parseIdempotencyKey } from "../../http/idempotency.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { acceptChatTurn, createChatTurnSchema, estimateChatTurn, getChatTurn } from "../../turns/chat.ts"
import { turnEstimateSchema } from "../../turns/estimate-turn.ts"
import { findTurns } from "../../turns/list-turns.ts"
import { turnSchema } from "../../turns/schemas.ts"
import { serializeTurn } from "../../turns/turn-row.ts"
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
        "A turn of whoever is signed in, without an API key, in a space of theirs or one that is shared with them. Only the owner of " +
        "the space is billed; each member has conversations of their own, which other members do not see. It is accepted, run and " +
        "billed like any other. It belongs to no customer (`end_user_ref` is empty), its charge is in the " +
        "ledger as `space_usage`, and it is not in the usage of keys. Only the balance limits it; it has " +
        "no caps. The same Idempotency-Key with the same body answers the same turn.",
      headers: [
        {
          name: "Idempotency-Key",
          required: false,
          description: "1–255 printable ASCII characters, unique per logical request.",
          example: "b1d6a1d2-5b0e-4d5e-9f43-0a7a4b7f6f1c",
        },
      ],
      query: z.strictObject(testQuery),
      body: createChatTurnSchema,
      answer: {
        status: 202,
        description: "The turn.",
        schema: turnSchema,
        headers: { Location: "The turn's path.", "Idempotent-Replayed": "`true` when the turn was there already." },
      },
      errors: [
        "IDEMPOTENCY_KEY_INVALID",
        "INSUFFICIENT_CREDITS",
        "COST_LIMIT_TOO_LOW",
        "NOT_FOUND",
        "SPACE_ARCHIVED",
        "CONFLICT",
        "IDEMPOTENCY_KEY_REUSED",
      ],
    },
    async (c, { body }) => {
      const header = c.req.header("idempotency-key")
      const idempotencyKey = header ? parseIdempotencyKey(header) : null
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
      summary: "Ask whether a turn of the web chat would be accepted",
      description:
        "Takes the body of a turn and says whether it would be accepted now, what it would hold, or what would refuse it. Nothing is " +
        "sent, held or stored. For your own spaces: one that is shared with you answers 404, since its owner is billed. It does not " +
        "predict what the turn will cost in the end, which is never more than its `max_cost_usd`.",
      query: z.strictObject(testQuery),
      body: createChatTurnSchema,
      answer: {
        status: 200,
        description: "Whether the turn would be accepted, and on what terms.",
        schema: turnEstimateSchema,
      },
      errors: ["NOT_FOUND", "SPACE_ARCHIVED", "CONFLICT"],
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
        "The turns that you have sent, in your own spaces and in those that are shared with you. Newest first. A page with very long texts may have fewer turns than its limit.",
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
        wait: z.coerce
          .number()
          .int()
          .min(0)
          .max(30)
          .default(0)
          .meta({ description: "Wait for the turn's end, for at most this many seconds, before answering." }),
        ...testQuery,
      }),
      answer: { status: 200, description: "The turn.", schema: turnSchema },
      errors: ["NOT_FOUND"],
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

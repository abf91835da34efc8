import * as z from "zod"
import { DIALECT_POLICY } from "../../dialects/policies.ts"
import { OPEN_TURN_TEXT_ERRORS } from "../../dialects/turn-text.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { booleanParam, idParam, wholeParam } from "../../http/query.ts"
import { createResponse, createResponseSchema } from "../../openai/create-response.ts"
import { turnIdOf } from "../../openai/ids.ts"
import { responseSchema, serializeResponse } from "../../openai/response-object.ts"
import { streamResponse } from "../../openai/stream-response.ts"
import { CANCEL_TURN_ERRORS, cancelTurn } from "../../turns/cancel-turn.ts"
import { getTurn } from "../../turns/get-turn.ts"
import { waitForSent } from "../../turns/send-turn.ts"
import { answerStream, dialectRequest, TURN_ANSWER_HEADERS } from "../dialects/turn-request.ts"
import { TURN_ERRORS, TURN_HEADERS, OPENAI_TAG as tag } from "./turn-operations.ts"

const responseParams = z.object({ response_id: idParam })
const EVENTS = {
  "text/event-stream": "Events from `response.created` to `response.completed`, with the `sequence_number` of each.",
}

export function mountResponses(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/openai/responses",
      id: "createResponse",
      dialect: "openai",
      tag,
      summary: "Create a response",
      description:
        "OpenAI's Responses API for the agent of a space: `model` is the space's id. A response is a turn, so holds, caps, " +
        "bills, webhooks and errors are those of `POST /v1/turns`. `turn` in the answer has the bill.\n\n" +
        "Without `background` and `stream`, the answer is sent when the turn has ended. A failed turn is a response with the " +
        "status `failed`. If the turn begins to wait, the answer is sent then, with `turn.waiting`. Fields that no turn can honour are rejected, and fields that only tune a model are ignored. " +
        "See [OpenAI clients](/docs/openai).",
      headers: TURN_HEADERS,
      body: createResponseSchema,
      maxBytes: DIALECT_POLICY.bodyBytes,
      answer: {
        status: 200,
        description: "The response.",
        schema: responseSchema,
        headers: TURN_ANSWER_HEADERS,
        also: EVENTS,
      },
      errors: [...TURN_ERRORS, "TURN_WAITING"],
    },
    async (c, { body }) => {
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const sent = await createResponse(ctx, credential, dialectRequest(c, body))
      const turn = madeOf(c, sent)
      if (body.stream) {
        const { log } = ctx
        return answerStream(c, { turn, own: sent.own }, (pieces) =>
          streamResponse(pieces, { turn, asked: body, after: -1, log }),
        )
      }
      if (body.background) return serializeResponse(turn, body)
      const until = ctx.clock.now().getTime() + DIALECT_POLICY.waitSeconds * 1000
      return serializeResponse(await waitForSent(ctx, credential, sent, { until, signal: c.req.raw.signal }), body)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/openai/responses/{response_id}",
      id: "getResponse",
      dialect: "openai",
      tag,
      summary: "Read a response",
      description:
        "Any turn of the key's spaces, also one that was sent with `POST /v1/turns`. With `stream=true`, the answer has all " +
        "events of the response again, or those after `starting_after`, and follows it to its end.",
      params: responseParams,
      query: z.strictObject({
        stream: booleanParam.optional().meta({ description: "`true`: the answer is a stream of server-sent events." }),
        starting_after: wholeParam(0, 2_147_483_647)
          .optional()
          .meta({ description: "The `sequence_number` after which the stream continues." }),
        include_obfuscation: booleanParam.optional().meta({ description: "Ignored: events have no padding." }),
      }),
      answer: { status: 200, description: "The response.", schema: responseSchema, also: EVENTS },
      errors: OPEN_TURN_TEXT_ERRORS,
    },
    async (c, { params, query }) => {
      const turn = await getTurn(c.get("ctx"), c.get("credential"), turnIdOf(params.response_id))
      if (!query.stream) return serializeResponse(turn, null)
      const { log } = c.get("ctx")
      const after = query.starting_after ?? -1
      return answerStream(c, { turn }, (pieces) => streamResponse(pieces, { turn, asked: null, after, log }))
    },
  )

  app.operation(
    {
      method: "post",
      path: "/v1/openai/responses/{response_id}/cancel",
      id: "cancelResponse",
      dialect: "openai",
      tag,
      summary: "Cancel a response",
      description:
        "Cancels the turn, like `POST /v1/turns/{turn_id}/cancel`: at once if it is queued, otherwise before its next step. " +
        "The work so far is billed. A second cancel returns the same response, with or without an Idempotency-Key.",
      idempotent: "naturally",
      params: responseParams,
      answer: { status: 200, description: "The response.", schema: responseSchema },
      errors: CANCEL_TURN_ERRORS,
    },
    async (c, { params }) =>
      serializeResponse(await cancelTurn(c.get("ctx"), c.get("credential"), turnIdOf(params.response_id)), null),
  )
}

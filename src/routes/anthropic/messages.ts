import { COUNT_MESSAGE_TOKENS_ERRORS, countMessageTokens, tokenCountSchema } from "../../anthropic/count-tokens.ts"
import { createMessage } from "../../anthropic/create-message.ts"
import { messageSchema, serializeMessage } from "../../anthropic/message-object.ts"
import { countTokensSchema, createMessageSchema } from "../../anthropic/request-fields.ts"
import { streamMessage } from "../../anthropic/stream-message.ts"
import { DIALECT_POLICY } from "../../dialects/policies.ts"
import { AWAIT_END_ERRORS, awaitEnd } from "../../dialects/reply.ts"
import { SEND_DIALECT_TURN_ERRORS } from "../../dialects/send-turn.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import {
  answerStream,
  dialectRequest,
  TURN_ANSWER_HEADERS,
  TURN_HEADER_ERRORS,
  turnHeaders,
} from "../dialects/turn-request.ts"
import { KEY_HEADERS, ANTHROPIC_TAG as tag } from "./shared.ts"

export function mountMessages(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/anthropic/v1/messages",
      id: "createMessage",
      dialect: "anthropic",
      tag,
      summary: "Create a message",
      description:
        "Anthropic's Messages API for the agent of a space: `model` is the space's id. A message is a turn, so holds, caps, bills, webhooks " +
        "and errors are those of `POST /v1/turns`. `turn` in the answer has the bill.\n\n" +
        "A turn that ends without a reply is 400 `TURN_FAILED`, and one that waits is 400 `TURN_WAITING`, or an error in the stream. " +
        "See [Anthropic clients](/docs/anthropic).",
      headers: [...KEY_HEADERS, ...turnHeaders({ service: "Anthropic", fields: "before `metadata.user_id`" })],
      body: createMessageSchema,
      maxBytes: DIALECT_POLICY.bodyBytes,
      answer: {
        status: 200,
        description: "The message.",
        schema: messageSchema,
        headers: TURN_ANSWER_HEADERS,
        also: { "text/event-stream": "Events from `message_start` to `message_stop`. `message_delta` has `turn`." },
      },
      errors: [...SEND_DIALECT_TURN_ERRORS, ...TURN_HEADER_ERRORS, ...AWAIT_END_ERRORS, "TURN_FAILED"],
    },
    async (c, { body }) => {
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const sent = await createMessage(ctx, credential, dialectRequest(c, body))
      const turn = madeOf(c, sent)
      if (!body.stream) return serializeMessage(await awaitEnd(ctx, credential, sent, c.req.raw.signal))
      const { log, requestId } = ctx
      return answerStream(c, { turn, own: sent.own }, (pieces) => streamMessage(pieces, { turn, requestId, log }))
    },
  )

  app.operation(
    {
      method: "post",
      path: "/v1/anthropic/v1/messages/count_tokens",
      id: "countMessageTokens",
      dialect: "anthropic",
      idempotent: "naturally",
      tag,
      summary: "Estimate the tokens of a message",
      description:
        "An estimate of the prompt, with the instructions and REST tools of the space: one token for four bytes. Files, and tools that " +
        "are built in or of MCP servers, are not counted. No turn is created.",
      headers: KEY_HEADERS,
      body: countTokensSchema,
      maxBytes: DIALECT_POLICY.bodyBytes,
      answer: { status: 200, description: "The estimate.", schema: tokenCountSchema },
      errors: COUNT_MESSAGE_TOKENS_ERRORS,
    },
    (c, { body }) => countMessageTokens(c.get("ctx"), c.get("credential"), body),
  )
}

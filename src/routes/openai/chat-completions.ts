import { DIALECT_POLICY } from "../../dialects/policies.ts"
import { AWAIT_END_ERRORS, awaitEnd } from "../../dialects/reply.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { chatCompletionSchema, serializeChatCompletion } from "../../openai/chat-completion-object.ts"
import { createChatCompletion, createChatCompletionSchema } from "../../openai/create-chat-completion.ts"
import { streamChatCompletion } from "../../openai/stream-chat-completion.ts"
import { answerStream, dialectRequest, TURN_ANSWER_HEADERS } from "../dialects/turn-request.ts"
import { TURN_ERRORS, TURN_HEADERS, OPENAI_TAG as tag } from "./turn-operations.ts"

export function mountChatCompletions(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/openai/chat/completions",
      id: "createChatCompletion",
      dialect: "openai",
      tag,
      summary: "Create a chat completion",
      description:
        "OpenAI's Chat Completions API for the agent of a space, for chat interfaces: `model` is the space's id. A completion is a " +
        "turn, so holds, caps, bills, webhooks and errors are those of `POST /v1/turns`. `turn` in the answer has the bill.\n\n" +
        "A turn that ends without a reply is 400 `TURN_FAILED`, and one that waits is 400 `TURN_WAITING`, or an error in the stream. " +
        "See [OpenAI clients](/docs/openai).",
      headers: TURN_HEADERS,
      body: createChatCompletionSchema,
      maxBytes: DIALECT_POLICY.bodyBytes,
      answer: {
        status: 200,
        description: "The completion.",
        schema: chatCompletionSchema,
        headers: TURN_ANSWER_HEADERS,
        also: { "text/event-stream": "One message per chunk, then `[DONE]`." },
      },
      errors: [...TURN_ERRORS, ...AWAIT_END_ERRORS, "TURN_FAILED"],
    },
    async (c, { body }) => {
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const sent = await createChatCompletion(ctx, credential, dialectRequest(c, body))
      const turn = madeOf(c, sent)
      if (body.stream) {
        const includesUsage = body.stream_options?.include_usage ?? false
        const { log } = ctx
        return answerStream(c, { turn, own: sent.own }, (pieces) =>
          streamChatCompletion(pieces, { turn, includesUsage, log }),
        )
      }
      return serializeChatCompletion(await awaitEnd(ctx, credential, sent, c.req.raw.signal))
    },
  )
}

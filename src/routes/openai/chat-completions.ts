import { TurnpikeError } from "../../base/errors.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { chatCompletionSchema, serializeChatCompletion } from "../../openai/chat-completion-object.ts"
import { createChatCompletion, createChatCompletionSchema } from "../../openai/create-chat-completion.ts"
import { OPENAI_POLICY } from "../../openai/policies.ts"
import { streamChatCompletion } from "../../openai/stream-chat-completion.ts"
import { turnWaiting } from "../../openai/turn-waiting.ts"
import { waitForSent } from "../../turns/send-turn.ts"
import { isTerminal, isWaiting } from "../../turns/turn-row.ts"
import {
  answerStream,
  openAiRequest,
  TURN_ANSWER_HEADERS,
  TURN_ERRORS,
  TURN_HEADERS,
  OPENAI_TAG as tag,
} from "./request.ts"

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
      maxBytes: OPENAI_POLICY.bodyBytes,
      answer: {
        status: 200,
        description: "The completion.",
        schema: chatCompletionSchema,
        headers: TURN_ANSWER_HEADERS,
        also: { "text/event-stream": "One message per chunk, then `[DONE]`." },
      },
      errors: [...TURN_ERRORS, "TURN_FAILED", "TURN_WAITING"],
    },
    async (c, { body }) => {
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const sent = await createChatCompletion(ctx, credential, openAiRequest(c, body))
      const turn = madeOf(c, sent)
      if (body.stream) {
        const includesUsage = body.stream_options?.include_usage ?? false
        const { log } = ctx
        return answerStream(c, { turn, own: sent.own }, (pieces) =>
          streamChatCompletion(pieces, { turn, includesUsage, log }),
        )
      }
      const until = ctx.clock.now().getTime() + OPENAI_POLICY.waitSeconds * 1000
      const ended = await waitForSent(ctx, credential, sent, { until, signal: c.req.raw.signal })
      if (isWaiting(ended)) throw turnWaiting(ended)
      if (!isTerminal(ended.state)) {
        throw new TurnpikeError(
          "UNAVAILABLE",
          `The turn ${turn.turn_id} has not ended yet. Read it with GET /v1/turns.`,
        )
      }
      return serializeChatCompletion(ended)
    },
  )
}

import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { type DialectRequest, knowRequest, sendDialectTurn } from "../dialects/send-turn.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import { messagesOf } from "./content.ts"
import { type CreateMessage, messageFormatOf, messageReasoningOf } from "./request-fields.ts"
import { turnTools } from "./tool-fields.ts"

/** Accepts the turn of a message. Throws the errors of `sendDialectTurn`. */
export async function createMessage(
  ctx: Context,
  credential: Credential,
  request: DialectRequest<CreateMessage>,
): Promise<SentTurn> {
  const { body, endUserRef } = request
  const [reasoning, format] = [messageReasoningOf(body), messageFormatOf(body)]
  const settings = {
    max_output_tokens: body.max_tokens,
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(body.stop_sequences && { stop: body.stop_sequences }),
    ...(reasoning && { reasoning }),
    ...(format && { response_format: format }),
    ...turnTools(body),
  }
  const messages = messagesOf(body)
  const known = await knowRequest(ctx, credential, {
    dialect: "anthropic",
    request,
    // Agents of Anthropic always send a user_id of their own, so the header counts first.
    named: endUserRef ?? body.metadata?.user_id ?? undefined,
    ...(endUserRef === undefined && { namedIn: "metadata.user_id" }),
    content: { body },
  })
  return sendDialectTurn(ctx, credential, {
    ...known,
    space: body.model,
    messages,
    field: "messages",
    settings,
    names: {
      end_user_ref: "metadata.user_id",
      max_output_tokens: "max_tokens",
      stop: "stop_sequences",
      response_format: "output_config.format",
    },
  })
}

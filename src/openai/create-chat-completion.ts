import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import {
  conversationField,
  effortField,
  emptyToolFields,
  ignoredFields,
  messageRole,
  NO_FORMAT,
  NO_LOG_PROBABILITIES,
  outputField,
  reasoningOf,
  refused,
  sharedFields,
  withoutNulls,
} from "./common-fields.ts"
import type { PlainMessage } from "./plain-messages.ts"
import { OPENAI_POLICY } from "./policies.ts"
import { type OpenAiRequest, sendOpenAiTurn } from "./send-turn.ts"

const chatPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string().min(1) }) }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_id: z.string().min(1).max(64).nullish(),
      file_data: z.string().min(1).nullish(),
      filename: z.string().max(1024).nullish(),
    }),
  }),
])

const NO_CALLS = "tools run in the space, so messages have no tool calls"

const chatMessage = z
  .object({
    role: messageRole,
    content: z.union([z.string(), z.array(chatPart)]).nullish(),
    tool_calls: z.array(z.unknown()).max(0, NO_CALLS).nullish(),
  })
  .meta({ id: "ChatMessage" })

export const createChatCompletionSchema = z.preprocess(
  withoutNulls,
  z
    .strictObject({
      ...sharedFields,
      messages: z
        .array(chatMessage)
        .min(1)
        .max(OPENAI_POLICY.messages)
        .meta({
          description:
            "The messages of the chat; the last one is the user's. System messages and earlier messages are quoted in the text of the " +
            "turn. With `conversation`, only the messages after the last reply are sent, since the space knows the earlier ones.",
          example: [{ role: "user", content: "Where is my order?" }],
        }),
      conversation: conversationField.meta({
        description:
          "Not a field of OpenAI: the conversation of the space that the chat continues, as an id (`conv_…`) or a name. Default: " +
          "a new conversation.",
        example: "ticket-1001",
      }),
      stream: z.boolean().optional().meta({ description: "True: the answer is a stream of server-sent events." }),
      stream_options: z
        .object({ include_usage: z.boolean().nullish() })
        .optional()
        .meta({ description: "`include_usage`: the last chunk has the tokens." }),
      n: z.literal(1, { error: "a turn has one reply" }).optional(),
      response_format: z
        .object({ type: z.literal("text", { error: NO_FORMAT }) })
        .optional()
        .meta({ description: "The reply is always text." }),
      stop: z
        .array(z.string())
        .max(0, "a reply cannot be stopped at a word")
        .optional()
        .meta({ description: "Must be empty." }),
      logprobs: z.literal(false, { error: NO_LOG_PROBABILITIES }).optional(),
      modalities: z.array(z.literal("text", { error: "a reply is text" })).optional(),
      ...emptyToolFields,
      ...ignoredFields,
      frequency_penalty: ignoredFields.top_p,
      logit_bias: ignoredFields.top_p,
      moderation: ignoredFields.top_p,
      prediction: ignoredFields.top_p,
      presence_penalty: ignoredFields.top_p,
      reasoning_effort: effortField,
      seed: ignoredFields.top_p,
      store: ignoredFields.top_p,
      verbosity: ignoredFields.top_p,
      max_completion_tokens: outputField,
      max_tokens: outputField.meta({
        description: "The older name of `max_completion_tokens`. Used if that is missing.",
      }),
      top_logprobs: refused(NO_LOG_PROBABILITIES),
    })
    .meta({ id: "CreateChatCompletion" }),
)

export type CreateChatCompletion = z.output<typeof createChatCompletionSchema>

/** Accepts the turn of a chat completion. Throws the errors of `acceptTurn`. */
export function createChatCompletion(
  ctx: Context,
  credential: Credential,
  { body, ...request }: OpenAiRequest<CreateChatCompletion>,
): Promise<SentTurn> {
  const all = body.messages.map((message, place) => messageOf(message, `messages.${place}`))
  const last = all.findLastIndex(({ role }) => role === "assistant")
  const known = body.conversation === undefined ? -1 : last
  return sendOpenAiTurn(ctx, credential, {
    ...request,
    body,
    field: "messages",
    maxOutput: body.max_completion_tokens ?? body.max_tokens,
    outputField: body.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens",
    reasoning: reasoningOf(body.reasoning_effort),
    messages: all.filter(({ role }, place) => place > known || role === "system"),
    conversation: body.conversation,
  })
}

function messageOf({ role, content }: z.output<typeof chatMessage>, param: string): PlainMessage {
  const plainRole = role === "developer" ? "system" : role
  if (typeof content === "string") return { role: plainRole, text: content, attachments: [] }
  const texts: string[] = []
  const attachments: PlainMessage["attachments"] = []
  for (const [place, part] of (content ?? []).entries()) {
    const at = `${param}.content.${place}`
    if (part.type === "text") texts.push(part.text)
    else if (part.type === "refusal") texts.push(part.refusal)
    else if (part.type === "image_url") attachments.push({ param: at, ...imageAt(part.image_url.url) })
    else {
      const { file_id, file_data, filename } = part.file
      attachments.push({
        param: at,
        fileId: file_id ?? undefined,
        data: file_data ?? undefined,
        name: filename ?? undefined,
      })
    }
  }
  return { role: plainRole, text: texts.join("\n\n"), attachments }
}

/** The API has no field for the id of an image, so it may be in the place of the URL. */
const imageAt = (url: string) => (/^file_[0-9a-z]+$/.test(url) ? { fileId: url } : { data: url })

import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { invalid } from "../base/invalid-field.ts"
import { ignored, outputField, refused, stopField, withoutNulls } from "../dialects/fields.ts"
import { CONTINUE_DESCRIPTION, endedByUser, newMessages, type PlainMessage } from "../dialects/plain-messages.ts"
import { DIALECT_POLICY } from "../dialects/policies.ts"
import type { DialectRequest } from "../dialects/send-turn.ts"
import type { Attachment } from "../turns/attach-files.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import { callInputOf, chatToolFields, functionsOf } from "./caller-tools.ts"
import {
  chatSampling,
  conversationField,
  effortField,
  messageRole,
  NO_LOG_PROBABILITIES,
  reasoningOf,
  refusedExcept,
  sharedFields,
  storeField,
  untakenFields,
  VERBOSITY,
} from "./common-fields.ts"
import { chatFormatSchema, turnFormatOf } from "./response-format.ts"
import { sendOpenAiTurn } from "./send-turn.ts"

const TEXT_ONLY = "a reply is text"

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

const chatCall = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("function"),
    id: z.string().min(1).max(128),
    function: z.object({ name: z.string().min(1).max(128), arguments: z.string() }),
  }),
  z.object({
    type: z.literal("custom"),
    id: z.string().min(1).max(128),
    custom: z.object({ name: z.string().min(1).max(128), input: z.string() }),
  }),
])

const chatMessage = z
  .object({
    role: z.enum([...messageRole.options, "tool"]),
    content: z.union([z.string(), z.array(chatPart)]).nullish(),
    tool_calls: z.array(chatCall).nullish().meta({ description: "Calls that an earlier answer has made." }),
    tool_call_id: z.string().nullish().meta({ description: "The call that a message of a tool answers." }),
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
        .max(DIALECT_POLICY.messages)
        .meta({
          description:
            "The messages of the chat. They reach the model as messages; system messages follow the instructions of the space. With " +
            "`conversation`, only the messages after the last reply are sent, since the space knows the earlier ones. " +
            CONTINUE_DESCRIPTION,
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
        .meta({ description: "`include_usage`: the last chunk has the tokens. All other fields are ignored." }),
      n: refusedExcept(1, "a turn has one reply"),
      response_format: chatFormatSchema.optional(),
      stop: stopField,
      logprobs: refusedExcept(false, NO_LOG_PROBABILITIES),
      modalities: z
        .array(z.literal("text", { error: TEXT_ONLY }))
        .optional()
        .meta({ description: `Refused, except \`["text"]\`: ${TEXT_ONLY}.` }),
      audio: refused(TEXT_ONLY),
      ...chatToolFields,
      function_call: refused("send its newer form, `tool_choice`"),
      functions: refused("send their newer form, `tools`"),
      web_search_options: refused("models do not search the web by themselves. Give the space a tool that does"),
      ...untakenFields,
      ...chatSampling,
      prediction: ignored("it only makes a known reply faster"),
      reasoning_effort: effortField,
      store: storeField,
      verbosity: ignored(VERBOSITY),
      max_completion_tokens: outputField,
      max_tokens: outputField.meta({
        description: "The older name of `max_completion_tokens`. Used if that is missing.",
      }),
    })
    .meta({ id: "CreateChatCompletion" }),
)

export type CreateChatCompletion = z.output<typeof createChatCompletionSchema>

/** Accepts the turn of a chat completion. Throws the errors of `acceptTurn`. */
export function createChatCompletion(
  ctx: Context,
  credential: Credential,
  { body, ...request }: DialectRequest<CreateChatCompletion>,
): Promise<SentTurn> {
  const all = endedByUser(body.messages.map((message, place) => messageOf(message, `messages.${place}`)))
  return sendOpenAiTurn(ctx, credential, {
    ...request,
    body,
    field: "messages",
    maxOutput: body.max_completion_tokens ?? body.max_tokens,
    outputField: body.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens",
    reasoning: reasoningOf(body.reasoning_effort),
    format: turnFormatOf(body.response_format),
    stop: body.stop,
    tools: functionsOf(
      (body.tools ?? []).map((tool) => tool.function),
      {
        choice: typeof body.tool_choice === "object" ? body.tool_choice.function : body.tool_choice,
        parallel: body.parallel_tool_calls,
        inside: "function.",
      },
    ),
    messages: body.conversation === undefined ? all : newMessages(all),
    conversation: body.conversation,
  })
}

function messageOf(
  { role, content, tool_calls, tool_call_id }: z.output<typeof chatMessage>,
  param: string,
): PlainMessage {
  const parts =
    typeof content === "string"
      ? [content]
      : (content ?? []).map((part, place) => partOf(part, `${param}.content.${place}`))
  if (role === "tool") {
    if (!tool_call_id) throw invalid("is required", `${param}.tool_call_id`)
    return { role, id: tool_call_id, output: parts.filter((part) => typeof part === "string").join("\n\n") }
  }
  const calls = (tool_calls ?? []).map((call) =>
    call.type === "function"
      ? { id: call.id, name: call.function.name, input: callInputOf(call.function.arguments) }
      : { id: call.id, name: call.custom.name, input: callInputOf(call.custom.input) },
  )
  return { role: role === "developer" ? "system" : role, parts, ...(calls.length > 0 && { calls }) }
}

function partOf(part: z.output<typeof chatPart>, param: string): string | Attachment {
  if (part.type === "text") return part.text
  if (part.type === "refusal") return part.refusal
  if (part.type === "image_url") return { param, ...imageAt(part.image_url.url) }
  const { file_id, file_data, filename } = part.file
  return { param, fileId: file_id ?? undefined, data: file_data ?? undefined, name: filename ?? undefined }
}

/** The API has no field for the id of an image, so it may be in the place of the URL. */
const imageAt = (url: string) => (/^file_[0-9a-z]+$/.test(url) ? { fileId: url } : { data: url, isImage: true })

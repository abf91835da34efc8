import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { isFields } from "../base/fields.ts"
import { invalid } from "../base/invalid-field.ts"
import type { Attachment } from "../turns/attach-files.ts"
import { getTurn } from "../turns/get-turn.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import { responseToolFields, turnToolsOf } from "./caller-tools.ts"
import {
  conversationField,
  effortField,
  ignoredFields,
  messageRole,
  NO_LOG_PROBABILITIES,
  outputField,
  reasoningOf,
  refused,
  sharedFields,
  storeField,
  withoutNulls,
} from "./common-fields.ts"
import { turnIdOf } from "./ids.ts"
import type { PlainMessage } from "./plain-messages.ts"
import { OPENAI_POLICY } from "./policies.ts"
import { textFormatSchema, turnFormatOf } from "./response-format.ts"
import { type OpenAiRequest, sendOpenAiTurn } from "./send-turn.ts"

const fileId = z.string().min(1).max(64)
const dataUrl = z.string().min(1)

const inputPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input_text"), text: z.string() }),
  z.object({ type: z.literal("output_text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
  z.object({ type: z.literal("input_image"), file_id: fileId.nullish(), image_url: dataUrl.nullish() }),
  z.object({
    type: z.literal("input_file"),
    file_id: fileId.nullish(),
    file_data: dataUrl.nullish(),
    file_url: dataUrl.nullish(),
    filename: z.string().max(1024).nullish(),
  }),
])

const inputMessage = z
  .object({
    type: z.literal("message"),
    role: messageRole,
    content: z.union([z.string(), z.array(inputPart)]),
  })
  .meta({ id: "ResponseInputMessage" })

const itemReference = z
  .object({ type: z.literal("item_reference"), id: z.string().min(1).max(128) })
  .meta({ id: "ResponseItemReference", description: "The id of a message of an earlier response, `msg_…`." })

const functionCall = z
  .object({
    type: z.literal("function_call"),
    call_id: z.string().min(1).max(128),
    name: z.string().min(1).max(128),
    arguments: z.string(),
  })
  .meta({ id: "ResponseFunctionCall", description: "A call that an earlier answer has made." })

const functionOutput = z
  .object({
    type: z.literal("function_call_output"),
    call_id: z.string().min(1).max(128),
    output: z.union([z.string(), z.array(z.object({ type: z.literal("input_text"), text: z.string() }))]),
  })
  .meta({ id: "ResponseFunctionOutput" })

const reasoningItem = z
  .looseObject({ type: z.literal("reasoning") })
  .meta({ id: "ResponseReasoning", description: "Ignored: a turn keeps its own reasoning." })

/** OpenAI's clients leave out the type of a message. */
const inputItem = z.preprocess(
  (item) => (isFields(item) && item.type === undefined ? { ...item, type: "message" } : item),
  z.discriminatedUnion("type", [inputMessage, itemReference, functionCall, functionOutput, reasoningItem]),
)

export const createResponseSchema = z.preprocess(
  withoutNulls,
  z
    .strictObject({
      ...sharedFields,
      input: z.union([z.string(), z.array(inputItem).min(1).max(OPENAI_POLICY.messages)]).meta({
        description:
          "The text, or messages with text, images and files. Files are named by the `file_id` of a file of the space, or sent as " +
          "`data:` URLs. Earlier messages reach the model as messages.",
        example: "Where is my order?",
      }),
      instructions: z
        .string()
        .max(100_000)
        .optional()
        .meta({ description: "Instructions for this response. They follow the instructions of the space." }),
      conversation: conversationField.meta({
        description:
          "The conversation that the response continues: its id (`conv_…`), a name of your choice, or an object with " +
          "the `id`. Default: a new conversation.",
        example: "ticket-1001",
      }),
      previous_response_id: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .meta({ description: "The response to continue. It must be the last one of its conversation." }),
      background: z
        .boolean()
        .optional()
        .meta({ description: "True: the answer is returned at once, and you read or cancel the response later." }),
      stream: z.boolean().optional().meta({ description: "True: the answer is a stream of server-sent events." }),
      stream_options: z.object({}).optional().meta({ description: "Ignored." }),
      store: storeField,
      text: z
        .object({ format: z.preprocess((format) => format ?? undefined, textFormatSchema.optional()) })
        .optional()
        .meta({ description: "`format`: the form of the reply. All other fields are ignored." }),
      ...responseToolFields,
      ...ignoredFields,
      context_management: ignoredFields.top_p,
      include: ignoredFields.top_p,
      max_tool_calls: ignoredFields.top_p,
      moderation: ignoredFields.top_p,
      reasoning: z
        .looseObject({ effort: z.preprocess((effort) => effort ?? undefined, effortField) })
        .optional()
        .meta({ description: "`effort`; all other fields are ignored.", example: { effort: "low" } }),
      truncation: ignoredFields.top_p,
      max_output_tokens: outputField,
      prompt: refused("prompts belong to the space: set its `instructions` in the manifest"),
      top_logprobs: refused(NO_LOG_PROBABILITIES),
    })
    .refine((body) => body.conversation === undefined || body.previous_response_id === undefined, {
      error: "cannot be sent together with `conversation`",
      path: ["previous_response_id"],
    })
    .meta({ id: "CreateResponse" }),
)

export type CreateResponse = z.output<typeof createResponseSchema>

/** Accepts the turn of a response. Throws the errors of `acceptTurn`. */
export async function createResponse(
  ctx: Context,
  credential: Credential,
  { body, ...request }: OpenAiRequest<CreateResponse>,
): Promise<SentTurn> {
  return sendOpenAiTurn(ctx, credential, {
    ...request,
    body,
    field: "input",
    maxOutput: body.max_output_tokens,
    outputField: "max_output_tokens",
    reasoning: reasoningOf(body.reasoning?.effort),
    format: turnFormatOf(body.text?.format),
    tools: turnToolsOf({
      tools: body.tools ?? [],
      choice: body.tool_choice,
      parallel: body.parallel_tool_calls,
      inside: "",
    }),
    messages: await messagesOf(ctx, credential, body),
    conversation: body.conversation,
    previousResponse: body.previous_response_id,
  })
}

async function messagesOf(
  ctx: Context,
  credential: Credential,
  { input, instructions }: CreateResponse,
): Promise<PlainMessage[]> {
  const told: PlainMessage[] = instructions ? [{ role: "system", parts: [instructions] }] : []
  if (typeof input === "string") return [...told, { role: "user", parts: [input] }]
  const references = [...new Set(input.flatMap((item) => (item.type === "item_reference" ? [item.id] : [])))]
  if (references.length > OPENAI_POLICY.references) {
    throw invalid(
      `has more than ${OPENAI_POLICY.references} references. Send a \`conversation\` instead of earlier messages`,
      "input",
    )
  }
  const replies = new Map<string, PlainMessage>()
  for (const id of references) {
    const { result } = await getTurn(ctx, credential, turnIdOf(id))
    replies.set(id, { role: "assistant", parts: [result ?? ""] })
  }
  const said: PlainMessage[] = []
  for (const [place, item] of input.entries()) {
    if (item.type === "message") said.push(messageOf(item, `input.${place}`))
    else if (item.type === "item_reference") said.push(...[replies.get(item.id) ?? []].flat())
    else if (item.type === "function_call") {
      const call = { id: item.call_id, name: item.name, arguments: item.arguments }
      const last = said.at(-1)
      // Calls of one answer are items of their own.
      if (last?.role === "assistant") last.calls = [...(last.calls ?? []), call]
      else said.push({ role: "assistant", parts: [], calls: [call] })
    } else if (item.type === "function_call_output") {
      const output = typeof item.output === "string" ? item.output : item.output.map(({ text }) => text).join("\n\n")
      said.push({ role: "tool", id: item.call_id, output })
    }
  }
  return [...told, ...said]
}

function messageOf({ role, content }: z.output<typeof inputMessage>, param: string): PlainMessage {
  return {
    role: role === "developer" ? "system" : role,
    parts:
      typeof content === "string" ? [content] : content.map((part, place) => partOf(part, `${param}.content.${place}`)),
  }
}

function partOf(part: z.output<typeof inputPart>, param: string): string | Attachment {
  if (part.type === "input_text" || part.type === "output_text") return part.text
  if (part.type === "refusal") return part.refusal
  const fileId = part.file_id ?? undefined
  if (part.type === "input_image") return { param, fileId, data: part.image_url ?? undefined, isImage: true }
  return { param, fileId, data: part.file_data ?? part.file_url ?? undefined, name: part.filename ?? undefined }
}

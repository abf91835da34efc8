import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { isFields } from "../base/fields.ts"
import { invalid } from "../base/invalid-field.ts"
import { ignored, outputField, refused, withoutNulls } from "../dialects/fields.ts"
import { CONTINUE_DESCRIPTION, endedByUser, type PlainMessage } from "../dialects/plain-messages.ts"
import { DIALECT_POLICY } from "../dialects/policies.ts"
import type { DialectRequest } from "../dialects/send-turn.ts"
import type { Attachment } from "../turns/attach-files.ts"
import { getTurn } from "../turns/get-turn.ts"
import type { SentTurn } from "../turns/send-turn.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { callItemsOf, type ResponseCall } from "./call-items.ts"
import { callInputOf, functionsOf, responseToolFields } from "./caller-tools.ts"
import {
  conversationField,
  effortField,
  messageRole,
  NO_LOG_PROBABILITIES,
  reasoningOf,
  sharedFields,
  storeField,
  untakenFields,
} from "./common-fields.ts"
import { turnIdOf } from "./ids.ts"
import { textFormatSchema, turnFormatOf } from "./response-format.ts"
import { sendOpenAiTurn } from "./send-turn.ts"

const LONG_PROMPTS = "a prompt that is too long leaves out its oldest part"

/** Log probabilities, as `include` names them. */
const LOG_PROBABILITIES = "message.output_text.logprobs"

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

const itemReference = z.object({ type: z.literal("item_reference"), id: z.string().min(1).max(128) }).meta({
  id: "ResponseItemReference",
  description: "The id of a message or a call of an earlier response, `msg_…` or `fc_…`.",
})

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
      input: z.union([z.string(), z.array(inputItem).min(1).max(DIALECT_POLICY.messages)]).meta({
        description:
          "The text, or messages with text, images and files. Files are named by the `file_id` of a file of the space, or sent as " +
          "`data:` URLs. Earlier messages reach the model as messages. " +
          CONTINUE_DESCRIPTION,
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
      stream_options: ignored("events have no padding"),
      store: storeField,
      text: z
        .object({ format: z.preprocess((format) => format ?? undefined, textFormatSchema.optional()) })
        .optional()
        .meta({ description: "`format`: the form of the reply. All other fields are ignored." }),
      ...responseToolFields,
      ...untakenFields,
      access_programs: ignored("the provider's account decides"),
      context_management: ignored(LONG_PROMPTS),
      image: ignored("a turn decides how a picture is sent"),
      include: z
        .array(z.string().refine((item) => item !== LOG_PROBABILITIES, { error: NO_LOG_PROBABILITIES }))
        .optional()
        .meta({
          description: `Ignored: an answer has all that a turn has. Only \`${LOG_PROBABILITIES}\` is refused: ${NO_LOG_PROBABILITIES}.`,
        }),
      max_tool_calls: ignored("it counts OpenAI's own tools. `max_cost_usd` limits a turn"),
      reasoning: z
        .looseObject({ effort: z.preprocess((effort) => effort ?? undefined, effortField) })
        .optional()
        .meta({ description: "`effort`; all other fields are ignored.", example: { effort: "low" } }),
      truncation: ignored(LONG_PROMPTS),
      max_output_tokens: outputField,
      prompt: refused("prompts belong to the space: set its `instructions` in the manifest"),
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
  { body, ...request }: DialectRequest<CreateResponse>,
): Promise<SentTurn> {
  return sendOpenAiTurn(ctx, credential, {
    ...request,
    body,
    field: "input",
    maxOutput: body.max_output_tokens,
    outputField: "max_output_tokens",
    reasoning: reasoningOf(body.reasoning?.effort),
    format: turnFormatOf(body.text?.format),
    tools: functionsOf(body.tools ?? [], {
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
  if (references.length > DIALECT_POLICY.references) {
    throw invalid(
      `has more than ${DIALECT_POLICY.references} references. Send a \`conversation\` instead of earlier messages`,
      "input",
    )
  }
  const turns = new Map<string, TurnRow>()
  for (const id of references) turns.set(id, await getTurn(ctx, credential, turnIdOf(id)))
  const said: PlainMessage[] = []
  for (const [place, item] of input.entries()) {
    if (item.type === "message") said.push(messageOf(item, `input.${place}`))
    else if (item.type === "item_reference") addReferred(said, item.id, turns.get(item.id))
    else if (item.type === "function_call") addCall(said, item)
    else if (item.type === "function_call_output") {
      const output = typeof item.output === "string" ? item.output : item.output.map(({ text }) => text).join("\n\n")
      said.push({ role: "tool", id: item.call_id, output })
    }
  }
  return endedByUser([...told, ...said])
}

/** Adds what an earlier response has under this id: one of its calls, or its reply. */
function addReferred(said: PlainMessage[], id: string, turn: TurnRow | undefined): void {
  const call = turn && callItemsOf(turn).find((item) => item.id === id)
  if (call) addCall(said, call)
  else if (turn) said.push({ role: "assistant", parts: [turn.result ?? ""] })
}

/** Calls of one answer are items of their own. */
function addCall(
  said: PlainMessage[],
  { call_id: id, name, arguments: written }: Omit<ResponseCall, "id" | "status">,
): void {
  const call = { id, name, input: callInputOf(written) }
  const last = said.at(-1)
  if (last?.role === "assistant") last.calls = [...(last.calls ?? []), call]
  else said.push({ role: "assistant", parts: [], calls: [call] })
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

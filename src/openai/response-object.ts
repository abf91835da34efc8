import * as z from "zod"
import { metadataSchema } from "../base/metadata.ts"
import { messageIdOf } from "../dialects/ids.ts"
import { errorOf } from "../dialects/reply.ts"
import { turnOfAnswer, turnOfAnswerSchema } from "../dialects/turn-of-answer.ts"
import type { TurnState } from "../turns/schemas.ts"
import { formatOf, type TurnRow } from "../turns/turn-row.ts"
import { callItemsOf, callSchema } from "./call-items.ts"
import type { CreateResponse } from "./create-response.ts"
import { responseIdOf } from "./ids.ts"
import { shownFormatOf, textFormatSchema } from "./response-format.ts"

const textPartSchema = z
  .object({
    type: z.literal("output_text"),
    text: z.string().meta({ example: "It left this morning." }),
    annotations: z
      .array(z.object({ type: z.literal("file_path"), file_id: z.string(), index: z.int().meta({ example: 21 }) }))
      .meta({ description: "The files that the agent made. Read them with `GET /v1/files/{file_id}/content`." }),
    logprobs: z.array(z.unknown()).meta({ example: [] }),
  })
  .meta({ id: "ResponseText" })

const messageSchema = z
  .object({
    type: z.literal("message"),
    id: z.string().meta({ example: "msg_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    status: z.enum(["in_progress", "completed", "incomplete"]).meta({ example: "completed" }),
    role: z.literal("assistant"),
    phase: z.enum(["commentary", "final_answer"]).meta({
      description: "`commentary`: text before a tool call. Only a stream has it.",
      example: "final_answer",
    }),
    content: z.array(textPartSchema),
  })
  .meta({ id: "ResponseMessage" })

export type ResponseMessage = z.input<typeof messageSchema>

const STATUSES: Record<TurnState, "queued" | "in_progress" | "completed" | "failed" | "cancelled"> = {
  queued: "queued",
  running: "in_progress",
  done: "completed",
  failed: "failed",
  cancelled: "cancelled",
}

const USAGE = {
  input_tokens: 812,
  input_tokens_details: { cached_tokens: 640 },
  output_tokens: 64,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 876,
}

const responseUsageSchema = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cached_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.object({
      reasoning_tokens: z
        .int()
        .meta({ description: "The part of `output_tokens` that is reasoning. 0 if the provider does not count it." }),
    }),
    total_tokens: z.int(),
  })
  .meta({ id: "ResponseUsage", example: USAGE })

const errorSchema = z.object({ type: z.string(), code: z.string(), message: z.string(), param: z.null() })

type ResponseError = z.input<typeof errorSchema>

export const responseSchema = z
  .object({
    id: z
      .string()
      .meta({ description: "The id of the turn, with another prefix.", example: "resp_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    object: z.literal("response"),
    created_at: z.int().meta({ example: 1_768_469_400 }),
    completed_at: z.int().nullable().meta({ example: 1_768_469_402 }),
    status: z
      .enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"])
      .meta({ description: "`incomplete`: the reply was cut off at an output limit.", example: "completed" }),
    background: z.boolean().nullable().meta({ description: "Null if the response is only read.", example: false }),
    error: errorSchema
      .nullable()
      .meta({ description: "Why the turn failed or was cancelled, with our code.", example: null }),
    incomplete_details: z.object({ reason: z.string() }).nullable().meta({ example: null }),
    instructions: z.string().nullable().meta({ example: null }),
    max_output_tokens: z.int().nullable().meta({ example: null }),
    metadata: metadataSchema,
    model: z.string().meta({ description: "The space.", example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    output: z.array(z.union([messageSchema, callSchema])),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable().meta({ example: null }),
    reasoning: z
      .object({ effort: z.string().nullable(), summary: z.string().nullable() })
      .meta({ example: { effort: null, summary: null } }),
    conversation: z.object({ id: z.string() }).meta({ example: { id: "conv_01jd3k9m2x4t8r5w6y7z0a1b2c" } }),
    safety_identifier: z.string().meta({ description: "Your own id for the end user.", example: "customer-42" }),
    store: z.boolean(),
    temperature: z.number().nullable().meta({ example: null }),
    text: z.object({ format: textFormatSchema }).meta({ example: { format: { type: "text" } } }),
    tool_choice: z.unknown().meta({ description: "As it was sent.", example: "auto" }),
    tools: z.array(z.unknown()).meta({ example: [] }),
    top_p: z.number().nullable().meta({ example: null }),
    truncation: z.string().meta({ example: "disabled" }),
    usage: responseUsageSchema.nullable().meta({
      description: "The tokens of all model calls of the turn. Null until it has ended.",
      example: USAGE,
    }),
    user: z.string().meta({ example: "customer-42" }),
    turn: turnOfAnswerSchema,
  })
  .meta({ id: "Response" })

export type ResponseObject = z.input<typeof responseSchema>

const seconds = (at: string | null) => (at === null ? null : Math.floor(new Date(at).getTime() / 1000))

/** The parts of a request that its answer repeats. A response that is only read does not have them. */
export type AskedResponse = Pick<
  CreateResponse,
  "background" | "previous_response_id" | "instructions" | "parallel_tool_calls" | "tool_choice" | "tools"
>

/** A turn as OpenAI's response. `messages` replaces the reply, as a stream has shown it. */
export function serializeResponse(
  row: TurnRow,
  asked: AskedResponse | null,
  messages?: ResponseMessage[],
): ResponseObject {
  const isCut = row.state === "done" && row.truncated
  return {
    id: responseIdOf(row.turn_id),
    object: "response",
    created_at: seconds(row.created_at) ?? 0,
    completed_at: row.state === "done" ? seconds(row.finished_at) : null,
    status: isCut ? "incomplete" : STATUSES[row.state],
    background: asked ? (asked.background ?? false) : null,
    error: responseErrorOf(row),
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    instructions: asked?.instructions ?? null,
    max_output_tokens: row.max_output_tokens,
    metadata: row.metadata,
    model: row.space,
    output: [...(messages ?? messagesOf(row)), ...callItemsOf(row)],
    parallel_tool_calls: asked?.parallel_tool_calls ?? true,
    previous_response_id: asked?.previous_response_id ?? null,
    reasoning: { effort: row.reasoning_effort, summary: null },
    conversation: { id: row.conversation_id },
    safety_identifier: row.end_user_ref,
    store: row.store,
    temperature: row.temperature,
    text: { format: shownFormatOf(formatOf(row)) },
    tool_choice: asked?.tool_choice ?? "auto",
    tools: asked?.tools ?? [],
    top_p: null,
    truncation: "disabled",
    usage: row.finished_at === null ? null : usageOf(row),
    user: row.end_user_ref,
    turn: turnOfAnswer(row),
  }
}

/** Why a turn has no reply. The type says that a repeat does not help: frameworks would send another turn. */
export function responseErrorOf(row: TurnRow): ResponseError | null {
  const error = errorOf(row)
  return error && { type: "invalid_request_error", ...error, param: null }
}

/** The reply. A turn that only calls functions has none. */
function messagesOf(row: TurnRow): ResponseMessage[] {
  const { result, calls } = row
  return result === null || (result === "" && (calls ?? []).length > 0) ? [] : [messageOf(row, result)]
}

function messageOf(row: TurnRow, text: string): ResponseMessage {
  return {
    type: "message",
    id: messageIdOf(row.turn_id),
    status: row.state === "done" && !row.truncated ? "completed" : "incomplete",
    role: "assistant",
    phase: "final_answer",
    content: [textPartOf(text, row)],
  }
}

/** A part with text, and for the reply of an ended turn with the files that the agent made. */
export function textPartOf(text: string, row?: TurnRow): ResponseMessage["content"][number] {
  const files = (row?.outputs ?? []).map(({ file_id }) => ({ type: "file_path" as const, file_id, index: text.length }))
  return { type: "output_text", text, annotations: files, logprobs: [] }
}

const usageOf = ({ tokens_input, tokens_cached, tokens_output, tokens_reasoning }: TurnRow) => ({
  input_tokens: tokens_input,
  input_tokens_details: { cached_tokens: tokens_cached },
  output_tokens: tokens_output,
  output_tokens_details: { reasoning_tokens: tokens_reasoning },
  total_tokens: tokens_input + tokens_output,
})

import * as z from "zod"
import { requireReply } from "../dialects/reply.ts"
import { turnOfAnswer, turnOfAnswerSchema } from "../dialects/turn-of-answer.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { completionIdOf } from "./ids.ts"

const USAGE = {
  prompt_tokens: 812,
  completion_tokens: 64,
  total_tokens: 876,
  prompt_tokens_details: { cached_tokens: 640 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

const usageSchema = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
  })
  .meta({ id: "ChatUsage", example: USAGE })

export const chatCompletionSchema = z
  .object({
    id: z.string().meta({
      description: "The id of the turn, with another prefix.",
      example: "chatcmpl-01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    object: z.literal("chat.completion"),
    created: z.int().meta({ example: 1_768_469_400 }),
    model: z.string().meta({ description: "The space.", example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    choices: z.array(
      z.object({
        index: z.int().meta({ example: 0 }),
        message: z.object({
          role: z.literal("assistant"),
          content: z
            .string()
            .nullable()
            .meta({ description: "Null: the answer has only calls.", example: "It left this morning." }),
          refusal: z.string().nullable().meta({ example: null }),
          tool_calls: z
            .array(
              z
                .object({
                  id: z.string().meta({ example: "call_01jd3k9m2x4t8r5w6y7z0a1b2c_0_0" }),
                  type: z.literal("function"),
                  function: z.object({
                    name: z.string().meta({ example: "lookup_order" }),
                    arguments: z.string().meta({ description: "The input as JSON.", example: '{"id":"A-1001"}' }),
                  }),
                })
                .meta({ id: "ChatToolCall" }),
            )
            .optional()
            .meta({ description: "Calls of your functions. Missing without one." }),
        }),
        logprobs: z.null().meta({ example: null }),
        finish_reason: z.enum(["stop", "length", "tool_calls"]).meta({
          description:
            "`length`: the reply was cut off at an output limit. `tool_calls`: the answer calls your functions.",
          example: "stop",
        }),
      }),
    ),
    usage: usageSchema,
    turn: turnOfAnswerSchema,
  })
  .meta({ id: "ChatCompletion" })

export type ChatCompletion = z.input<typeof chatCompletionSchema>

const headOf = (row: TurnRow) => ({
  id: completionIdOf(row.turn_id),
  created: Math.floor(new Date(row.created_at).getTime() / 1000),
  model: row.space,
})

/** An ended turn as OpenAI's chat completion. Throws TURN_FAILED if it has no reply. */
export function serializeChatCompletion(row: TurnRow): ChatCompletion {
  requireReply(row)
  const calls = chatCallsOf(row)
  const message = {
    role: "assistant" as const,
    content: calls.length > 0 ? row.result || null : (row.result ?? ""),
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...headOf(row),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(row) }],
    usage: chatUsageOf(row),
    turn: turnOfAnswer(row),
  }
}

export const finishReasonOf = ({ truncated, calls }: TurnRow) =>
  (calls ?? []).length > 0 ? "tool_calls" : truncated ? "length" : "stop"

/** The calls of the caller's functions with which a turn has ended. */
export const chatCallsOf = ({ calls }: TurnRow) =>
  (calls ?? []).map(({ id, name, input }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  }))

export const chatUsageOf = ({ tokens_input, tokens_cached, tokens_output, tokens_reasoning }: TurnRow) => ({
  prompt_tokens: tokens_input,
  completion_tokens: tokens_output,
  total_tokens: tokens_input + tokens_output,
  prompt_tokens_details: { cached_tokens: tokens_cached },
  completion_tokens_details: { reasoning_tokens: tokens_reasoning },
})

/** One chunk of a streamed chat completion. */
export const chunkOf = (
  row: TurnRow,
  { choices, ...more }: { choices: object[]; usage?: object | null; turn?: object },
) => ({
  ...headOf(row),
  object: "chat.completion.chunk",
  choices,
  ...more,
})

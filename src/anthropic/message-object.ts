import * as z from "zod"
import { messageIdOf } from "../dialects/ids.ts"
import { requireReply } from "../dialects/reply.ts"
import { turnOfAnswer, turnOfAnswerSchema } from "../dialects/turn-of-answer.ts"
import type { TurnRow } from "../turns/turn-row.ts"

const USAGE = { input_tokens: 172, cache_creation_input_tokens: 0, cache_read_input_tokens: 640, output_tokens: 64 }

const usageSchema = z
  .object({
    input_tokens: z
      .int()
      .meta({ description: "Prompt tokens that were neither read from a cache nor written to one." }),
    cache_creation_input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    output_tokens: z.int(),
  })
  .meta({ id: "MessageUsage", example: USAGE })

const textSchema = z
  .object({
    type: z.literal("text"),
    text: z.string().meta({ example: "It left this morning." }),
    citations: z.null().meta({ example: null }),
  })
  .meta({ id: "MessageText" })

const callSchema = z
  .object({
    type: z.literal("tool_use"),
    id: z.string().meta({ example: "call_01jd3k9m2x4t8r5w6y7z0a1b2c_0_0" }),
    name: z.string().meta({ example: "lookup_order" }),
    input: z.record(z.string(), z.unknown()).meta({ example: { id: "A-1001" } }),
  })
  .meta({ id: "MessageToolUse", description: "A call of one of your tools." })

export const messageSchema = z
  .object({
    id: z
      .string()
      .meta({ description: "The id of the turn, with another prefix.", example: "msg_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string().meta({ description: "The space.", example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    content: z.array(z.union([textSchema, callSchema])),
    stop_reason: z.enum(["end_turn", "max_tokens", "tool_use"]).meta({
      description: "`max_tokens`: the reply was cut off at an output limit. `tool_use`: the answer calls your tools.",
      example: "end_turn",
    }),
    stop_sequence: z.null().meta({ description: "A turn does not tell which sequence ended it.", example: null }),
    usage: usageSchema,
    turn: turnOfAnswerSchema,
  })
  .meta({ id: "Message" })

/** An ended turn as Anthropic's message. Throws TURN_FAILED if it has no reply. */
export function serializeMessage(row: TurnRow): z.input<typeof messageSchema> {
  requireReply(row)
  return {
    ...headOf(row),
    content: [...(row.result ? [textBlock(row.result)] : []), ...callBlocksOf(row)],
    ...endingOf(row),
    usage: messageUsageOf(row),
    turn: turnOfAnswer(row),
  }
}

export const headOf = ({ turn_id, space }: TurnRow) => ({
  id: messageIdOf(turn_id),
  type: "message" as const,
  role: "assistant" as const,
  model: space,
})

export const textBlock = (text: string) => ({ type: "text" as const, text, citations: null })

/** The calls of the caller's tools with which a turn has ended. */
export const callBlocksOf = ({ calls }: TurnRow) =>
  (calls ?? []).map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input }))

export const endingOf = ({ truncated, calls }: TurnRow) => ({
  stop_reason:
    (calls ?? []).length > 0 ? ("tool_use" as const) : truncated ? ("max_tokens" as const) : ("end_turn" as const),
  stop_sequence: null,
})

export const messageUsageOf = (row: TurnRow) => ({
  input_tokens: Math.max(0, row.tokens_input - row.tokens_cached - row.tokens_cache_written),
  cache_creation_input_tokens: row.tokens_cache_written,
  cache_read_input_tokens: row.tokens_cached,
  output_tokens: row.tokens_output,
})

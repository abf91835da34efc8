import * as z from "zod"
import { formatFields, type ResponseFormat } from "../agent-config/response-format.ts"
import { countInWords } from "../base/in-words.ts"
import { ignored, outputField, refused, stopField, withoutNulls } from "../dialects/fields.ts"
import { DIALECT_POLICY } from "../dialects/policies.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"
import { messageParam, systemParam } from "./content.ts"
import { messageToolFields } from "./tool-fields.ts"

const turn = createTurnSchema.shape

const formatSchema = z.object({ type: z.literal("json_schema"), schema: formatFields.schema })

/** Up to which budget of thinking an effort goes, in tokens. */
export const THINKING_BUDGETS = { low: 4_096, medium: 16_384 } as const

const EFFORTS = ["low", "medium"] as const

const TUNES = ignored("the space's manifest decides")

const DEFAULT_CACHE = ignored("prompts are cached wherever the provider can")

/** The fields that say what the model reads, of both operations. */
const promptFields = {
  model: turn.space.meta({
    description: "The `space_id` of the space that answers.",
    example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
  }),
  messages: z
    .array(messageParam)
    .min(1)
    .max(DIALECT_POLICY.messages)
    .meta({
      description:
        "The whole chat; the last message is the user's, and may have results of calls. Thinking of earlier answers is left out, since a " +
        "turn keeps its own.",
      example: [{ role: "user", content: "Where is my order?" }],
    }),
  system: systemParam
    .optional()
    .meta({ description: "Instructions for this request. They follow the instructions of the space." }),
  ...messageToolFields,
  thinking: z
    .object({
      type: z.enum(["enabled", "disabled", "adaptive", "between_tools"]),
      budget_tokens: z.int().min(1).nullish(),
    })
    .optional()
    .meta({
      description:
        "The effort of reasoning, if `output_config` has none. `disabled` is `none`; a budget of up to " +
        `${countInWords(THINKING_BUDGETS.low)} tokens is \`low\`, of up to ${countInWords(THINKING_BUDGETS.medium)} \`medium\`, and a larger one ` +
        "`high`. The answer has no thinking blocks.",
      example: { type: "disabled" },
    }),
  output_config: z
    .object({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: formatSchema.nullish(),
    })
    .optional()
    .meta({
      description:
        "`effort`: the effort of reasoning; `xhigh` and `max` are `high`. `format`: the [form of the reply](/docs/results). All other fields are " +
        "ignored.",
      example: { effort: "low" },
    }),
  output_format: formatSchema.optional().meta({ description: "The older name of `output_config.format`." }),
  cache_control: DEFAULT_CACHE,
  context_management: ignored("the chat is sent whole, and the manifest decides how much of it the model reads"),
  speed: TUNES,
  container: refused("code runs in tools of the space"),
  mcp_servers: refused("MCP servers belong to the space: `PUT /v1/spaces/{space_id}/mcp-servers/{name}` sets them"),
  thread: refused("send the whole chat as `messages`"),
}

const ENDS = "the account and its provider decide"

export const createMessageSchema = z.preprocess(
  withoutNulls,
  z
    .strictObject({
      ...promptFields,
      max_tokens: outputField.unwrap().meta({
        description: "The maximum number of output tokens of each model call, up to the limit of the model.",
        example: 1_024,
      }),
      stream: z.boolean().optional().meta({ description: "True: the answer is a stream of server-sent events." }),
      stop_sequences: stopField,
      temperature: turn.temperature,
      metadata: z
        .object({ user_id: z.string().nullish() })
        .optional()
        .meta({
          description:
            "`user_id`: your own id for your end user, the `end_user_ref` of the turn. The header Turnpike-End-User counts before it. Without " +
            "both, the key's `default_end_user_ref`, or else its `key_id`.",
          example: { user_id: "customer-42" },
        }),
      top_k: TUNES,
      top_p: TUNES,
      service_tier: TUNES,
      inference_geo: ignored(ENDS),
      billing_policy: ignored(ENDS),
      fallbacks: ignored("providers of a model are changed without the caller"),
      fallback_credit_token: ignored("a turn is billed once"),
      compaction: ignored("the manifest decides how much of a chat the model reads"),
      safeguards: TUNES,
      diagnostics: ignored("the trace of the turn has its steps"),
      betas: ignored("nothing depends on the version of Anthropic's API"),
    })
    .meta({ id: "CreateMessage" }),
)

export type CreateMessage = z.output<typeof createMessageSchema>

export const countTokensSchema = z.preprocess(
  withoutNulls,
  z.strictObject(promptFields).meta({ id: "CountMessageTokens" }),
)

export type CountTokens = z.output<typeof countTokensSchema>

/** The effort of a turn. */
export function messageReasoningOf({ thinking, output_config }: CountTokens): CreateTurn["reasoning"] {
  const { effort } = output_config ?? {}
  if (thinking?.type === "disabled") return { effort: "none" }
  if (effort) return { effort: effort === "xhigh" || effort === "max" ? "high" : effort }
  const { budget_tokens: budget } = thinking ?? {}
  if (!budget) return undefined
  return { effort: EFFORTS.find((effort) => budget <= THINKING_BUDGETS[effort]) ?? "high" }
}

/** The form of a turn's reply. */
export function messageFormatOf({ output_config, output_format }: CountTokens): ResponseFormat | undefined {
  const format = output_config?.format ?? output_format
  return format && { type: "json_schema", name: "result", schema: format.schema }
}

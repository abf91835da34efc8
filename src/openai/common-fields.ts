import * as z from "zod"
import { isFields } from "../base/fields.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"

const turn = createTurnSchema.shape

/** OpenAI's clients send null for fields that are not set. */
export const withoutNulls = (value: unknown): unknown =>
  isFields(value) ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) : value

/** A field that only tunes a model. The space's manifest decides about it. */
const ignored = z.unknown().optional().meta({ description: "Ignored: the space's manifest decides." })

/** A field that a caller would rely on and that no turn can honour. */
export const refused = (error: string) =>
  z
    .never({ error })
    .optional()
    .meta({ description: `Not supported: ${error}.` })

/** Fields that both operations share: who asks whom, and with which limits. */
export const sharedFields = {
  model: turn.space.meta({
    description: "The `space_id` of the space that answers.",
    example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
  }),
  safety_identifier: turn.end_user_ref.optional().meta({
    description:
      "Your own id for your end user: the `end_user_ref` of the turn. Without it, `user` and the header, the key's " +
      "`default_end_user_ref`, or else its `key_id`.",
    example: "customer-42",
  }),
  user: turn.end_user_ref
    .optional()
    .meta({ description: "The older name of `safety_identifier`. Used if that is missing." }),
  metadata: turn.metadata,
  max_cost_usd: turn.max_cost_usd,
  timeout_seconds: turn.timeout_seconds,
  temperature: turn.temperature,
}

const OPENAI_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const

export const effortField = z.enum(OPENAI_EFFORTS).optional().meta({
  description: "The effort of reasoning. `minimal` is `low`, and `xhigh` is `high`. Default: as the manifest says.",
  example: "low",
})

/** The same for a turn. */
export function reasoningOf(effort: (typeof OPENAI_EFFORTS)[number] | undefined): CreateTurn["reasoning"] {
  if (effort === undefined) return undefined
  return { effort: effort === "minimal" ? "low" : effort === "xhigh" ? "high" : effort }
}

export const outputField = turn.max_output_tokens

/** OpenAI's clients send one sequence, or a list that may be empty. */
export const stopField = z
  .preprocess(
    (value) => (typeof value === "string" ? [value] : Array.isArray(value) && value.length === 0 ? undefined : value),
    turn.stop,
  )
  .optional()
  .meta({ description: "One sequence, or up to four. The reply ends before the first of them." })

export const storeField = turn.store.meta({
  description:
    "False: the texts of the request and its reply are deleted ten minutes after the end. The bill stays. Default: true, and the retention " +
    "of the space decides.",
})

export const ignoredFields = {
  top_p: ignored,
  prompt_cache_key: ignored,
  prompt_cache_options: ignored,
  prompt_cache_retention: ignored,
  service_tier: ignored,
}

export const NO_LOG_PROBABILITIES = "turns have no log probabilities"

/** `developer` is the newer name of `system`. */
export const messageRole = z.enum(["user", "assistant", "system", "developer"])

/** The conversation that a request continues: an id, or a name of the caller's choice. */
export const conversationField = z
  .preprocess(
    (value) => (isFields(value) && typeof value.id === "string" ? value.id : value),
    turn.conversation.unwrap(),
  )
  .optional()

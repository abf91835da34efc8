import * as z from "zod"
import { isFields } from "../base/fields.ts"
import { ignored, refused } from "../dialects/fields.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"

const turn = createTurnSchema.shape

/** A field with one value that turns honour, as they always do. Any other value is refused. */
export const refusedExcept = <Value extends number | boolean>(value: Value, error: string) =>
  z
    .literal(value, { error })
    .optional()
    .meta({ description: `Refused, except \`${value}\`: ${error}.` })

export type Treatment = "honoured" | "refused" | "ignored"

/** How a field is treated, by the beginning of its description. */
export function treatmentOf(description: string): Treatment {
  if (description.startsWith("Ignored: ")) return "ignored"
  return description.startsWith("Refused") ? "refused" : "honoured"
}

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
  temperature: turn.temperature.meta({ description: "The temperature of the model. Default: as the manifest says." }),
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

export const storeField = turn.store.meta({
  description:
    "False: the texts of the request and its reply are deleted ten minutes after the end. The bill stays. Default: true, and the retention " +
    "of the space decides.",
})

export const NO_LOG_PROBABILITIES = "turns have no log probabilities"

const SAMPLING = "it tunes the choice of tokens, for which the manifest has `temperature`"
const OWN_CACHE = "the service caches prompts by itself"

/** Fields of sampling that only chat completions have. `min_p` and `top_k` are fields of other servers. */
export const chatSampling = {
  frequency_penalty: ignored(SAMPLING),
  logit_bias: ignored(SAMPLING),
  min_p: ignored(SAMPLING),
  presence_penalty: ignored(SAMPLING),
  seed: ignored("no provider promises the same reply again"),
  top_k: ignored(SAMPLING),
}

export const VERBOSITY = "the instructions say how long a reply should be"

/** Fields that both operations treat in the same way, besides those that a turn has. */
export const untakenFields = {
  moderation: refused("turns are not moderated. Check texts before you send them"),
  prompt_cache_key: ignored(OWN_CACHE),
  prompt_cache_options: ignored(OWN_CACHE),
  prompt_cache_retention: ignored(OWN_CACHE),
  service_tier: ignored("the space's manifest decides"),
  top_logprobs: refused(NO_LOG_PROBABILITIES),
  top_p: ignored(SAMPLING),
}

/** `developer` is the newer name of `system`. */
export const messageRole = z.enum(["user", "assistant", "system", "developer"])

/** The conversation that a request continues: an id, or a name of the caller's choice. */
export const conversationField = z
  .preprocess(
    (value) => (isFields(value) && typeof value.id === "string" ? value.id : value),
    turn.conversation.unwrap(),
  )
  .optional()

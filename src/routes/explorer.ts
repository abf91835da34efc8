import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { timeInWords } from "../base/in-words.ts"
import { DAY_MS } from "../base/time.ts"
import { ERROR_KINDS } from "../base/words.ts"
import { booleanParam, createdQuery, idParam, listQuery, numberParam, searchParam } from "../http/query.ts"
import { FOUND_TURN_SORTS } from "../turns/find-turns.ts"
import { EXPLORER_POLICY } from "../turns/policies.ts"
import { TURN_STATES } from "../turns/schemas.ts"
import { waitReasonSchema } from "../turns/waiting-schema.ts"

const DAYS = EXPLORER_POLICY.usualMs / DAY_MS
const CALLS = EXPLORER_POLICY.callsMs

const amount = (max: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && !/^\d+(\.\d+)?$/.test(value) ? Number.NaN : value),
    z.coerce.number().min(0).max(max),
  )

/** The filters of the explorer of turns. */
export const explorerFilters = {
  q: searchParam.meta({
    description:
      `An id, or a part of a customer, a space's title or a text. The newest ${EXPLORER_POLICY.searched} turns that match the other ` +
      "filters are searched.",
    example: "customer-42",
  }),
  space: idParam.optional().meta({ description: "A `space_id`." }),
  key: idParam.optional().meta({ description: "A `key_id`." }),
  end_user_ref: idParam.optional(),
  conversation: idParam.optional().meta({ description: "A conversation's id." }),
  state: z.enum(TURN_STATES).optional(),
  waiting: z
    .enum([...waitReasonSchema.options, "any"])
    .optional()
    .meta({
      description:
        "Only turns that wait for this, or with `any` for anything. Without `created_after`, also older turns.",
    }),
  reason: idParam.optional().meta({
    description: "The code of a failed turn, or the reason of a cancelled one.",
    example: "MODEL_UNAVAILABLE",
  }),
  model: idParam.optional().meta({ description: "A model, as a pin." }),
  min_cost_usd: amount(1_000_000)
    .optional()
    .meta({ description: "Only turns that cost at least this.", example: 0.01 }),
  min_seconds: amount(1_000_000)
    .optional()
    .meta({ description: "Only turns that took at least this long from acceptance to end.", example: 10 }),
  created_after: createdQuery.created_after.meta({
    description: `Only turns accepted at or after this time. Default: ${DAYS} days ago.`,
  }),
  created_before: createdQuery.created_before.meta({ description: "Only turns accepted before this time." }),
}

export const searchQuery = {
  q: z.string().trim().min(1).max(200).meta({ description: "An id or a part of a name.", example: "customer-42" }),
}

export const STATS_DESCRIPTION =
  "Figures of all turns that match: states, cost, latency, a histogram, and the most frequent reasons and models."

/** The filters of a file: turns up to this millisecond, so that newer ones do not move others to the next page. */
export const untilNow = <Filters extends { created_before?: string | undefined }>(
  { clock }: Pick<Context, "clock">,
  filters: Filters,
): Filters => ({
  ...filters,
  created_before: filters.created_before ?? new Date(clock.now().getTime() + 1).toISOString(),
})

export const explorerPage = {
  sort: z.enum(FOUND_TURN_SORTS).default("newest"),
  direction: z.enum(["asc", "desc"]).default("desc"),
  ...listQuery,
}

/** The filters of operators: all accounts, or one. */
export const adminExplorerFilters = {
  ...explorerFilters,
  q: searchParam.meta({
    description:
      `An id, or a part of a customer or a space's title; texts are not searched. The newest ${EXPLORER_POLICY.searched} turns that ` +
      "match the other filters are searched.",
    example: "customer-42",
  }),
  failure: z.enum(ERROR_KINDS).optional().meta({
    description:
      "Turns with a failure of the infrastructure of this kind within the range, also turns that recovered from it.",
  }),
  provider: idParam.optional().meta({
    description:
      "Turns with a call of this provider account within the range, or of a provider that is called with the service's key, also if the " +
      `call failed. Only the last ${timeInWords(CALLS.usual)} of the range are searched, or with \`created_after\` at most its last ` +
      `${timeInWords(CALLS.most)}. With \`failure\`: with such a failure at it, in the whole range.`,
    example: "ada",
  }),
  user_id: numberParam.optional().meta({ description: "The account that is billed." }),
  test: booleanParam.optional().meta({ description: "`true` for test turns. Default: live turns." }),
}

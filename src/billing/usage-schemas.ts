import * as z from "zod"

export const USAGE_GROUPINGS = ["end_user_ref", "space", "model", "key", "day"] as const
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number]

export interface UsageQuery {
  group_by: UsageGrouping
  from?: string | undefined
  to?: string | undefined
  space?: string[] | undefined
  end_user_ref?: string[] | undefined
  model?: string[] | undefined
  key?: string[] | undefined
}

/** Sums as read from the database. Money is in credit micros. */
export interface SumsRow {
  billed: number
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}

const sums = {
  billed_usd: z
    .number()
    .meta({ description: "The billed amount: the exact sum of the ledger entries.", example: 0.0123 }),
  turns: z.int().meta({ description: "Turns that ended, including those that were billed nothing." }),
  model_calls: z.int(),
  tokens_input: z.int().meta({ description: "All prompt tokens, cached ones included." }),
  tokens_cached: z.int(),
  tokens_output: z.int(),
}

const usageSumsSchema = z.object(sums).meta({ id: "UsageSums" })

export type UsageSums = z.infer<typeof usageSumsSchema>

const usageGroupSchema = z
  .object({
    group: z.string().meta({
      description: "The end_user_ref, `space_id`, model pin, `key_id` or day (`2026-11-20`, UTC).",
      example: "customer-42",
    }),
    ...sums,
  })
  .meta({ id: "UsageGroup" })

export const usageReportSchema = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    group_by: z.enum(USAGE_GROUPINGS),
    data: z.array(usageGroupSchema),
    total: usageSumsSchema.meta({
      description: "The sum over all groups, not only those of this page. A turn that used two models counts once.",
    }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "UsageReport" })

export type UsageReport = z.infer<typeof usageReportSchema>

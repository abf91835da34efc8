import * as z from "zod"
import { refundSums } from "../base/refunds.ts"

export const USAGE_GROUPINGS = ["end_user_ref", "space", "model", "key", "day", "hour", "config_version"] as const
type MetadataGrouping = `metadata.${string}`
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number] | MetadataGrouping

/** The key of a grouping by metadata; null for other groupings. */
export const metadataKeyOf = (grouping: UsageGrouping): string | null =>
  grouping.startsWith("metadata.") ? grouping.slice("metadata.".length) : null

const byMetadata = z
  .string()
  .regex(/^metadata\.[^\0]{1,64}$/u, 'must be "metadata." and a registered key')
  .transform((grouping) => grouping as MetadataGrouping)

/** The order of the groups: their bytes, or one of their sums. */
export const USAGE_SORTS = ["group", "billed", "turns", "model_calls", "tokens_input", "tokens_output"] as const
export type UsageSort = (typeof USAGE_SORTS)[number]

/** A dimension of the report. */
export const usageGroupingSchema = z.union([z.enum(USAGE_GROUPINGS), byMetadata])

export interface UsageQuery {
  group_by: UsageGrouping
  from?: string | undefined
  to?: string | undefined
  space?: string[] | undefined
  end_user_ref?: string[] | undefined
  model?: string[] | undefined
  key?: string[] | undefined
  /** Undefined: by `group`. */
  sort?: UsageSort | undefined
  /** Undefined: upwards by `group`, downwards by a sum. */
  direction?: "asc" | "desc" | undefined
}

/** What a group of a report is. */
export const USAGE_GROUP_KINDS = ["value", "none", "other"] as const
export type UsageGroupKind = (typeof USAGE_GROUP_KINDS)[number]

/** The place of a group in its report. Groups of different kinds can have the same name. */
export interface GroupPlace {
  group: string
  kind: UsageGroupKind
  /** The sum by which the report is sorted. Undefined: it is sorted by group. */
  sum?: number | undefined
}

/** Sums as read from the database. Money is in credit micros. */
export interface SumsRow {
  billed: number
  /** By the time of booking. */
  refunded: number
  /** Charges of end users, and what they exceed the bills of the same turns by. Null by model. */
  charged: number | null
  margin: number | null
  /** The bills of the turns with a charge. `margin` is what their charges exceed them by. Null by model. */
  charged_billed: number | null
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}

const sums = {
  billed_usd: z.number().meta({
    description: "The billed amount: the exact sum of the ledger entries. Refunds are not subtracted.",
    example: 0.0123,
  }),
  ...refundSums,
  end_user_charge_usd: z.number().nullable().meta({
    description:
      "The amount that your end users were charged for these turns, before refunds. Null by `model`, because a charge is rounded per turn.",
    example: 0.0185,
  }),
  margin_usd: z.number().nullable().meta({
    description:
      "`end_user_charge_usd` minus `charged_turns_billed_usd`, before refunds. Turns without a price and a wallet do not count.",
    example: 0.0062,
  }),
  charged_turns_billed_usd: z.number().nullable().meta({
    description:
      "The part of `billed_usd` that is of turns with a charge: those with a price or a wallet. Null without such turns, and by `model`.",
    example: 0.0123,
  }),
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
      description:
        "The end_user_ref, `space_id`, model pin, `key_id`, day (`2026-11-20`, UTC), hour of the day (`00` to `23`, UTC), configuration (`space_id@version`), or value of " +
        "metadata. `(other)`: all other values. Empty: turns without a value. `kind` tells both from values of the same text.",
      example: "customer-42",
    }),
    kind: z.enum(USAGE_GROUP_KINDS).meta({
      description:
        "`value`: `group` is a value. `none`: the turns have no value of the key of metadata. `other`: all values beyond the ones that are shown.",
      example: "value",
    }),
    ...sums,
  })
  .meta({ id: "UsageGroup" })

export const usageReportSchema = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    group_by: z.string().meta({ example: "day" }),
    data: z.array(usageGroupSchema),
    total: usageSumsSchema.meta({
      description:
        "The sum over all groups, not only those of this page. A turn that used two models counts once. By `model`, turns without a model " +
        "call are in no group and do not count here.",
    }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "UsageReport" })

export type UsageReport = z.infer<typeof usageReportSchema>

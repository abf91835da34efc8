import * as z from "zod"
import { fromUsd } from "../base/money.ts"
import { capStateSchema } from "../quotas/cap-state.ts"

/** An end user's reference in a path: any text, percent-encoded as one segment. */
export const endUserRefParam = z.string().min(1).max(128).meta({
  description: "The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`.",
  example: "customer-42",
})

const limit = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((value) => fromUsd(value) !== null, "must have at most 7 decimals")
  .nullable()

export const limitsSchema = z
  .object({
    daily_usd: z.number().nullable().meta({ description: "For a UTC day. Null: it has no limit of its own." }),
    monthly_usd: z.number().nullable().meta({ description: "For a UTC month. Null: it has no limit of its own." }),
    blocked: z.boolean().meta({ description: "Whether its new turns are refused." }),
  })
  .meta({ id: "EndUserLimits" })

export const putLimitsSchema = z
  .strictObject({
    daily_usd: limit
      .default(null)
      .meta({ description: "For a UTC day. Null or left out: the default applies.", example: 1.5 }),
    monthly_usd: limit
      .default(null)
      .meta({ description: "For a UTC month. Null or left out: the default applies.", example: 20 }),
    blocked: z
      .boolean()
      .nullable()
      .default(null)
      .meta({ description: "Whether new turns are refused with END_USER_BLOCKED. Null or left out: no." }),
  })
  .meta({ id: "PutEndUserLimits", description: "Replaces all limits of the end user." })

export type PutLimits = z.infer<typeof putLimitsSchema>

export const endUserSchema = z
  .object({
    end_user_ref: z.string(),
    first_turn_at: z.iso.datetime().nullable().meta({ description: "Null: it has limits but no turns yet." }),
    last_turn_at: z.iso.datetime().nullable(),
    turns: z.int().meta({ description: "How many turns it ever had in the key's spaces." }),
    billed_usd: z.number().meta({ description: "What was ever billed for it in the key's spaces." }),
    billed_this_month_usd: z.number().meta({ description: "The part of it that was billed in this UTC month." }),
    billed_today_usd: z.number().meta({
      description:
        "The part of it that was billed in this UTC day. It can differ from `spent_usd` in `caps`: a turn " +
        "is billed when it ends, but `caps` count it on the day it was accepted, and over the whole " +
        "account.",
    }),
    limits: limitsSchema,
    caps: z.array(capStateSchema).meta({
      description:
        "The daily and the monthly limit that apply to its turns from this key: its own, else the key's " +
        "default, else the account's, with what is left. Empty when there is none, and for a test key.",
      example: [
        {
          cap: "end_user_daily",
          source: "key",
          limit_usd: 0.5,
          spent_usd: 0.0041,
          reserved_usd: 0.1,
          left_usd: 0.3959,
          resets_at: "2026-01-16T00:00:00.000Z",
        },
      ],
    }),
  })
  .meta({ id: "EndUser" })

export type EndUser = z.infer<typeof endUserSchema>

export const erasureSchema = z
  .object({
    erasure_id: z.string().meta({ description: "The receipt's id.", example: "era_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    end_user_ref: z.string(),
    state: z.enum(["erasing", "erased"]).meta({
      description:
        "`erasing` while a turn still runs, or while more is left than one request can erase. The service " +
        "goes on by itself.",
    }),
    requested_at: z.iso.datetime(),
    erased_at: z.iso.datetime().nullable().meta({ description: "When everything was gone." }),
    turns: z.int().meta({ description: "Turns whose text, result, metadata and error message are gone." }),
    events: z.int(),
    steps: z.int().meta({ description: "Model calls, with the inputs and results of their tools." }),
    files: z.int(),
    conversations: z.int().meta({ description: "Conversations that lost their name and their history." }),
    tasks: z.int(),
    kept: z
      .object({ turns: z.int(), billed_usd: z.number() })
      .meta({ description: "What stays of this end user over all time: amounts, and no text." }),
  })
  .meta({ id: "Erasure" })

export type Erasure = z.infer<typeof erasureSchema>

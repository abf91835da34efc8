import * as z from "zod"
import { usdAmount } from "../base/money.ts"
import { capStateSchema } from "../quotas/cap-state.ts"
import { rateSchema, rateStateSchema, setRateSchema } from "../quotas/rate.ts"

/** An end user's reference in a path: any text, percent-encoded as one path segment. */
export const endUserRefParam = z.string().min(1).max(128).meta({
  description: "The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`.",
  example: "customer-42",
})

const limit = usdAmount.nullable()

export const limitsSchema = z
  .object({
    daily_usd: z
      .number()
      .nullable()
      .meta({ description: "The end user's own limit for a UTC day, in USD; null: the default applies." }),
    monthly_usd: z
      .number()
      .nullable()
      .meta({ description: "The end user's own limit for a UTC month, in USD; null: the default applies." }),
    blocked: z.boolean().meta({ description: "True if new turns of the end user are rejected." }),
    rate: rateSchema.nullable().meta({ description: "The end user's own rate; null: the default applies." }),
  })
  .meta({ id: "EndUserLimits" })

export const putLimitsSchema = z
  .strictObject({
    daily_usd: limit
      .default(null)
      .meta({ description: "The limit for a UTC day, in USD. Null or left out: the default applies.", example: 1.5 }),
    monthly_usd: limit
      .default(null)
      .meta({ description: "The limit for a UTC month, in USD. Null or left out: the default applies.", example: 20 }),
    blocked: z
      .boolean()
      .nullable()
      .default(null)
      .meta({ description: "`true`: new turns are rejected with END_USER_BLOCKED. Null or left out: false." }),
    rate: setRateSchema
      .nullable()
      .default(null)
      .meta({ description: "How much the end user may send. Null or left out: the default applies." }),
  })
  .meta({ id: "PutEndUserLimits", description: "Replaces all limits of the end user." })

export type PutLimits = z.infer<typeof putLimitsSchema>

export const endUserSchema = z
  .object({
    end_user_ref: z.string(),
    first_turn_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The time of the first turn; null if the end user has limits but no turns yet." }),
    last_turn_at: z.iso.datetime().nullable(),
    turns: z.int().meta({ description: "The number of all turns in the key's spaces." }),
    billed_usd: z.number().meta({ description: "The total billed amount in the key's spaces, in USD." }),
    billed_this_month_usd: z
      .number()
      .meta({ description: "The part of `billed_usd` that was billed in this UTC month." }),
    billed_today_usd: z.number().meta({
      description:
        "The part of `billed_usd` that was billed in this UTC day. It can differ from `spent_usd` in `caps`. A turn " +
        "is billed when it ends, but `caps` count it on the day it was accepted, and across the whole " +
        "account.",
    }),
    refunded_usd: z.number().meta({
      description: "The part of `billed_usd` that the operator has refunded to your balance. Limits still count it.",
      example: 0,
    }),
    limits: limitsSchema,
    caps: z.array(capStateSchema).meta({
      description:
        "The daily and monthly limits that apply to the end user's turns from this key, with the amounts left. Each is the end user's own limit, else the key's " +
        "default, else the account's. Empty if no limit applies. With a test key: the limits of test turns, by their rehearsed cost.",
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
    rates: z.array(rateStateSchema).meta({
      description:
        "The limits of the rate that applies to the end user's turns from this key, with their use: the end user's own " +
        "rate, else the key's default, else the account's. Empty if no rate applies.",
      example: [{ limit: "end_user_requests", most: 20, used: 3, window_seconds: 60 }],
    }),
  })
  .meta({ id: "EndUser" })

export type EndUser = z.infer<typeof endUserSchema>

export const erasureSchema = z
  .object({
    erasure_id: z.string().meta({ description: "The id of the erasure.", example: "era_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    end_user_ref: z.string(),
    state: z.enum(["erasing", "erased"]).meta({
      description:
        "`erasing`: a turn is still running, or there is more data than one request can erase. The service " +
        "continues automatically. `erased`: all data is gone.",
    }),
    requested_at: z.iso.datetime(),
    erased_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The time at which all data was gone; null while it is being erased." }),
    turns: z
      .int()
      .meta({ description: "The number of erased turns: their text, result, metadata and error message are gone." }),
    events: z.int(),
    steps: z
      .int()
      .meta({ description: "The number of erased model calls, with the inputs and results of their tools." }),
    files: z.int(),
    conversations: z.int().meta({ description: "The number of conversations that lost their name and history." }),
    tasks: z.int(),
    profile: z.boolean().meta({ description: "True if the end user's profile was erased." }),
    kept: z.object({ turns: z.int(), billed_usd: z.number() }).meta({
      description:
        "The data of this end user that is kept: the number of turns and the billed amount, without any text.",
    }),
  })
  .meta({ id: "Erasure" })

export type Erasure = z.infer<typeof erasureSchema>

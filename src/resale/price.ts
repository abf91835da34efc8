import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { MICROS_PER_USD, toUsd, usdIn } from "../base/money.ts"
import { instantParam, toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { RESALE_POLICY } from "./policies.ts"

export const priceNameParam = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must have only a–z, 0–9, - and _, and begin with a letter or digit")
  .meta({ description: "The name of the price.", example: "standard" })

const exactMultiplier = (value: number) =>
  Math.round(value * RESALE_POLICY.millionths) / RESALE_POLICY.millionths === value

const multiplier = z
  .number()
  .min(0)
  .max(RESALE_POLICY.maxMultiplier)
  .refine(exactMultiplier, `must have at most ${String(RESALE_POLICY.millionths).length - 1} decimals`)

const amount = (most: number) => z.number().min(0).max(toUsd(most))

export const ROUND_MODES = ["up", "nearest", "down"] as const
const SMALLEST_USD = 1 / MICROS_PER_USD

const WORDS = {
  multiplier: "Multiplied with the billed amount of each model call. 1: what the call cost you.",
  per_model: "Multipliers of single models, by pin. All other models have `multiplier`.",
  per_turn_usd: "Added for each turn with at least one model call, in USD.",
  rounding:
    "The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down` or to " +
    "the `nearest` (halves up).",
}

const roundingSchema = z
  .strictObject({
    to_usd: usdIn(amount(RESALE_POLICY.maxRoundTo), (usd) => (usd > 0 ? null : "must be greater than 0"))
      .default(SMALLEST_USD)
      .meta({ example: 0.0001 }),
    mode: z.enum(ROUND_MODES).default("nearest"),
  })
  .meta({ id: "PutPriceRounding" })

export const putPriceSchema = z
  .strictObject({
    multiplier: multiplier.default(1).meta({ description: WORDS.multiplier, example: 1.5 }),
    per_model: z
      .record(z.string().min(1).max(128), multiplier)
      .refine(
        (models) => Object.keys(models).length <= RESALE_POLICY.maxModels,
        `must have at most ${RESALE_POLICY.maxModels} models`,
      )
      .default({})
      .meta({ description: WORDS.per_model, example: { "rehearsal/standard": 2 } }),
    per_turn_usd: usdIn(amount(RESALE_POLICY.maxPerTurn))
      .default(0)
      .meta({ description: WORDS.per_turn_usd, example: 0.01 }),
    rounding: roundingSchema.default({ to_usd: SMALLEST_USD, mode: "nearest" }).meta({ description: WORDS.rounding }),
    begins_at: instantParam
      .nullable()
      .default(null)
      .meta({
        description:
          "A moment in the future from which new turns have this price. Until then, they have the present one. Null: they have it " +
          "from now on. Either way, it replaces a plan that exists.",
        example: null,
      }),
  })
  .meta({ id: "PutPrice", description: "Replaces the price. A field that is left out gets its default." })

export type PutPrice = z.infer<typeof putPriceSchema>

const versionSchema = z
  .object({
    version: z.int().meta({ example: 3 }),
    multiplier: z.number().meta({ description: WORDS.multiplier, example: 1.5 }),
    per_model: z
      .record(z.string(), z.number())
      .meta({ description: WORDS.per_model, example: { "rehearsal/standard": 2 } }),
    per_turn_usd: z.number().meta({ description: WORDS.per_turn_usd, example: 0.01 }),
    rounding: z.object({ to_usd: z.number().meta({ example: 0.0001 }), mode: z.enum(ROUND_MODES) }).meta({
      description: WORDS.rounding,
    }),
    created_at: z.iso.datetime(),
    begins_at: z.iso.datetime().nullable().meta({
      description: "When the version begins, if it was planned. Null: at `created_at`.",
      example: null,
    }),
  })
  .meta({ id: "PriceVersion" })

export const priceSchema = versionSchema
  .extend({
    name: z.string().meta({ example: "standard" }),
    used_by: z
      .object({
        end_users: z.int().meta({ description: "End users with this price of their own.", example: 12 }),
        keys: z.int().meta({ description: "API keys with this default.", example: 1 }),
        account: z.boolean().meta({ description: "True if it is the account's default." }),
      })
      .meta({ description: "A price that is in use cannot be deleted." }),
    deleted: z.boolean().meta({
      description: "True if the price was deleted. Turns that were accepted with one of its versions keep it.",
      example: false,
    }),
    planned: versionSchema.nullable().meta({
      description:
        "The version of turns that are accepted from its `begins_at` on. Null: no version is planned. To cancel it, set the price with " +
        "its present values: a version never changes, so they become a newer one.",
      example: null,
    }),
    versions: z.array(versionSchema).meta({
      description: `The newest ${RESALE_POLICY.shownVersions} versions, the current one first. A turn keeps the version of its acceptance.`,
    }),
  })
  .meta({ id: "Price" })

export const deletedPriceSchema = priceSchema.extend({ deleted: z.literal(true) }).meta({ id: "DeletedPrice" })

export type EndUserPrice = z.infer<typeof priceSchema>
export type PriceRow = Answers["price_answer"]

function serializeVersion(row: NonNullable<PriceRow["price"]>): z.infer<typeof versionSchema> {
  const perModel = Object.entries(row.per_model as Record<string, number>)
  return {
    version: row.version,
    multiplier: row.multiplier_millionths / RESALE_POLICY.millionths,
    per_model: Object.fromEntries(perModel.map(([pin, millionths]) => [pin, millionths / RESALE_POLICY.millionths])),
    per_turn_usd: toUsd(row.per_turn_credit_micros),
    rounding: {
      to_usd: toUsd(row.round_to_credit_micros),
      mode: row.round_mode as (typeof ROUND_MODES)[number],
    },
    created_at: toInstant(row.created_at),
    begins_at: toInstant(row.begins_at),
  }
}

export function serializePrice({
  price,
  planned,
  versions,
  end_users,
  keys,
  is_default,
  deleted,
}: PriceRow): EndUserPrice {
  return {
    name: price.name,
    ...serializeVersion(price),
    used_by: { end_users, keys, account: is_default },
    deleted,
    planned: planned && serializeVersion(planned),
    versions: versions.map(serializeVersion),
  }
}

export const priceNotFound = (name: string) => new TurnpikeError("NOT_FOUND", `There is no price "${name}".`)

/** Prices and wallets belong to the account and not to a space. */
export const resaleNeedsScopeAll = () =>
  new TurnpikeError("SCOPE_DENIED", "Prices and wallets of end users need a key with the scope `all`.")

import * as z from "zod"
import { modelPricesSchema } from "./source-schemas.ts"

const FINDING_KINDS = [
  "price",
  "tier_missing",
  "tier_unknown",
  "tier_price",
  "announced",
  "retirement",
  "context",
  "unknown_model",
] as const

const findingSchema = z
  .object({
    kind: z.enum(FINDING_KINDS).meta({
      description:
        "`price`: a price differs. `tier_missing`: the provider has other prices for long prompts, and the catalog has none. " +
        "`tier_unknown`: only the catalog has this tier. `tier_price`: a price of a tier differs. `announced`: the provider's " +
        "prices change on `on`. `retirement`: the provider ends the model on `on`. `context`: the context windows differ. " +
        "`unknown_model`: the feed does not know the model.",
    }),
    component: z.string().nullable().meta({ description: "The price's component; null: none.", example: "output" }),
    above_input_tokens: z
      .int()
      .nullable()
      .meta({ description: "The limit of the tier; null: none.", example: 272_000 }),
    ours: z.number().nullable().meta({
      description: "The catalog's price in USD, or its context window in tokens; null: it has none.",
      example: 10,
    }),
    feed: z.number().nullable().meta({ description: "The same in the feed; null: it has none.", example: 12 }),
    percent: z.number().nullable().meta({
      description: "By how much the feed's price is higher, in percent of the catalog's; null if that is 0 or unknown.",
      example: 20,
    }),
    on: z.iso.date().nullable().meta({ description: "The day in UTC; null: none.", example: "2026-11-30" }),
    text: z
      .string()
      .meta({ description: "The finding in words.", example: "The provider retires the model on 2026-11-30." }),
  })
  .meta({ id: "ModelFinding" })

export const comparedModelSchema = z
  .object({
    pin: z.string().meta({ example: "openai/gpt-5.4" }),
    label: z.string().meta({ example: "GPT-5.4" }),
    enabled: z.boolean(),
    version: z.int().meta({ description: "The version of the catalog's row, for `If-Match`.", example: 4 }),
    feed_model: z.string().nullable().meta({ description: "The feed's model; null: not found.", example: "gpt-5.4" }),
    not_compared: z.array(z.string()).meta({
      description: "Prices and terms of the model that the feed cannot express, or why the model is not compared.",
      example: ["reasoning", "modifiers"],
    }),
    findings: z.array(findingSchema),
    proposal: z
      .object({
        begins_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: "From when the provider has these prices; null: they count already." }),
        prices: modelPricesSchema,
      })
      .nullable()
      .meta({
        description:
          "Complete prices with the feed's amounts, as `PUT /api/admin/model-catalog/{pin}/prices` takes them; null: no price differs, or other prices are planned.",
      }),
  })
  .meta({ id: "ComparedModel" })

export const proposalsSchema = z
  .object({
    feed: z.object({
      package: z.string().meta({ description: "The package with the data.", example: "@pydantic/genai-prices" }),
      version: z.string().meta({ example: "0.1.8" }),
      published_on: z.iso.date().meta({ example: "2026-09-23" }),
      age_days: z.int().meta({ description: "The age of the data.", example: 67 }),
    }),
    checked_at: z.iso.datetime(),
    finding_count: z.int().meta({ example: 3 }),
    items: z.array(comparedModelSchema).meta({ description: "All models of providers, in the catalog's order." }),
  })
  .meta({ id: "ModelProposals" })

export type Finding = z.infer<typeof findingSchema>
export type ComparedModel = z.infer<typeof comparedModelSchema>
export type Proposals = z.infer<typeof proposalsSchema>

import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { composed } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { released } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { currentRow, pricesBefore } from "./planned-prices.ts"
import {
  type ChatSingles,
  catalogFieldOf,
  componentOf,
  type PriceFields,
  singlesOf,
  TOKEN_COMPONENTS,
  unitPriceOf,
  usdOf,
} from "./price-components.ts"
import { serializeTerms, shownTermFields } from "./term-schemas.ts"

const usd = z.number()
const usdOrNull = usd.nullable()
const SINGLES = singlesOf("chat")

export const modelSchema = z
  .object({
    pin: z.string().meta({
      description: "The id of the model. Turns, spaces and manifests send it as `model`.",
      example: "rehearsal/standard",
    }),
    label: z.string().meta({ description: "The display name." }),
    engine: z.string().meta({ description: "The engine that runs the model: the part of the pin before the slash." }),
    price_usd_per_million_tokens: z.object(
      composed<PriceFields<typeof usd, typeof usd>>(
        Object.fromEntries(
          TOKEN_COMPONENTS.map((name) => {
            const { about, example } = componentOf(name)
            return [name, usd.meta({ description: `USD per million ${about}.`, example })]
          }),
        ),
      ),
    ),
    ...composed<ChatSingles<typeof usdOrNull>>(
      Object.fromEntries(
        SINGLES.map((name) => {
          const { about, whenNull, example } = componentOf(name)
          const description = `USD for ${about}; null: ${whenNull}.`
          return [catalogFieldOf(name), usdOrNull.meta({ description, example })]
        }),
      ),
    ),
    ...shownTermFields,
    max_output_tokens: z.int().meta({ description: "The maximum number of output tokens of one model call." }),
  })
  .meta({ id: "Model" })

export const imageModelSchema = z
  .object({
    pin: z
      .string()
      .meta({ description: "The id of the model. Manifests send it as `image_model`.", example: "openai/gpt-image-1" }),
    label: z.string().meta({ description: "The display name.", example: "GPT Image 1" }),
    engine: z.string().meta({ description: "The part of the pin before the slash.", example: "openai" }),
    price_usd_per_picture: z.number().meta({ description: "USD for one picture of any size.", example: 0.04 }),
  })
  .meta({ id: "ImageModel" })

type ModelRow = JsonRow<"model_catalog">

export interface Models {
  chat: z.infer<typeof modelSchema>[]
  image: z.infer<typeof imageModelSchema>[]
}

/**
 * The chat and image models that turns of this caller can use, in the catalog's order; the first is the default. A
 * test key gets rehearsal models: its turns always run `rehearsal/standard`, even if that is disabled, and its
 * pictures are free.
 */
export async function listModels(ctx: Context, credential: Credential): Promise<Models> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("model_catalog as c")
      .innerJoin("caller", (join) => join.onTrue())
      .where((eb) => eb.or([eb("caller.test", "=", false), eb("c.engine", "=", "rehearsal")]))
      .where((eb) =>
        eb.or([
          eb("c.enabled", "=", true),
          eb.and([eb("caller.test", "=", true), eb("c.pin", "=", eb.fn<string>(released("rehearsal_pin")))]),
        ]),
      )
      .selectAll("c")
      .select(pricesBefore(ctx.clock.now()).as("former"))
      .orderBy("c.sort_order")
      .orderBy("c.pin"),
  )
  const current = rows.map(currentRow)
  const image = current.filter(({ kind }) => kind === "image").map(serializeImageModel)
  return { chat: current.filter(({ kind }) => kind === "chat").map(serializeModel), image }
}

function serializeImageModel({ pin, label, engine, price_image }: ModelRow): Models["image"][number] {
  return { pin, label, engine, price_usd_per_picture: toUsd(price_image ?? 0) }
}

function serializeModel(row: ModelRow): z.infer<typeof modelSchema> {
  const { pin, label, engine, max_output_tokens } = row
  return {
    pin,
    label,
    engine,
    price_usd_per_million_tokens: composed(
      Object.fromEntries(TOKEN_COMPONENTS.map((name) => [name, toUsd(unitPriceOf(row, name) ?? 0)])),
    ),
    ...composed<ChatSingles<number | null>>(
      Object.fromEntries(SINGLES.map((name) => [catalogFieldOf(name), usdOf(unitPriceOf(row, name))])),
    ),
    ...serializeTerms(row),
    max_output_tokens,
  }
}

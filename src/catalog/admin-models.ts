import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs, type Refusals } from "../actor/edit-as.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { toInstant } from "../base/time.ts"
import { ENGINES } from "../base/words.ts"
import type { Answers } from "../platform/procedures.ts"
import { type Learned, learnedSchema } from "./learned.ts"
import { currentRow, plannedPricesSchema, pricesBefore, serializePlanned } from "./planned-prices.ts"
import { PRICE_EXAMPLES } from "./price-schemas.ts"
import {
  checkRowPrices,
  rowPriceFields,
  serializeList,
  serializeSources,
  shownListFields,
  shownSourceFields,
  versionOfRow,
} from "./source-schemas.ts"

const KINDS = ["chat", "image"] as const

const kind = z.enum(KINDS).meta({
  description:
    "`chat`: runs turns. `image`: creates the pictures of `generate_image`; spaces and turns cannot select it.",
  example: "chat",
})

export const catalogRowSchema = z
  .object({
    pin: z
      .string()
      .meta({ description: "The engine and the model's name at the provider.", example: "openai/gpt-5-mini" }),
    engine: z.enum(ENGINES).meta({ example: "openai" }),
    model: z.string().meta({ description: "The model's name at the provider.", example: "gpt-5-mini" }),
    label: z.string().meta({ description: "The display name.", example: "GPT-5 mini" }),
    kind,
    enabled: z.boolean().meta({ description: "True if new turns can use the model." }),
    sort_order: z.int().meta({
      description: "Models with lower numbers come first. The first enabled model of a kind is the default.",
      example: 10,
    }),
    ...shownListFields,
    ...shownSourceFields,
    price_version: z
      .int()
      .meta({ description: "The number of the current prices. It increases with each change of a price.", example: 3 }),
    planned_prices: plannedPricesSchema,
    max_output_tokens: z
      .int()
      .meta({ description: "The maximum number of output tokens of one model call.", example: 8192 }),
    context_tokens: z
      .int()
      .nullable()
      .meta({ description: "The size of the context window, in tokens; null if unknown.", example: 400_000 }),
    idle_seconds: z
      .int()
      .nullable()
      .meta({ description: "A call that receives no data for this many seconds is aborted; null: 60.", example: 60 }),
    learned: learnedSchema.meta({
      description: "Limits that refusals of the provider have taught, or an operator has set. Calls keep within them.",
      example: { max_output_tokens: 8192, without: ["temperature"] },
    }),
    space_count: z.int().meta({
      description:
        "The number of spaces that are pinned to the model in their manifest or `model`. Archived spaces and test spaces do not count: " +
        "test spaces always use the rehearsal model.",
      example: 12,
    }),
    version: z.int().meta({ description: "The version of the row. It increases with each change.", example: 4 }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().nullable(),
    updated_by: changedBySchema(
      "The admin who changed the model last; null: unchanged, or changed on the command line.",
    ),
  })
  .meta({ id: "ModelCatalogRow" })

type CatalogRow = Answers["catalog_answer"]

export function serializeCatalogRow(stored: CatalogRow): z.infer<typeof catalogRowSchema> {
  const row = currentRow(stored)
  const { pin, model, label, enabled, sort_order, price_version, max_output_tokens, context_tokens, idle_seconds } = row
  return {
    pin,
    engine: row.engine as (typeof ENGINES)[number],
    model,
    label,
    kind: row.kind as (typeof KINDS)[number],
    enabled,
    sort_order,
    ...serializeList(row),
    ...serializeSources(row),
    price_version,
    planned_prices: serializePlanned(stored),
    max_output_tokens,
    context_tokens,
    idle_seconds,
    learned: row.learned as Learned,
    space_count: row.space_count,
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: row.updated_at === null ? null : toInstant(row.updated_at),
    updated_by: serializeChangedBy(row),
  }
}

/** All models of the catalog in sort order, for admins (docs/contract.md). */
export async function listCatalog(ctx: Context, credential: SessionCredential) {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const pinned = db
        .selectFrom("spaces as s")
        .where("s.archived_at", "is", null)
        .where("s.test", "=", false)
        .where("s.pin", "is not", null)
        .groupBy("s.pin")
        .select((eb) => ["s.pin", eb.fn.countAll<number>().as("spaces")])
      return db
        .selectFrom("model_catalog as c")
        .innerJoin("caller", (join) => join.onTrue())
        .leftJoin("users as u", "u.user_id", "c.updated_by")
        .leftJoin(pinned.as("r"), "r.pin", "c.pin")
        .selectAll("c")
        .select(pricesBefore(ctx.clock.now()).as("former"))
        .select((eb) => ["u.name as updated_by_name", eb.fn.coalesce("r.spaces", eb.lit(0)).as("space_count")])
        .orderBy("c.sort_order")
        .orderBy("c.pin")
    },
    { role: "admin" },
  )
  return rows.map((row) => serializeCatalogRow(row))
}

const label = z.string().trim().min(1).max(100).meta({ example: "GPT-5 mini" })
const sortOrder = z.int().min(-1_000_000).max(1_000_000).meta({ example: 10 })

/** ModelCatalogPatch in docs/contract.md. */
export const modelCatalogPatchSchema = z
  .strictObject({
    enabled: z.boolean().optional(),
    label: label.optional(),
    sort_order: sortOrder.optional(),
    learned: learnedSchema.optional().meta({ description: "Replaces what was learned. `{}` forgets it." }),
  })
  .meta({ id: "ModelCatalogPatch", description: "Fields that you leave out keep their values." })

export const modelCatalogAddSchema = z
  .strictObject({
    engine: z.enum(ENGINES).meta({ example: "openai" }),
    model: z
      .string()
      .regex(/^[^\s/][^\s]{0,99}$/)
      .meta({ description: "The model's name at the provider. It can contain slashes.", example: "gpt-5-mini" }),
    label,
    kind: kind.default("chat"),
    enabled: z.boolean().default(false),
    sort_order: sortOrder.default(0),
    ...rowPriceFields,
    max_output_tokens: z.int().min(1).max(10_000_000).default(4_096),
    context_tokens: z.int().min(1).max(100_000_000).nullable().default(null).meta({ example: 400_000 }),
    idle_seconds: z.int().min(1).max(600).nullable().default(null).meta({ example: 60 }),
  })
  .superRefine((row, check) => {
    const { kind, engine } = row
    const fault = (path: string[], message: string) => check.addIssue({ code: "custom", path, message })
    checkRowPrices(kind, row, fault)
    if (kind === "image" && !engine.startsWith("openai")) fault(["engine"], `has no models of the kind "image"`)
  })
  .meta({
    id: "ModelCatalogAdd",
    examples: [
      { engine: "openai", model: "gpt-5-mini", label: "GPT-5 mini", price_usd_per_million_tokens: PRICE_EXAMPLES },
    ],
  })

export const MODEL_REFUSALS: Refusals = {
  not_found: ["NOT_FOUND", "The catalog has no model with this pin."],
  last_enabled: ["LAST_ENABLED_MODEL", "This is the last enabled model. Enable another one first."],
  other_kind: [
    "CONFLICT",
    "The prices do not fit the model's kind: `picture` is only for models of the kind `image`, and token prices are only for `chat`.",
  ],
  past: ["CONFLICT", "`begins_at` is not in the future. Change the prices now, or choose a later time."],
  planned: ["CONFLICT", "Other prices of this model are planned. Cancel them first."],
  no_plan: ["CONFLICT", "The model has no planned prices. They were cancelled, or count already."],
  exists: ["CONFLICT", "The catalog already has a model with this pin. Change that one."],
}

export const PATCH_MODEL_ERRORS = ["NOT_FOUND", "LAST_ENABLED_MODEL"] as const

/** Enables, disables, relabels or reorders a model. Throws NOT_FOUND, LAST_ENABLED_MODEL. */
export function patchModel(
  ctx: Context,
  credential: SessionCredential,
  { pin, patch, ifVersion }: { pin: string; patch: z.output<typeof modelCatalogPatchSchema>; ifVersion: number | null },
) {
  const { enabled = null, label = null, sort_order = null, learned = null } = patch
  const args = { pin, enabled, label, sort_order, learned, if_version: ifVersion }
  return editAs(ctx, credential, "patch_model", { args, refusals: MODEL_REFUSALS, serialize: serializeCatalogRow })
}

/** Adds a model with its prices. Throws CONFLICT if the catalog already has its pin. */
export function addCatalogModel(
  ctx: Context,
  credential: SessionCredential,
  added: z.output<typeof modelCatalogAddSchema>,
) {
  const { engine, model, label, kind, enabled, sort_order, max_output_tokens, context_tokens, idle_seconds } = added
  const row = { engine, model, label, kind, enabled, sort_order, max_output_tokens, context_tokens, idle_seconds }
  const args = { model: { ...row, ...versionOfRow(added) } }
  return editAs(ctx, credential, "add_model", { args, refusals: MODEL_REFUSALS, serialize: serializeCatalogRow })
}

import * as z from "zod"
import {
  addCatalogModel,
  catalogRowSchema,
  listCatalog,
  modelCatalogAddSchema,
  modelCatalogPatchSchema,
  PATCH_MODEL_ERRORS,
  PUT_MODEL_PRICES_ERRORS,
  patchModel,
  putModelPrices,
} from "../../catalog/admin-models.ts"
import { modelPricesSchema } from "../../catalog/source-schemas.ts"
import type { App } from "../../http/app.ts"
import { listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "admin"
const params = z.object({
  pin: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "The model's pin. You can write its slash as `%2F`.", example: "openai/gpt-5-mini" }),
})

export function mountCatalog(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/model-catalog",
      id: "listModelCatalog",
      tag,
      summary: "List the model catalog",
      description:
        "All models, enabled and disabled, in sort order. Each has the number of spaces that are pinned to it.",
      answer: { status: 200, description: "All models.", schema: listOf(catalogRowSchema) },
      errors: [],
    },
    async (c) => wholeList(await listCatalog(c.get("ctx"), sessionOf(c))),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/model-catalog",
      id: "addModel",
      tag,
      summary: "Add a model",
      description:
        "Adds a model with its prices. Its pin is `engine/model`. A model of the kind `image` generates the pictures of `generate_image`, " +
        "through the account of the media login.",
      versioned: "shown",
      body: modelCatalogAddSchema,
      answer: { status: 200, description: "The new model.", schema: catalogRowSchema },
      errors: ["CONFLICT"],
    },
    async (c, { body }) => addCatalogModel(c.get("ctx"), sessionOf(c), body),
  )

  // Mounted before the shorter path, because a pin can contain slashes.
  app.operation(
    {
      method: "put",
      path: "/api/admin/model-catalog/{pin}/prices",
      id: "putModelPrices",
      tag,
      summary: "Change a model's prices",
      description:
        "Creates a new `price_version` for turns that are accepted from now on. Open turns keep the prices that were valid when they " +
        "were accepted, also for sub-agents' models and pictures.",
      versioned: "checked",
      params,
      body: modelPricesSchema,
      answer: { status: 200, description: "The current model.", schema: catalogRowSchema },
      errors: PUT_MODEL_PRICES_ERRORS,
    },
    async (c, { params: { pin }, body: prices, ifVersion }) =>
      putModelPrices(c.get("ctx"), sessionOf(c), { pin, prices, ifVersion }),
  )

  app.operation(
    {
      method: "patch",
      path: "/api/admin/model-catalog/{pin}",
      id: "patchModel",
      tag,
      summary: "Change a model",
      description:
        "Enables, disables, relabels or reorders a model, from the next turn on. Test keys always use `rehearsal/standard`, " +
        "even if it is disabled in the catalog.",
      versioned: "checked",
      params,
      body: modelCatalogPatchSchema,
      answer: { status: 200, description: "The current model.", schema: catalogRowSchema },
      errors: PATCH_MODEL_ERRORS,
    },
    async (c, { params: { pin }, body: patch, ifVersion }) =>
      patchModel(c.get("ctx"), sessionOf(c), { pin, patch, ifVersion }),
  )
}

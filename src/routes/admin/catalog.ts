import * as z from "zod"
import {
  addCatalogModel,
  catalogRowSchema,
  listCatalog,
  modelCatalogAddSchema,
  modelCatalogPatchSchema,
  modelPricesSchema,
  patchModel,
  putModelPrices,
} from "../../catalog/admin-models.ts"
import type { App } from "../../http/app.ts"
import { listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const tag = "admin"
const params = z.object({
  pin: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "Its slash may be written as `%2F`.", example: "openai/gpt-5-mini" }),
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
        "All rows, enabled and disabled, in sort order, each with the number of spaces that are pinned to it.",
      answer: { status: 200, description: "All of them.", schema: listOf(catalogRowSchema) },
      errors: ["ADMIN_REQUIRED"],
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
        "Adds a row with its prices. Its pin is `engine/model`. A row of the kind `image` makes the pictures of `generate_image`: " +
        "the account of the media login calls it.",
      versioned: "shown",
      body: modelCatalogAddSchema,
      answer: { status: 200, description: "The new row.", schema: catalogRowSchema },
      errors: ["ADMIN_REQUIRED", "CONFLICT"],
    },
    async (c, { body }) => addCatalogModel(c.get("ctx"), sessionOf(c), body),
  )

  // Before the shorter path, whose pin may have slashes.
  app.operation(
    {
      method: "put",
      path: "/api/admin/model-catalog/{pin}/prices",
      id: "putModelPrices",
      tag,
      summary: "Change a model's prices",
      description:
        "A new `price_version` for turns that are accepted from now on. Turns under way keep the prices of the moment at which they " +
        "were accepted, sub-agents' models and pictures included.",
      versioned: "checked",
      params,
      body: modelPricesSchema,
      answer: { status: 200, description: "The row as it is now.", schema: catalogRowSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "CONFLICT"],
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
        "Enables, disables, relabels or reorders it; the change binds the next turn. Test keys go on rehearsing, whatever " +
        "the catalog says of `rehearsal/standard`.",
      versioned: "checked",
      params,
      body: modelCatalogPatchSchema,
      answer: { status: 200, description: "The row as it is now.", schema: catalogRowSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "LAST_ENABLED_MODEL"],
    },
    async (c, { params: { pin }, body: patch, ifVersion }) =>
      patchModel(c.get("ctx"), sessionOf(c), { pin, patch, ifVersion }),
  )
}

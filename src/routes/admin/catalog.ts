import * as z from "zod"
import {
  addCatalogModel,
  catalogRowSchema,
  listCatalog,
  modelCatalogAddSchema,
  modelCatalogPatchSchema,
  PATCH_MODEL_ERRORS,
  patchModel,
} from "../../catalog/admin-models.ts"
import { listProposals } from "../../catalog/list-proposals.ts"
import { proposalsSchema } from "../../catalog/proposal-schemas.ts"
import {
  cancelPlannedPrices,
  PUT_MODEL_PRICES_ERRORS,
  planModelPricesSchema,
  putModelPrices,
} from "../../catalog/put-prices.ts"
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

  app.operation(
    {
      method: "get",
      path: "/api/admin/model-catalog/proposals",
      id: "listModelProposals",
      tag,
      summary: "Compare the catalog with providers' prices",
      description:
        "Compares prices, tiers and context windows with the price feed of this release, and finds models near their retirement. " +
        "Nothing changes: send the prices of a proposal to `PUT /api/admin/model-catalog/{pin}/prices`, or plan them.",
      answer: { status: 200, description: "All findings.", schema: proposalsSchema },
      errors: [],
    },
    async (c) => listProposals(c.get("ctx"), sessionOf(c)),
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
      putModelPrices(c.get("ctx"), sessionOf(c), { pin, prices, from: null, ifVersion }),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/model-catalog/{pin}/planned-prices",
      id: "planModelPrices",
      tag,
      summary: "Plan a model's prices",
      description:
        "Creates a new `price_version` for turns that are accepted from `begins_at` on, to the millisecond. Until then, you can cancel it. " +
        "A model has one plan, and no other change of its prices until the plan has begun.",
      versioned: "checked",
      params,
      body: planModelPricesSchema,
      answer: { status: 200, description: "The current model.", schema: catalogRowSchema },
      errors: PUT_MODEL_PRICES_ERRORS,
    },
    async (c, { params: { pin }, body: { prices, begins_at: from }, ifVersion }) =>
      putModelPrices(c.get("ctx"), sessionOf(c), { pin, prices, from, ifVersion }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/model-catalog/{pin}/planned-prices",
      id: "cancelPlannedPrices",
      tag,
      summary: "Cancel a model's planned prices",
      description: "The current prices count on, with their version.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The current model.", schema: catalogRowSchema },
      errors: PUT_MODEL_PRICES_ERRORS,
    },
    async (c, { params: { pin }, ifVersion }) => cancelPlannedPrices(c.get("ctx"), sessionOf(c), { pin, ifVersion }),
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

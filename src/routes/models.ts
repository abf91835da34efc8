import * as z from "zod"
import { imageModelSchema, listModels, modelSchema } from "../catalog/list-models.ts"
import type { App } from "../http/app.ts"
import { pageOf, wholePage } from "../http/query.ts"
import { bareQuery, type Mounting } from "./mounting.ts"

/** The list of models. Mounted for keys and for a signed-in owner. */
export function mountModels(app: App, mounting: Mounting) {
  app.operation(
    {
      method: "get",
      path: `${mounting.prefix}/models`,
      id: "listModels",
      tag: "Models",
      summary: "List the models",
      description:
        "All models that turns can use, with their prices, in the catalog's order and in one page. The first model is the " +
        "default of turns whose space names no model. `image_models` are the models of " +
        "`generate_image`, with the price of each picture. The first of them is the default if the " +
        "manifest names none. A test key sees the rehearsal models, and no image models: its pictures are free.",
      query: bareQuery(mounting),
      answer: {
        status: 200,
        description: "All models.",
        schema: pageOf(modelSchema).extend({ image_models: z.array(imageModelSchema) }),
      },
      errors: [],
    },
    async (c) => {
      const { chat, image } = await listModels(c.get("ctx"), c.get("credential"))
      return { ...wholePage(chat), image_models: image }
    },
  )
}

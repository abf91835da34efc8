import * as z from "zod"
import { imageModelSchema, listModels, modelSchema } from "../catalog/list-models.ts"
import type { App } from "../http/app.ts"
import { pageOf, wholePage } from "../http/query.ts"
import { bareQuery, type Mounting } from "./mounting.ts"

/** What there is to choose from; the same for keys and for a signed-in owner. */
export function mountModels(app: App, mounting: Mounting) {
  app.operation(
    {
      method: "get",
      path: `${mounting.prefix}/models`,
      id: "listModels",
      tag: "Models",
      summary: "List the models",
      description:
        "All models that turns may use, with their prices, in the catalog's order and in one page. A turn " +
        "uses the first one when neither it nor its space names a model. `image_models` are those that " +
        "`generate_image` makes pictures by, with the price of each picture; the first one does where the " +
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

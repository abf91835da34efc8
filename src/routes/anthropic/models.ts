import * as z from "zod"
import {
  messageModelSchema,
  messageModelsSchema,
  pageOfModels,
  serializeMessageModel,
} from "../../anthropic/space-model.ts"
import { listSpaceModels } from "../../dialects/list-space-models.ts"
import type { App } from "../../http/app.ts"
import { idParam, wholeParam } from "../../http/query.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { KEY_HEADERS, ANTHROPIC_TAG as tag } from "./shared.ts"

export function mountMessageModels(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/anthropic/v1/models",
      id: "listMessageModels",
      dialect: "anthropic",
      tag,
      summary: "List spaces as Anthropic's models",
      description: "The active spaces in the key's scope, newest first, for clients that let a person choose a model.",
      query: z.strictObject({
        limit: wholeParam(1, 1_000).default(20).meta({ description: "The most models of the page." }),
        after_id: idParam.optional().meta({ description: "The `last_id` of the page before." }),
        before_id: idParam.optional().meta({ description: "The `first_id` of the page after." }),
      }),
      headers: KEY_HEADERS,
      answer: { status: 200, description: "The spaces.", schema: messageModelsSchema },
      errors: [],
    },
    async (c, { query }) => pageOfModels(await listSpaceModels(c.get("ctx"), c.get("credential")), query),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/anthropic/v1/models/{space_id}",
      id: "getMessageModel",
      dialect: "anthropic",
      tag,
      summary: "Read a space as one of Anthropic's models",
      params: z.object({ space_id: idParam }),
      headers: KEY_HEADERS,
      answer: { status: 200, description: "The space.", schema: messageModelSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeMessageModel(await getSpace(c.get("ctx"), c.get("credential"), params.space_id)),
  )
}

import * as z from "zod"
import { listSpaceModels } from "../../dialects/list-space-models.ts"
import type { App } from "../../http/app.ts"
import { idParam } from "../../http/query.ts"
import { serializeSpaceModel, spaceModelSchema, spaceModelsSchema } from "../../openai/space-model.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { OPENAI_TAG as tag } from "./turn-operations.ts"

export function mountSpaceModels(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/openai/models",
      id: "listSpaceModels",
      dialect: "openai",
      tag,
      summary: "List spaces as models",
      description: "The active spaces in the key's scope, newest first, for clients that let a person choose a model.",
      answer: { status: 200, description: "The spaces.", schema: spaceModelsSchema },
      errors: [],
    },
    async (c) => {
      const ctx = c.get("ctx")
      const spaces = await listSpaceModels(ctx, c.get("credential"))
      return { object: "list" as const, data: spaces.map((space) => serializeSpaceModel(ctx, space)) }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/openai/models/{space_id}",
      id: "getSpaceModel",
      dialect: "openai",
      tag,
      summary: "Read a space as a model",
      params: z.object({ space_id: idParam }),
      answer: { status: 200, description: "The space.", schema: spaceModelSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => {
      const ctx = c.get("ctx")
      return serializeSpaceModel(ctx, await getSpace(ctx, c.get("credential"), params.space_id))
    },
  )
}

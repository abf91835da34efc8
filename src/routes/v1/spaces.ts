import { createRoute } from "@hono/zod-openapi"
import { z } from "zod"
import type { App } from "../../http/app.ts"
import { errorResponses, jsonAnswer, jsonBody } from "../../http/openapi.ts"
import { idParam } from "../../http/query.ts"
import { createSpace } from "../../spaces/create-space.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { createSpaceSchema, spaceSchema } from "../../spaces/schemas.ts"
import { serializeSpace } from "../../spaces/serialize-space.ts"

const post = createRoute({
  method: "post",
  path: "/v1/spaces",
  tags: ["Spaces"],
  operationId: "createSpace",
  summary: "Create a space",
  description: "A space is an isolated agent with its own configuration, conversations and files.",
  request: { body: jsonBody(createSpaceSchema) },
  responses: {
    201: jsonAnswer("The new space.", spaceSchema),
    ...errorResponses(
      "INVALID_JSON",
      "SCOPE_DENIED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "VALIDATION_FAILED",
    ),
  },
})

const get = createRoute({
  method: "get",
  path: "/v1/spaces/{space_id}",
  tags: ["Spaces"],
  operationId: "getSpace",
  summary: "Read a space",
  request: { params: z.object({ space_id: idParam }) },
  responses: { 200: jsonAnswer("The space.", spaceSchema), ...errorResponses("NOT_FOUND") },
})

export function mountSpaces(app: App) {
  app.openapi(post, async (c) => {
    const space = serializeSpace(await createSpace(c.get("ctx"), c.get("credential"), c.req.valid("json")))
    return c.json(space, 201, { Location: `/v1/spaces/${space.space_id}` })
  })
  app.openapi(get, async (c) =>
    c.json(serializeSpace(await getSpace(c.get("ctx"), c.get("credential"), c.req.valid("param").space_id)), 200),
  )
}

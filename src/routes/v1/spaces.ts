import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam } from "../../http/query.ts"
import { createSpace } from "../../spaces/create-space.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { createSpaceSchema, spaceSchema } from "../../spaces/schemas.ts"
import { serializeSpace } from "../../spaces/serialize-space.ts"

export function mountSpaces(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/spaces",
      id: "createSpace",
      tag: "Spaces",
      summary: "Create a space",
      description: "A space is an isolated agent with its own configuration, conversations and files.",
      idempotent: "replayed",
      body: createSpaceSchema,
      answer: { status: 201, description: "The new space.", schema: spaceSchema, headers: { Location: "Its path." } },
      errors: ["SCOPE_DENIED"],
    },
    async (c, { body, once }) => {
      const space = serializeSpace(madeOf(c, await createSpace(c.get("ctx"), c.get("credential"), body, once)))
      c.header("Location", `/v1/spaces/${space.space_id}`)
      return space
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/spaces/{space_id}",
      id: "getSpace",
      tag: "Spaces",
      summary: "Read a space",
      params: z.object({ space_id: idParam }),
      answer: { status: 200, description: "The space.", schema: spaceSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeSpace(await getSpace(c.get("ctx"), c.get("credential"), params.space_id)),
  )
}

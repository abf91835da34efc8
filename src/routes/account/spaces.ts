import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-auth.ts"
import { createSpace } from "../../spaces/create-space.ts"
import { ARCHIVED_FILTER, findSpaces, serializeSpaceSummary, spaceSummarySchema } from "../../spaces/find-spaces.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { createSpaceSchema, spaceSchema } from "../../spaces/schemas.ts"
import { serializeSpace } from "../../spaces/serialize-space.ts"

const tag = "Spaces"
const query = z.strictObject(testQuery)

export function mountOwnSpaces(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/spaces",
      id: "listSpaces",
      tag,
      summary: "List spaces",
      description: "Newest first, without their configuration.",
      query: z.strictObject({
        q: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .meta({ description: "A part of the title. Upper and lower case count as the same." }),
        archived: z.enum(ARCHIVED_FILTER).default("active"),
        ...testQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of spaces.", schema: listOf(spaceSummarySchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, test: _test, ...search } }) => {
      const { spaces, total } = await findSpaces(c.get("ctx"), sessionOf(c), { search, limit, offset })
      return { items: spaces.map(serializeSpaceSummary), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/spaces",
      id: "createSpace",
      tag,
      summary: "Create a space",
      description:
        "A space of the account itself. Keys with the scope `all`, and keys with the scope of this space, can use it.",
      idempotent: "replayed",
      query,
      body: createSpaceSchema,
      answer: { status: 201, description: "The new space.", schema: spaceSchema, headers: { Location: "Its path." } },
      errors: [],
    },
    async (c, { body, once }) => {
      const space = serializeSpace(madeOf(c, await createSpace(c.get("ctx"), sessionOf(c), body, once)))
      c.header("Location", `/api/account/spaces/${space.space_id}`)
      return space
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/spaces/{space_id}",
      id: "getSpace",
      tag,
      summary: "Read a space",
      params: z.object({ space_id: idParam }),
      query,
      answer: { status: 200, description: "The space.", schema: spaceSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeSpace(await getSpace(c.get("ctx"), sessionOf(c), params.space_id)),
  )
}

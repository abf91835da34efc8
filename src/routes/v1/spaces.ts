import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { booleanOrAllParam, createdQuery, idParam, pageOf, pageQuery } from "../../http/query.ts"
import { ARCHIVE_SPACE_ERRORS, archiveSpace } from "../../spaces/archive-space.ts"
import { CREATE_SPACE_ERRORS, createSpace } from "../../spaces/create-space.ts"
import { getSpace } from "../../spaces/get-space.ts"
import { listSpaces } from "../../spaces/list-spaces.ts"
import { PATCH_SPACE_ERRORS, patchSpace } from "../../spaces/patch-space.ts"
import { createSpaceSchema, patchSpaceSchema, spaceSchema } from "../../spaces/schemas.ts"
import { serializeSpace } from "../../spaces/serialize-space.ts"

const spaceParams = z.object({ space_id: idParam })

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
      answer: {
        status: 201,
        description: "The new space.",
        schema: spaceSchema,
        headers: { Location: "The space's path." },
      },
      errors: CREATE_SPACE_ERRORS,
      keyScope: "created",
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
      tagged: {},
      tag: "Spaces",
      summary: "Read a space",
      params: spaceParams,
      answer: { status: 200, description: "The space.", schema: spaceSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeSpace(await getSpace(c.get("ctx"), c.get("credential"), params.space_id)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/spaces",
      id: "listSpaces",
      tag: "Spaces",
      summary: "List spaces",
      description: "The spaces in the key's scope, newest first. Archived spaces are left out by default.",
      query: z.strictObject({
        ...pageQuery,
        archived: booleanOrAllParam.default("false").meta({
          description: "`false`: only active spaces. `true`: only archived spaces. `all`: both. Default: `false`.",
        }),
        q: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .meta({ description: "A part of the title. Case does not matter.", example: "support" }),
        ...createdQuery,
      }),
      answer: { status: 200, description: "A page of spaces.", schema: pageOf(spaceSchema) },
      errors: [],
    },
    async (c, { query: { limit, cursor, ...filters } }) => {
      const page = await listSpaces(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
      return { ...page, data: page.data.map(serializeSpace) }
    },
  )

  app.operation(
    {
      method: "patch",
      path: "/v1/spaces/{space_id}",
      id: "updateSpace",
      tagged: {},
      tag: "Spaces",
      summary: "Change a space's title, model or metadata",
      description:
        "Fields that you leave out keep their values. `metadata` is replaced as a whole. `model: null` " +
        "selects the catalog's default model. A change of the model creates a new version of the configuration, " +
        "for turns that start later. The manifest, tools, MCP servers and secrets have paths of their own.",
      params: spaceParams,
      body: patchSpaceSchema,
      answer: { status: 200, description: "The space.", schema: spaceSchema },
      errors: PATCH_SPACE_ERRORS,
    },
    async (c, { params, body }) =>
      serializeSpace(await patchSpace(c.get("ctx"), c.get("credential"), params.space_id, body)),
  )

  app.operation(
    {
      method: "delete",
      path: "/v1/spaces/{space_id}",
      id: "archiveSpace",
      tagged: {},
      tag: "Spaces",
      summary: "Archive a space",
      description:
        "An archived space accepts no more turns, files or changes (409 `SPACE_ARCHIVED`). You can still " +
        "read it. Its queued turns are cancelled with the status_reason `space_archived`. Its running " +
        "turns stop before their next step and are billed for their work so far. If many turns are " +
        "queued, the last ones are cancelled within minutes. A second request returns the same response.",
      params: spaceParams,
      answer: { status: 200, description: "The archived space.", schema: spaceSchema },
      errors: ARCHIVE_SPACE_ERRORS,
    },
    async (c, { params }) => serializeSpace(await archiveSpace(c.get("ctx"), c.get("credential"), params.space_id)),
  )
}

import * as z from "zod"
import { needsSpaceRole } from "../../actor/shares.ts"
import { ARCHIVED_FILTER } from "../../base/pagination.ts"
import { getSpaceSpend, spaceSpendSchema } from "../../billing/space-spend.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { daysQuery, idParam, listOf, listQuery, repeated, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { ARCHIVE_SPACE_ERRORS, archiveSpace } from "../../spaces/archive-space.ts"
import { CREATE_SPACE_ERRORS, createSpace } from "../../spaces/create-space.ts"
import {
  accountSpaceSchema,
  findSpaces,
  serializeAccountSpace,
  serializeSpaceSummary,
  spaceSummarySchema,
} from "../../spaces/find-spaces.ts"
import { getAccountSpace } from "../../spaces/get-space.ts"
import { PATCH_SPACE_ERRORS, patchSpace } from "../../spaces/patch-space.ts"
import { createSpaceSchema, patchSpaceSchema, spaceSchema } from "../../spaces/schemas.ts"
import { serializeSpace } from "../../spaces/serialize-space.ts"

const tag = "Spaces"
const query = z.strictObject(testQuery)
const params = z.object({ space_id: idParam })
const WHO_CHANGES = "Only for the space's owner, and for the owners and admins of its workspace."

export function mountOwnSpaces(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/spaces",
      id: "listSpaces",
      tag,
      summary: "List spaces",
      description:
        "Your own spaces and the spaces that are shared with you, newest first, without their configuration.",
      query: z.strictObject({
        q: z.string().min(1).max(200).optional().meta({
          description: "A part of the title, or a prefix of the slug. Case does not matter.",
        }),
        space: repeated.optional().meta({ description: "Only these spaces. Repeat the parameter for several." }),
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
        "The space belongs to the account and not to a key. Keys with the scope `all`, and keys with the scope of this space, can use it.",
      idempotent: "replayed",
      query,
      body: createSpaceSchema,
      answer: {
        status: 201,
        description: "The new space.",
        schema: spaceSchema,
        headers: { Location: "The space's path." },
      },
      errors: CREATE_SPACE_ERRORS,
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
      params,
      query,
      answer: { status: 200, description: "The space.", schema: accountSpaceSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeAccountSpace(await getAccountSpace(c.get("ctx"), sessionOf(c), params.space_id)),
  )

  app.operation(
    {
      method: "patch",
      path: "/api/account/spaces/{space_id}",
      id: "updateSpace",
      tag,
      summary: "Change a space's title, model or metadata",
      description: `Fields that you leave out keep their values. ${WHO_CHANGES}`,
      params,
      query,
      body: patchSpaceSchema,
      answer: { status: 200, description: "The space.", schema: spaceSchema },
      errors: PATCH_SPACE_ERRORS,
      spaceRole: needsSpaceRole("admin"),
    },
    async (c, { params, body }) => serializeSpace(await patchSpace(c.get("ctx"), sessionOf(c), params.space_id, body)),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/spaces/{space_id}",
      id: "archiveSpace",
      tag,
      summary: "Archive a space",
      description: `The space accepts no more turns, files or changes, but you can still read it. Its open turns are cancelled. ${WHO_CHANGES}`,
      params,
      query,
      answer: { status: 200, description: "The archived space.", schema: spaceSchema },
      errors: ARCHIVE_SPACE_ERRORS,
    },
    async (c, { params }) => serializeSpace(await archiveSpace(c.get("ctx"), sessionOf(c), params.space_id)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/spaces/{space_id}/spend",
      id: "getSpaceSpend",
      tag,
      summary: "Read a space's spending",
      description:
        "The cost of the space's turns to its owner, by day, and by the sender of web-chat turns. Everyone who can use the space can read it.",
      params,
      query: z.strictObject({ ...daysQuery(365), ...testQuery }),
      answer: { status: 200, description: "The spending.", schema: spaceSpendSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId }, query: { days } }) =>
      getSpaceSpend(c.get("ctx"), sessionOf(c), { spaceId, days }),
  )
}

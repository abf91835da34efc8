import * as z from "zod"
import { needsSpaceRole } from "../../actor/shares.ts"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  END_SHARING_ERRORS,
  endSharing,
  GET_SHARING_ERRORS,
  getSharing,
  listShares,
  PUT_MEMBERS_LIMIT_ERRORS,
  putMembersLimit,
  putMembersLimitSchema,
  sharedSpaceSchema,
  sharingSchema,
} from "../../spaces/sharing.ts"
import { raised } from "../raised.ts"

const tag = "Spaces"
const params = z.object({ space_id: idParam })
const query = z.strictObject(testQuery)
const answer = { status: 200 as const, description: "The current sharing of the space.", schema: sharingSchema }

/** Operations for owners of spaces that operators have shared with other users. */
export function mountSharing(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/shares",
      id: "listShares",
      tag,
      summary: "List your spaces that are shared",
      description: "Your own spaces that other people can see and use, newest first.",
      query: z.strictObject({ ...testQuery, ...listQuery }),
      answer: { status: 200, description: "A page of shared spaces.", schema: listOf(sharedSpaceSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset } }) => ({
      ...(await listShares(c.get("ctx"), sessionOf(c), { limit, offset })),
      limit,
      offset,
    }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/spaces/{space_id}/sharing",
      id: "getSharing",
      tag,
      summary: "Read a space's sharing",
      description:
        "The people besides you who can see and use the space, and their daily spending limit (UTC). Their turns are billed to you. Only for the space's owner.",
      params,
      query,
      answer,
      errors: GET_SHARING_ERRORS,
    },
    async (c, { params: { space_id } }) => getSharing(c.get("ctx"), sessionOf(c), space_id),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/spaces/{space_id}/sharing",
      id: "endSharing",
      tag,
      summary: "End the sharing of a space",
      description:
        "Removes the space from its workspace, and removes all other people from the space. They lose access from their next request " +
        "on. Their turns that are already accepted continue to their end. Only for the space's owner. A second request returns the same response.",
      params,
      query,
      answer,
      errors: END_SHARING_ERRORS,
    },
    async (c, { params: { space_id } }) => endSharing(c.get("ctx"), sessionOf(c), space_id),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/spaces/{space_id}/members-limit",
      id: "putMembersLimit",
      tag,
      summary: "Set the members' daily limit",
      description:
        "The most of your balance that all members of the space together can spend in a UTC day. Turns beyond it are rejected " +
        "with `QUOTA_EXCEEDED`, cap `members_daily`. It applies from the next turn on. Only for the space's owner.",
      params,
      query,
      body: putMembersLimitSchema,
      answer,
      errors: PUT_MEMBERS_LIMIT_ERRORS,
      spaceRole: needsSpaceRole("owner"),
    },
    async (c, { params: { space_id: spaceId }, body: { daily_usd: dailyUsd } }) =>
      raised(c, await putMembersLimit(c.get("ctx"), sessionOf(c), { spaceId, dailyUsd })),
  )
}

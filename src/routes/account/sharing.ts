import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  endSharing,
  getSharing,
  listShares,
  putMembersLimit,
  putMembersLimitSchema,
  sharedSpaceSchema,
  sharingSchema,
} from "../../spaces/sharing.ts"

const tag = "Spaces"
const params = z.object({ space_id: idParam })
const query = z.strictObject(testQuery)
const answer = { status: 200 as const, description: "How it is shared now.", schema: sharingSchema }

/** What an owner sees and decides of spaces that operators have shared with others. */
export function mountSharing(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/shares",
      id: "listShares",
      tag,
      summary: "List your spaces that are shared",
      description: "Those of your own spaces that other people see and use, newest first.",
      query: z.strictObject({ ...testQuery, ...listQuery }),
      answer: { status: 200, description: "A page of them.", schema: listOf(sharedSpaceSchema) },
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
      summary: "Read who shares a space",
      description:
        "Who sees and uses the space besides you, and what they may spend of your balance in a UTC day: their turns are yours to pay. For its owner.",
      params,
      query,
      answer,
      errors: ["NOT_FOUND", "SPACE_ROLE_REQUIRED"],
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
        "Takes the space out of its workspace and removes all other people from it. They see nothing of it from their next request " +
        "on; turns that they have sent go on to their end. For its owner. Repeating it gives the same answer.",
      params,
      query,
      answer,
      errors: ["NOT_FOUND", "SPACE_ROLE_REQUIRED", "CONFLICT"],
    },
    async (c, { params: { space_id } }) => endSharing(c.get("ctx"), sessionOf(c), space_id),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/spaces/{space_id}/members-limit",
      id: "putMembersLimit",
      tag,
      summary: "Limit what members spend in a day",
      description:
        "What all people with whom the space is shared may spend of your balance together in a UTC day. Their turns beyond it are refused " +
        "with `QUOTA_EXCEEDED`, cap `members_daily`. It binds the next turn. For its owner.",
      params,
      query,
      body: putMembersLimitSchema,
      answer,
      errors: ["NOT_FOUND", "SPACE_ROLE_REQUIRED"],
    },
    async (c, { params: { space_id: spaceId }, body: { daily_usd: dailyUsd } }) =>
      putMembersLimit(c.get("ctx"), sessionOf(c), { spaceId, dailyUsd }),
  )
}

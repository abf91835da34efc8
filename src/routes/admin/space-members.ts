import * as z from "zod"
import { boardSchema, listBoards } from "../../boards/list-boards.ts"
import type { App } from "../../http/app.ts"
import { listOf, listQuery, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { adminSpaceDetailSchema } from "../../spaces/admin-space.ts"
import {
  ADD_SPACE_MEMBER_ERRORS,
  addSpaceMember,
  addSpaceMemberSchema,
  PUT_SPACE_CHAT_ERRORS,
  putSpaceChat,
  putSpaceChatSchema,
  removeSpaceMember,
  spaceMemberSchema,
} from "../../spaces/space-members.ts"

const tag = "admin"
const params = z.object({ space_id: numberParam.meta({ description: "The space's number.", example: 318 }) })

export function mountSpaceMembers(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/boards",
      id: "listBoards",
      tag,
      summary: "List the messaging platform's groups with a bot",
      description:
        "The groups in which the bot of a brand or of a workspace is or was, most recently changed first. The members of a board are known from the " +
        "updates that its bot received.",
      query: z.strictObject(listQuery),
      answer: { status: 200, description: "A page of boards.", schema: listOf(boardSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset } }) => ({
      ...(await listBoards(c.get("ctx"), sessionOf(c), { limit, offset })),
      limit,
      offset,
    }),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/spaces/by-id/{space_id}/chat",
      id: "putSpaceChat",
      tag,
      summary: "Link a space to a messaging chat",
      description:
        "While the bot of the space's brand or workspace is in the group, the people of that board are listed among the space's members. This " +
        "gives them no access to the space. A chat can be linked to one space at most. While it is linked, the space's `origin` is `messenger`.",
      params,
      body: putSpaceChatSchema,
      answer: { status: 200, description: "The space.", schema: adminSpaceDetailSchema },
      errors: PUT_SPACE_CHAT_ERRORS,
    },
    async (c, { params: { space_id: spaceId }, body: { chat_key: chatKey } }) =>
      putSpaceChat(c.get("ctx"), sessionOf(c), { spaceId, chatKey }),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/spaces/by-id/{space_id}/members",
      id: "addSpaceMember",
      tag,
      summary: "Share a space with a user",
      description: "From their next request on, the user can see and use the space. The space's owner is billed.",
      params,
      body: addSpaceMemberSchema,
      answer: { status: 200, description: "The member.", schema: spaceMemberSchema },
      errors: ADD_SPACE_MEMBER_ERRORS,
    },
    async (c, { params: { space_id: spaceId }, body: { user_id: userId } }) =>
      addSpaceMember(c.get("ctx"), sessionOf(c), { spaceId, userId }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/spaces/by-id/{space_id}/members/{user_id}",
      id: "removeSpaceMember",
      tag,
      summary: "Stop sharing a space with a user",
      description:
        "Their next request to the space is rejected, unless they also have access through its workspace or that workspace's team.",
      params: params.extend({ user_id: numberParam.meta({ example: 42 }) }),
      answer: { status: 200, description: "The removed member.", schema: spaceMemberSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId, user_id: userId } }) =>
      removeSpaceMember(c.get("ctx"), sessionOf(c), { spaceId, userId }),
  )
}

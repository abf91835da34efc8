import * as z from "zod"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvInParts, rowsInParts, rowsOfParts } from "../../http/csv.ts"
import { madeOf } from "../../http/idempotency.ts"
import { listInParts } from "../../http/in-parts.ts"
import { idParam, listOf, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  botTestSchema,
  putBotSchema,
  putWorkspaceBot,
  TEST_WORKSPACE_BOT_ERRORS,
  testWorkspaceBot,
} from "../../workspaces/bot.ts"
import {
  botWebhookSchema,
  SET_WORKSPACE_BOT_WEBHOOK_ERRORS,
  setWorkspaceBotWebhook,
} from "../../workspaces/bot-webhook.ts"
import {
  ADD_WORKSPACE_MEMBER_ERRORS,
  addMemberSchema,
  addWorkspaceMember,
  createWorkspace,
  getWorkspace,
  PATCH_WORKSPACE_ERRORS,
  patchWorkspace,
  REMOVE_WORKSPACE_MEMBER_ERRORS,
  removedMemberSchema,
  removeWorkspaceMember,
  workspaceCreateSchema,
  workspaceUpdateSchema,
} from "../../workspaces/change-workspace.ts"
import { listWorkspaces, type Workspace, workspaceSchema } from "../../workspaces/workspaces.ts"
import { pageOfAnswer } from "./report.ts"
import { groupQuery } from "./teams.ts"

const tag = "admin"
const params = z.object({ workspace_id: idParam.meta({ example: "acme-support" }) })
const theWorkspace = { status: 200, description: "The workspace.", schema: workspaceSchema } as const

const memberRows = (workspace: Workspace) =>
  rowsOfParts(workspace, [
    ...workspace.members.map((member) => ({ ...member, via: "workspace" as const })),
    ...workspace.team_members.map((member) => ({ ...member, role: null, since: null, via: "team" as const })),
  ])

const CSV: CsvColumns<ReturnType<typeof memberRows>[number]> = {
  workspace_id: ({ item }) => item.workspace_id,
  name: ({ item }) => item.name,
  team_id: ({ item }) => item.team?.team_id ?? null,
  spaces: ({ item }) => item.spaces.length,
  bot_username: ({ item }) => item.bot.username,
  archived: ({ item }) => item.archived,
  created_at: ({ item }) => item.created_at,
  updated_at: ({ item }) => item.updated_at,
  member_user_id: ({ part }) => part?.user_id ?? null,
  member_name: ({ part }) => part?.name ?? null,
  member_email: ({ part }) => part?.email ?? null,
  role: ({ part }) => part?.role ?? null,
  since: ({ part }) => part?.since ?? null,
  via: ({ part }) => part?.via ?? null,
}

export function mountWorkspaces(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/workspaces",
      id: "listWorkspaces",
      tag,
      summary: "List workspaces",
      description:
        "All workspaces by name, with their members, spaces and bot configuration. A bot's token is never shown. The CSV has one row for each " +
        "member, and one for each member of the attached team (`via`: `team`).",
      query: z.strictObject(groupQuery),
      answer: { status: 200, description: "The workspaces.", schema: listOf(workspaceSchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, ...search } }) => {
      const page = pageOfAnswer(format, { limit, offset })
      const list = await listWorkspaces(c.get("ctx"), sessionOf(c), { search, ...page })
      return format === "csv"
        ? csvInParts(c, "workspaces", CSV, rowsInParts(list.parts, memberRows))
        : listInParts(c, list)
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/workspaces",
      id: "createWorkspace",
      tag,
      summary: "Create a workspace",
      description: "A workspace is a group of people with a bot and spaces.",
      idempotent: "replayed",
      versioned: "shown",
      body: workspaceCreateSchema,
      answer: theWorkspace,
      errors: ["WORKSPACE_EXISTS"],
    },
    async (c, { body, once }) => madeOf(c, await createWorkspace(c.get("ctx"), sessionOf(c), body, once)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/workspaces/{workspace_id}",
      id: "getWorkspace",
      tag,
      summary: "Read a workspace",
      versioned: "shown",
      params,
      answer: theWorkspace,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { workspace_id } }) => getWorkspace(c.get("ctx"), sessionOf(c), workspace_id),
  )

  app.operation(
    {
      method: "patch",
      path: "/api/admin/workspaces/{workspace_id}",
      id: "updateWorkspace",
      tag,
      summary: "Change a workspace",
      description:
        "Changes the fields that you send: name, team, spaces or `archived`. Members of the workspace and of its team can see and use its spaces from their next request on. " +
        "Its owners and admins can change the spaces. The owner of each space is billed. A space can be in one workspace at most.",
      versioned: "checked",
      params,
      body: workspaceUpdateSchema,
      answer: theWorkspace,
      errors: PATCH_WORKSPACE_ERRORS,
    },
    async (c, { params: { workspace_id: id }, body: change, ifVersion }) =>
      patchWorkspace(c.get("ctx"), sessionOf(c), { id, change, ifVersion }),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/workspaces/{workspace_id}/bot",
      id: "putWorkspaceBot",
      tag,
      summary: "Set a workspace's bot",
      description: "Changes the fields that you send. The token is write-only.",
      versioned: "checked",
      params,
      body: putBotSchema,
      answer: theWorkspace,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { workspace_id: id }, body: bot, ifVersion }) =>
      putWorkspaceBot(c.get("ctx"), sessionOf(c), { id, bot, ifVersion }),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/workspaces/{workspace_id}/bot/test",
      id: "testWorkspaceBot",
      tag,
      summary: "Test a workspace's bot",
      description:
        "Asks the messaging platform for the bot of the token, and returns the result. It changes nothing but the audit log.",
      params,
      answer: { status: 200, description: "The result of the test.", schema: botTestSchema },
      errors: TEST_WORKSPACE_BOT_ERRORS,
    },
    async (c, { params: { workspace_id } }) => testWorkspaceBot(c.get("ctx"), sessionOf(c), workspace_id),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/workspaces/{workspace_id}/bot/webhook",
      id: "setWorkspaceBotWebhook",
      tag,
      summary: "Set the webhook of a workspace's bot",
      description:
        "Makes the messaging platform send the bot's updates to `POST /api/auth/bot` of this host, which records the members of the bot's " +
        "groups. Do this after each new token, and make the bot an admin of the group: otherwise it does not receive joins and leaves.",
      params,
      answer: { status: 200, description: "The result.", schema: botWebhookSchema },
      errors: SET_WORKSPACE_BOT_WEBHOOK_ERRORS,
    },
    async (c, { params: { workspace_id: id } }) =>
      setWorkspaceBotWebhook(c.get("ctx"), sessionOf(c), { id, origin: new URL(c.req.url).origin }),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/workspaces/{workspace_id}/members",
      id: "addWorkspaceMember",
      tag,
      summary: "Add a member to a workspace",
      versioned: "checked",
      params,
      body: addMemberSchema,
      answer: theWorkspace,
      errors: ADD_WORKSPACE_MEMBER_ERRORS,
    },
    async (c, { params: { workspace_id: id }, body: member, ifVersion }) =>
      addWorkspaceMember(c.get("ctx"), sessionOf(c), { id, member, ifVersion }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/workspaces/{workspace_id}/members/{user_id}",
      id: "removeWorkspaceMember",
      tag,
      summary: "Remove a member from a workspace",
      description:
        "Their next request to a space of the workspace is rejected, unless they also have access through the workspace's team or the space " +
        "itself; `keeps_access_by_team` and an email to them say the former. The last owner can be removed only if no other members are left.",
      versioned: "checked",
      params: z.object({ workspace_id: params.shape.workspace_id, user_id: numberParam.meta({ example: 42 }) }),
      answer: { status: 200, description: "The workspace.", schema: removedMemberSchema },
      errors: REMOVE_WORKSPACE_MEMBER_ERRORS,
    },
    async (c, { params: { workspace_id: id, user_id: userId }, ifVersion }) =>
      removeWorkspaceMember(c.get("ctx"), sessionOf(c), { id, userId, ifVersion }),
  )
}

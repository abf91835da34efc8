import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { SPACE_ROLES } from "../actor/shares.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { type InParts, inOrder, type ListHead, type ListPage, readByWeight } from "../base/in-parts.ts"
import { holds } from "../base/pagination.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { toInstant } from "../base/time.ts"
import { released } from "../platform/db.ts"
import { isTextOf } from "../platform/one-of.ts"
import type { Answers } from "../platform/procedures.ts"
import { personShape } from "../teams/members.ts"
import type { GroupSearch } from "../teams/teams.ts"

/** The roles of members. A member has the same role in the spaces of the workspace. */
export const WORKSPACE_ROLES = SPACE_ROLES

export const workspaceIdSchema = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must be a slug: a-z, 0-9 and - inside, at most 63 characters")
  .meta({ example: "acme-support" })

export const botUsernameSchema = z
  .string()
  .regex(/^@?[A-Za-z0-9_]{5,32}$/, "must be a bot's username: 5 to 32 letters, digits and _")
  .meta({ description: "The username of the bot, with or without the @.", example: "acme_support_bot" })

export const workspaceSchema = z
  .object({
    workspace_id: workspaceIdSchema,
    name: z.string().meta({ example: "Acme support" }),
    team: z
      .object({
        team_id: z.int().meta({ example: 3 }),
        name: z.string().meta({ example: "Support" }),
        archived: z.boolean(),
      })
      .nullable()
      .meta({
        description: "The attached team; null if none. Its members are members of the workspace unless it is archived.",
      }),
    members: z.array(z.object({ ...personShape, role: z.enum(WORKSPACE_ROLES), since: z.iso.datetime() })),
    team_members: z
      .array(z.object(personShape))
      .meta({ description: "The members of the attached team. They can also be direct members." }),
    spaces: z
      .array(
        z.object({
          space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
          title: z.string().meta({ example: "Support desk" }),
          owner_id: z.int().meta({ description: "The user who owns the space and is billed for it.", example: 42 }),
          archived: z.boolean(),
          test: z.boolean(),
        }),
      )
      .meta({ description: "The spaces that members can see and use." }),
    bot: z.object({
      username: z.string().nullable().meta({
        description: "The username of the bot without the @; null if there is no bot.",
        example: "acme_support_bot",
      }),
      has_token: z.boolean().meta({ description: "Whether a token is stored. The token is never shown." }),
    }),
    archived: z
      .boolean()
      .meta({ description: "Whether the workspace is archived. Its members then have no access to its spaces." }),
    version: z
      .int()
      .meta({ description: "Increases with each change, including changes of members and the bot.", example: 1 }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: changedBySchema("The admin who made the last change; null if it was the command line."),
  })
  .meta({ id: "Workspace" })

export type Workspace = z.infer<typeof workspaceSchema>

export type WorkspaceRow = Answers["workspace_answer"]
type WorkspaceRole = (typeof WORKSPACE_ROLES)[number]

export function serializeWorkspace(row: WorkspaceRow): Workspace {
  return {
    workspace_id: row.workspace_id,
    name: row.name,
    team: row.team,
    members: row.members.map(({ created_at, role, ...member }) => ({
      ...member,
      role: role as WorkspaceRole,
      since: toInstant(created_at),
    })),
    team_members: row.team_members,
    spaces: row.spaces,
    bot: { username: row.bot_username, has_token: row.has_token },
    archived: row.archived_at !== null,
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: serializeChangedBy(row),
  }
}

type WorkspacePage = { search: GroupSearch } & ListPage

/** A page of workspaces, ordered by name, and the number of all workspaces found. */
export async function listWorkspaces(
  ctx: Context,
  credential: SessionCredential,
  { search: { q, archived }, limit, offset }: WorkspacePage,
): Promise<InParts<ListHead, Workspace>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const matching = caller
          .selectFrom("workspaces as w")
          .$if(archived !== "all", (query) =>
            query.where("w.archived_at", archived === "archived" ? "is not" : "is", null),
          )
          .$if(q !== undefined, (query) =>
            query.where((eb) => eb.or([holds(eb.ref("w.name"), q ?? ""), holds(eb.ref("w.workspace_id"), q ?? "")])),
          )
        const weight = sql<number>`1 + (select count(*) from workspace_members n where n.workspace_id = w.workspace_id)
            + (select count(*) from team_members n where n.team_id = w.team_id) + (select count(*) from spaces n where n.workspace_id = w.workspace_id)`
        const page = matching
          .select(["w.workspace_id as key", weight.as("weight")])
          .orderBy((eb) => eb.fn<string>("lower", ["w.name"]))
          .orderBy("w.workspace_id")
          .limit(limit)
          .offset(offset)
        return [
          matching.select((eb) => eb.fn.countAll<number>().as("total")).as("total"),
          jsonArrayFrom(page).as("keys"),
        ]
      }),
    { role: "admin" },
  )
  const { total, keys = [] } = rows[0] ?? {}
  return {
    head: { total: total ?? 0, limit, offset },
    parts: readByWeight(keys, LIST_POLICY.partRows, (part) => readWorkspaces(ctx, credential, part)),
  }
}

/** Reads the workspaces with these ids, in the order of the ids. */
export async function readWorkspaces(ctx: Context, credential: SessionCredential, ids: string[]): Promise<Workspace[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const shown = caller
          .selectFrom("workspaces as w")
          .where(isTextOf("w.workspace_id", ids))
          .select(({ fn }) => fn<WorkspaceRow>(released("workspace_answer_of"), ["w.workspace_id"]).as("workspace"))
        return jsonArrayFrom(shown).as("workspaces")
      }),
    { role: "admin" },
  )
  const workspaces = (rows[0]?.workspaces ?? []).map((row) => serializeWorkspace(row.workspace))
  return inOrder(ids, workspaces, ({ workspace_id }) => workspace_id)
}

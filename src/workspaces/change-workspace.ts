import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce, type Refusals } from "../actor/edit-as.ts"
import type { Made, Once } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { sendEmail } from "../platform/email-hook.ts"
import type { Answers } from "../platform/procedures.ts"
import { membersSchema, unknownUsers, userIdSchema } from "../teams/members.ts"
import { type SharingNotices, sendSharedNotices } from "../teams/shared-notice.ts"
import {
  readWorkspaces,
  serializeWorkspace,
  WORKSPACE_ROLES,
  type Workspace,
  type WorkspaceRow,
  workspaceIdSchema,
  workspaceSchema,
} from "./workspaces.ts"

const name = z.string().trim().min(1).max(200).meta({ example: "Acme support" })
const teamId = z.int().min(1).max(2_147_483_647).meta({ description: "The team to attach; null for none.", example: 3 })
const slugs = z.array(z.string().min(1).max(64)).max(1000)

export const workspaceCreateSchema = z
  .strictObject({
    workspace_id: workspaceIdSchema.meta({ description: "The slug of the workspace. It cannot be changed." }),
    name,
    team_id: teamId.nullable().optional(),
    members: membersSchema(WORKSPACE_ROLES, "member").optional(),
  })
  .meta({ id: "WorkspaceCreate" })

export const workspaceUpdateSchema = z
  .strictObject({
    name: name.optional(),
    team_id: teamId.nullable().optional(),
    archived: z.boolean().optional().meta({
      description: "`true` archives the workspace: its members lose access to its spaces. `false` restores it.",
    }),
    spaces: slugs
      .refine((ids) => new Set(ids).size === ids.length, "must name each space once")
      .optional()
      .meta({
        description: "The `space_id`s of all spaces of the workspace. Replaces the list.",
        example: ["spc_01jd3k9m2x4t8r5w6y7z0a1b2c"],
      }),
  })
  .meta({ id: "WorkspaceUpdate", description: "Omitted fields do not change; null clears a field." })

/** AddWorkspaceMember of docs/contract.md. */
export const addMemberSchema = z
  .strictObject({
    user_id: userIdSchema,
    role: z.enum(WORKSPACE_ROLES).default("member").meta({
      description: "Owners and admins can change the spaces of the workspace. Members can see and use them.",
      example: "member",
    }),
  })
  .meta({ id: "AddWorkspaceMember" })

export const workspaceNotFound = (id: string) => new TurnpikeError("NOT_FOUND", `There is no workspace "${id}".`)

const invalid = (param: string, message: string) => new TurnpikeError("VALIDATION_FAILED", message, { param })

/** The errors that every change of a workspace can return. */
export const workspaceRefusals = (id: string): Refusals => ({
  not_found: () => workspaceNotFound(id),
  taken: ["WORKSPACE_EXISTS", `A workspace "${id}" already exists.`],
  unknown_team: () => invalid("team_id", "There is no such team."),
})

const spaceRefusals: Refusals<{ refused_spaces: string[] | null }> = {
  unknown_space: (_, { refused_spaces }) => invalid("spaces", `There is no space ${refused_spaces?.join(", ")}.`),
  space_taken: (_, { refused_spaces }) =>
    new TurnpikeError("CONFLICT", `In another workspace: ${refused_spaces?.join(", ")}. Remove it from there first.`),
}

/** Serializes a changed workspace, and emails the owners whose spaces more people can now see. */
const tellingOwners = (ctx: Context) => (row: WorkspaceRow, answered: SharingNotices) => {
  sendSharedNotices(ctx, answered)
  return serializeWorkspace(row)
}

/** A workspace, or NOT_FOUND. */
export async function getWorkspace(ctx: Context, credential: SessionCredential, id: string): Promise<Workspace> {
  const [workspace] = await readWorkspaces(ctx, credential, [id])
  if (!workspace) throw workspaceNotFound(id)
  return workspace
}

/** Creates a workspace. WORKSPACE_EXISTS; VALIDATION_FAILED for an unknown team or user. */
export async function createWorkspace(
  ctx: Context,
  credential: SessionCredential,
  { workspace_id, name, team_id, members }: z.output<typeof workspaceCreateSchema>,
  once?: Once,
): Promise<Made<Workspace>> {
  return editOnce(ctx, credential, "create_workspace", {
    once,
    args: { workspace_id, name, team_id: team_id ?? null, members: members ?? [] },
    refusals: { ...workspaceRefusals(workspace_id), unknown_user: unknownUsers },
    serialize: serializeWorkspace,
  })
}

interface Edit {
  id: string
  ifVersion: number | null
}

export const PATCH_WORKSPACE_ERRORS = ["NOT_FOUND", "CONFLICT"] as const

/**
 * Changes the given fields of a workspace. NOT_FOUND, VERSION_MISMATCH; VALIDATION_FAILED for an unknown team or space;
 * CONFLICT for a space of another workspace.
 */
export async function patchWorkspace(
  ctx: Context,
  credential: SessionCredential,
  { id, change, ifVersion }: Edit & { change: z.output<typeof workspaceUpdateSchema> },
): Promise<Workspace> {
  return editAs(ctx, credential, "patch_workspace", {
    args: { workspace_id: id, change, if_version: ifVersion },
    refusals: { ...workspaceRefusals(id), ...spaceRefusals },
    serialize: tellingOwners(ctx),
  })
}

export const ADD_WORKSPACE_MEMBER_ERRORS = ["NOT_FOUND", "ALREADY_MEMBER"] as const

/** Adds a member. NOT_FOUND, VERSION_MISMATCH, ALREADY_MEMBER, VALIDATION_FAILED for an unknown user. */
export async function addWorkspaceMember(
  ctx: Context,
  credential: SessionCredential,
  { id, member, ifVersion }: Edit & { member: z.output<typeof addMemberSchema> },
): Promise<Workspace> {
  const { user_id, role } = member
  return editAs(ctx, credential, "add_workspace_member", {
    args: { workspace_id: id, user_id, role, if_version: ifVersion },
    refusals: {
      ...workspaceRefusals(id),
      unknown_user: () => invalid("user_id", `There is no user ${user_id}.`),
      already_member: ["ALREADY_MEMBER", `The user ${user_id} is already a member of "${id}".`],
    },
    serialize: tellingOwners(ctx),
  })
}

export const removedMemberSchema = workspaceSchema
  .extend({
    keeps_access_by_team: z
      .boolean()
      .meta({ description: "Whether the user still has access, because the attached team has them as a member." }),
  })
  .meta({ id: "RemovedWorkspaceMember" })

type RemovedMember = z.infer<typeof removedMemberSchema>

export const REMOVE_WORKSPACE_MEMBER_ERRORS = ["NOT_FOUND", "LAST_OWNER"] as const

/**
 * Removes a member, and emails them whether they keep access through the team. NOT_FOUND, VERSION_MISMATCH; LAST_OWNER
 * for the last owner while there are other members.
 */
export async function removeWorkspaceMember(
  ctx: Context,
  credential: SessionCredential,
  { id, userId, ifVersion }: Edit & { userId: number },
): Promise<RemovedMember> {
  return editAs(ctx, credential, "remove_workspace_member", {
    args: { workspace_id: id, user_id: userId, if_version: ifVersion },
    refusals: {
      ...workspaceRefusals(id),
      no_member: ["NOT_FOUND", `The user ${userId} is not a member of "${id}".`],
      last_owner: [
        "LAST_OWNER",
        `The user ${userId} is the last owner of "${id}". Make another member an owner, or remove the other members first.`,
      ],
    },
    serialize: (row: WorkspaceRow, { removed }: { removed?: Answers["removed_member"] | null }) => {
      const workspace = serializeWorkspace(row)
      const { workspace_id, name, team, team_members, archived } = workspace
      const inTeam = team_members.some(({ user_id }) => user_id === userId)
      const keeps_access_by_team = inTeam && !archived && team?.archived === false
      if (removed) {
        const kept = keeps_access_by_team && team ? team.name : null
        const data = { workspace_id, name, keeps_access_by_team, team: kept, at: ctx.clock.now().toISOString() }
        sendEmail(ctx, { kind: "workspace_left", to: removed.email, brand: removed.brand, data })
      }
      return { ...workspace, keeps_access_by_team }
    },
  })
}

import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs, editOnce } from "../actor/edit-as.ts"
import type { Made, Once } from "../actor/once.ts"
import { changedBySchema, serializeChangedBy } from "../base/changed-by.ts"
import { TurnpikeError } from "../base/errors.ts"
import { type InParts, inOrder, type ListHead, type ListPage, readByWeight } from "../base/in-parts.ts"
import { type ArchivedFilter, holds } from "../base/pagination.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { toInstant } from "../base/time.ts"
import { released } from "../platform/db.ts"
import { isOneOf } from "../platform/one-of.ts"
import type { Answers } from "../platform/procedures.ts"
import { membersSchema, personShape, unknownUsers } from "./members.ts"
import { sendSharedNotices } from "./shared-notice.ts"

export const TEAM_ROLES = ["lead", "member"] as const

const name = z.string().trim().min(1).max(200).meta({ example: "Support" })
const description = z.string().max(2000).meta({ example: "Answers customers, Monday to Friday." })

/** TeamCreate of docs/contract.md. */
export const teamCreateSchema = z
  .strictObject({
    name,
    description: description.nullable().optional(),
    members: membersSchema(TEAM_ROLES, "member").optional(),
  })
  .meta({ id: "TeamCreate" })

/** TeamUpdate of docs/contract.md. */
export const teamUpdateSchema = z
  .strictObject({
    name: name.optional(),
    description: description.nullable().optional(),
    members: membersSchema(TEAM_ROLES, "member")
      .optional()
      .meta({ description: "Replaces all members. Members who stay keep their `since`." }),
    archived: z.boolean().optional().meta({
      description: "`true` archives the team: its members lose access to its workspaces. `false` restores it.",
    }),
  })
  .meta({ id: "TeamUpdate", description: "Omitted fields do not change; null clears a field." })

export const teamSchema = z
  .object({
    team_id: z.int().meta({ example: 3 }),
    name,
    description: description.nullable(),
    members: z.array(z.object({ ...personShape, role: z.enum(TEAM_ROLES), since: z.iso.datetime() })),
    archived: z.boolean(),
    version: z.int().meta({ description: "Increases with each change.", example: 1 }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: changedBySchema("The admin who made the last change; null if it was the command line."),
  })
  .meta({ id: "Team" })

export type Team = z.infer<typeof teamSchema>

type TeamRow = Answers["team_answer"]
type TeamRole = (typeof TEAM_ROLES)[number]

function serializeTeam(row: TeamRow): Team {
  return {
    team_id: row.team_id,
    name: row.name,
    description: row.description,
    members: row.members.map(({ created_at, role, ...member }) => ({
      ...member,
      role: role as TeamRole,
      since: toInstant(created_at),
    })),
    archived: row.archived_at !== null,
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: serializeChangedBy(row),
  }
}

export interface GroupSearch {
  q?: string | undefined
  archived: ArchivedFilter
}

type TeamPage = { search: GroupSearch } & ListPage

/** A page of teams with their members, ordered by name, and the number of all teams found. `q`: part of the name. */
export async function listTeams(
  ctx: Context,
  credential: SessionCredential,
  { search: { q, archived }, limit, offset }: TeamPage,
): Promise<InParts<ListHead, Team>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const matching = caller
          .selectFrom("teams as t")
          .$if(archived !== "all", (query) =>
            query.where("t.archived_at", archived === "archived" ? "is not" : "is", null),
          )
          .$if(q !== undefined, (query) => query.where(({ ref }) => holds(ref("t.name"), q ?? "")))
        const weight = sql<number>`1 + (select count(*) from team_members n where n.team_id = t.team_id)`
        const page = matching
          .select(["t.team_id as key", weight.as("weight")])
          .orderBy((eb) => eb.fn<string>("lower", ["t.name"]))
          .orderBy("t.team_id")
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
    parts: readByWeight(keys, LIST_POLICY.partRows, (part) => readTeams(ctx, credential, part)),
  }
}

/** Reads the teams with these ids, in the order of the ids. */
async function readTeams(ctx: Context, credential: SessionCredential, ids: number[]): Promise<Team[]> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => {
        const shown = caller
          .selectFrom("teams as t")
          .where(isOneOf("t.team_id", ids))
          .select(({ fn }) => fn<TeamRow>(released("team_answer_of"), ["t.team_id"]).as("team"))
        return jsonArrayFrom(shown).as("teams")
      }),
    { role: "admin" },
  )
  const teams = (rows[0]?.teams ?? []).map((row) => serializeTeam(row.team))
  return inOrder(ids, teams, ({ team_id }) => team_id)
}

/** A team with its members, or NOT_FOUND. */
export async function getTeam(ctx: Context, credential: SessionCredential, teamId: number): Promise<Team> {
  const [team] = await readTeams(ctx, credential, [teamId])
  if (!team) throw refusals.not_found()
  return team
}

const refusals = {
  not_found: () => new TurnpikeError("NOT_FOUND", "There is no such team."),
  unknown_user: unknownUsers,
}

/** Creates a team. VALIDATION_FAILED for an unknown user. */
export async function createTeam(
  ctx: Context,
  credential: SessionCredential,
  { name, description, members }: z.output<typeof teamCreateSchema>,
  once?: Once,
): Promise<Made<Team>> {
  return editOnce(ctx, credential, "create_team", {
    once,
    args: { name, description: description ?? null, members: members ?? [] },
    refusals,
    serialize: serializeTeam,
  })
}

/** Changes the given fields of a team. NOT_FOUND, VERSION_MISMATCH, VALIDATION_FAILED for an unknown user. */
export async function updateTeam(
  ctx: Context,
  credential: SessionCredential,
  {
    teamId,
    change,
    ifVersion,
  }: { teamId: number; change: z.output<typeof teamUpdateSchema>; ifVersion: number | null },
): Promise<Team> {
  return editAs(ctx, credential, "update_team", {
    args: { team_id: teamId, change, if_version: ifVersion },
    refusals,
    serialize: (row: TeamRow, answered) => {
      sendSharedNotices(ctx, answered)
      return serializeTeam(row)
    },
  })
}

import * as z from "zod"
import { ARCHIVED_FILTER } from "../../base/pagination.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvInParts, csvQuery, rowsInParts, rowsOfParts } from "../../http/csv.ts"
import { madeOf } from "../../http/idempotency.ts"
import { listInParts } from "../../http/in-parts.ts"
import { listOf, numberParam, searchParam, wholeListQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  createTeam,
  getTeam,
  listTeams,
  type Team,
  teamCreateSchema,
  teamSchema,
  teamUpdateSchema,
  updateTeam,
} from "../../teams/teams.ts"
import { pageOfAnswer } from "./report.ts"

const tag = "admin"
const params = z.object({ team_id: numberParam.meta({ example: 3 }) })
const theTeam = { status: 200, description: "The team with its members.", schema: teamSchema } as const

/** Filters for lists of teams and workspaces. Without a filter, the list has all of them. */
export const groupQuery = {
  q: searchParam.meta({ description: "A part of the name. Case does not matter." }),
  archived: z.enum(ARCHIVED_FILTER).default("all"),
  ...wholeListQuery,
  ...csvQuery,
}

const memberRows = (team: Team) => rowsOfParts(team, team.members)

const CSV: CsvColumns<ReturnType<typeof memberRows>[number]> = {
  team_id: ({ item }) => item.team_id,
  name: ({ item }) => item.name,
  description: ({ item }) => item.description,
  archived: ({ item }) => item.archived,
  created_at: ({ item }) => item.created_at,
  updated_at: ({ item }) => item.updated_at,
  member_user_id: ({ part }) => part?.user_id ?? null,
  member_name: ({ part }) => part?.name ?? null,
  member_email: ({ part }) => part?.email ?? null,
  role: ({ part }) => part?.role ?? null,
  since: ({ part }) => part?.since ?? null,
}

export function mountTeams(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/teams",
      id: "listTeams",
      tag,
      summary: "List teams",
      description: "All teams by name, each with its members. The CSV has one row for each member.",
      query: z.strictObject(groupQuery),
      answer: { status: 200, description: "The teams.", schema: listOf(teamSchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, ...search } }) => {
      const page = pageOfAnswer(format, { limit, offset })
      const list = await listTeams(c.get("ctx"), sessionOf(c), { search, ...page })
      return format === "csv" ? csvInParts(c, "teams", CSV, rowsInParts(list.parts, memberRows)) : listInParts(c, list)
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/teams",
      id: "createTeam",
      tag,
      summary: "Create a team",
      idempotent: "replayed",
      versioned: "shown",
      body: teamCreateSchema,
      answer: theTeam,
      errors: [],
    },
    async (c, { body, once }) => madeOf(c, await createTeam(c.get("ctx"), sessionOf(c), body, once)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/teams/{team_id}",
      id: "getTeam",
      tag,
      summary: "Read a team",
      versioned: "shown",
      params,
      answer: theTeam,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { team_id } }) => getTeam(c.get("ctx"), sessionOf(c), team_id),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/teams/{team_id}",
      id: "updateTeam",
      tag,
      summary: "Change a team",
      description:
        "Changes the fields that you send. `members` replaces the list; it applies to the next request of each person who was added or removed.",
      versioned: "checked",
      params,
      body: teamUpdateSchema,
      answer: theTeam,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { team_id: teamId }, body: change, ifVersion }) =>
      updateTeam(c.get("ctx"), sessionOf(c), { teamId, change, ifVersion }),
  )
}

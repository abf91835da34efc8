import * as z from "zod"
import { ARCHIVED_FILTER } from "../../base/pagination.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { listInParts } from "../../http/in-parts.ts"
import { listOf, numberParam, searchParam, wholeListQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  createTeam,
  getTeam,
  listTeams,
  teamCreateSchema,
  teamSchema,
  teamUpdateSchema,
  updateTeam,
} from "../../teams/teams.ts"

const tag = "admin"
const params = z.object({ team_id: numberParam.meta({ example: 3 }) })
const theTeam = { status: 200, description: "The team with its members.", schema: teamSchema } as const

/** Filters for lists of teams and workspaces. Without a filter, the list has all of them. */
export const groupQuery = {
  q: searchParam.meta({ description: "A part of the name. Case does not matter." }),
  archived: z.enum(ARCHIVED_FILTER).default("all"),
  ...wholeListQuery,
}

export function mountTeams(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/teams",
      id: "listTeams",
      tag,
      summary: "List teams",
      description: "All teams by name, each with its members.",
      query: z.strictObject(groupQuery),
      answer: { status: 200, description: "The teams.", schema: listOf(teamSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...search } }) =>
      listInParts(c, await listTeams(c.get("ctx"), sessionOf(c), { search, limit, offset })),
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

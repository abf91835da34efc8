import * as z from "zod"
import { ARCHIVED_FILTER } from "../../base/pagination.ts"
import { LIST_POLICY } from "../../base/policies.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvInParts, csvQuery, rowsInParts, rowsOfParts } from "../../http/csv.ts"
import { listInParts } from "../../http/in-parts.ts"
import { brandParam, listOf, listQuery, numberParam, searchParam, wholeListQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { type AdminSpace, adminSpaceDetailSchema, adminSpaceSchema, getAdminSpace } from "../../spaces/admin-space.ts"
import { type ChatPerson, chatPersonSchema, listChatPeople } from "../../spaces/list-chat-people.ts"
import { INVENTORY_SORTS, listInventory, readInventory } from "../../spaces/list-inventory.ts"
import { listSessionContexts, type SpaceContext, spaceContextSchema } from "../../spaces/list-sessions.ts"
import { pageOfAnswer } from "./report.ts"

const tag = "admin"

const COLUMNS: CsvColumns<AdminSpace> = {
  space_id: ({ space_id }) => space_id,
  slug: ({ slug }) => slug,
  chat_key: ({ chat_key }) => chat_key,
  title: ({ title }) => title,
  origin: ({ origin }) => origin,
  brand: ({ brand }) => brand,
  archived: ({ archived }) => archived,
  test: ({ test }) => test,
  owner_id: ({ owner }) => owner.user_id,
  owner_name: ({ owner }) => owner.name,
  owner_email: ({ owner }) => owner.email,
  workspace_id: ({ workspace_id }) => workspace_id,
  model: ({ model }) => model,
  created_at: ({ created_at }) => created_at,
  last_activity: ({ last_activity }) => last_activity,
  messages: ({ messages }) => messages,
  cost_usd: ({ cost_usd }) => cost_usd,
}

const PEOPLE: CsvColumns<ChatPerson> = {
  user_id: ({ user_id }) => user_id,
  name: ({ name }) => name,
  end_user_ref: ({ end_user_ref }) => end_user_ref,
  role: ({ role }) => role,
  via: ({ via }) => via,
  turns: ({ turns }) => turns,
  tokens_input: ({ tokens_input }) => tokens_input,
  tokens_cached: ({ tokens_cached }) => tokens_cached,
  tokens_output: ({ tokens_output }) => tokens_output,
  cost_usd: ({ cost_usd }) => cost_usd,
  last_activity: ({ last_activity }) => last_activity,
}

const callRows = (space: SpaceContext) =>
  rowsOfParts(space, [...(space.orchestrator ? [{ ...space.orchestrator, name: null }] : []), ...space.subagents])

const SESSIONS: CsvColumns<ReturnType<typeof callRows>[number]> = {
  space_id: ({ item }) => item.space_id,
  slug: ({ item }) => item.slug,
  title: ({ item }) => item.title,
  subagent: ({ part }) => part?.name ?? null,
  model: ({ part }) => part?.model ?? null,
  context_tokens: ({ part }) => part?.context_tokens ?? null,
  window_tokens: ({ part }) => part?.window_tokens ?? null,
  share: ({ part }) => part?.share ?? null,
  turn_id: ({ part }) => part?.turn_id ?? null,
  called_at: ({ part }) => part?.called_at ?? null,
}

export function mountAllSpaces(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/spaces",
      id: "listRecentSpaces",
      tag,
      summary: "List spaces by their activity",
      description:
        "All spaces, including archived ones, most recently active first. To filter and sort, use `/api/admin/spaces/list`.",
      query: z.strictObject(wholeListQuery),
      answer: { status: 200, description: "The spaces.", schema: listOf(adminSpaceSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset } }) => {
      const page = { sort: "last_activity", direction: "desc", limit, offset } as const
      const filters = { brand: "all", archived: "all" } as const
      return listInParts(c, await readInventory(c.get("ctx"), sessionOf(c), { filters, page }))
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/spaces/list",
      id: "listSpaceInventory",
      tag,
      summary: "Search the inventory of spaces",
      description:
        "The registered spaces of all accounts. Spaces with equal sort values are ordered by id. Spaces without any activity come last in both " +
        "directions.",
      query: z.strictObject({
        q: searchParam.meta({
          description: "A part of the title, or a prefix of the slug. Case does not matter.",
        }),
        origin: z.string().min(1).max(64).optional().meta({ description: "`api`, `dashboard` or `messenger`." }),
        brand: brandParam,
        archived: z.enum(ARCHIVED_FILTER).default("active"),
        owner_id: numberParam.optional().meta({ description: "The owner's user id." }),
        workspace_id: z.string().min(1).max(128).optional().meta({ description: "A workspace's id." }),
        sort: z.enum(INVENTORY_SORTS).default("title"),
        direction: z.enum(["asc", "desc"]).default("asc"),
        ...listQuery,
        ...csvQuery,
      }),
      answer: {
        status: 200,
        description: "A page of spaces.",
        schema: listOf(adminSpaceSchema),
        also: CSV_ANSWER,
      },
      errors: [],
    },
    async (c, { query: { limit, offset, sort, direction, format, ...filters } }) => {
      const order = { sort, direction }
      if (format === "csv") {
        const page = { ...order, limit: LIST_POLICY.file, offset: 0 }
        const { parts } = await readInventory(c.get("ctx"), sessionOf(c), { filters, page })
        return csvInParts(c, "spaces", COLUMNS, parts)
      }
      const page = { ...order, limit, offset }
      return { ...(await listInventory(c.get("ctx"), sessionOf(c), { filters, page })), limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/spaces/by-id/{space_id}",
      id: "getSpaceById",
      tag,
      summary: "Read a registered space",
      params: z.object({ space_id: numberParam.meta({ description: "The space's number.", example: 318 }) }),
      answer: { status: 200, description: "The space with its configuration.", schema: adminSpaceDetailSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => getAdminSpace(c.get("ctx"), sessionOf(c), params.space_id),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/spaces/by-key/{chat_key}",
      id: "getSpaceByKey",
      tag,
      summary: "Read a chat with its people",
      description:
        "The space of a chat, its registered members, and all people who wrote there: users in the web chat, and end users of the API. Each " +
        "has totals. Members come first, then the people with the highest cost. You can send a space's slug instead of its chat.",
      params: z.object({
        chat_key: z.string().min(1).max(300).meta({
          description: "The chat, or the slug of its space. You can write slashes as `%2F`.",
          example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        }),
      }),
      query: z.strictObject({ ...wholeListQuery, ...csvQuery }),
      answer: {
        status: 200,
        description: "The space and its people.",
        schema: listOf(chatPersonSchema).extend({ space: adminSpaceSchema }),
        also: CSV_ANSWER,
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { format, ...asked } }) => {
      const page = pageOfAnswer(format, asked)
      const list = await listChatPeople(c.get("ctx"), sessionOf(c), { chatKey: params.chat_key, ...page })
      return format === "csv" ? csvInParts(c, "chat-people", PEOPLE, list.parts) : listInParts(c, list)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/spaces/sessions",
      id: "listSpaceSessions",
      tag,
      summary: "List the contexts of all spaces",
      description:
        "For every space, newest first: the number of tokens that the last call of its own agent and of each sub-agent read, and the share " +
        "of the model's context window that this is. The CSV has one row for each call, with an empty `subagent` for the space's own agent.",
      query: z.strictObject({ ...wholeListQuery, ...csvQuery }),
      answer: { status: 200, description: "The spaces.", schema: listOf(spaceContextSchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { format, ...asked } }) => {
      const list = await listSessionContexts(c.get("ctx"), sessionOf(c), pageOfAnswer(format, asked))
      return format === "csv"
        ? csvInParts(c, "sessions", SESSIONS, rowsInParts(list.parts, callRows))
        : listInParts(c, list)
    },
  )
}

import * as z from "zod"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { idParam, listOf, testQuery, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { searchAll, searchHitSchema } from "../../search/search-all.ts"
import {
  exploreTurns,
  getTurnStats,
  type TurnSummary,
  turnStatsSchema,
  turnSummarySchema,
} from "../../turns/find-turns.ts"
import { getTrace } from "../../turns/get-trace.ts"
import { turnTraceSchema } from "../../turns/turn-trace.ts"
import { explorerFilters, explorerPage, STATS_DESCRIPTION, searchQuery, untilNow } from "../explorer.ts"

const tag = "Turns"

const COLUMNS: CsvColumns<TurnSummary> = {
  turn_id: ({ turn_id }) => turn_id,
  created_at: ({ created_at }) => created_at,
  finished_at: ({ finished_at }) => finished_at,
  state: ({ state }) => state,
  waiting_for: ({ waiting }) => waiting?.for ?? null,
  status_reason: ({ status_reason }) => status_reason,
  space: ({ space }) => space,
  space_title: ({ space_title }) => space_title,
  key_id: ({ key }) => key?.key_id ?? null,
  key_name: ({ key }) => key?.name ?? null,
  end_user_ref: ({ end_user_ref }) => end_user_ref,
  conversation: ({ conversation }) => conversation,
  model: ({ model }) => model,
  billed_cost_usd: ({ billed_cost_usd }) => billed_cost_usd,
  refunded_usd: ({ refunded_usd }) => refunded_usd,
  seconds: ({ seconds }) => seconds,
  model_calls: ({ model_calls }) => model_calls,
  tool_calls: ({ tool_calls }) => tool_calls,
}

/** The explorer of an account's turns, the trace of one, and the search for anything that it owns. */
export function mountExplorer(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/turn-summaries",
      id: "exploreTurns",
      tag,
      summary: "Explore turns",
      description:
        "The turns of all keys and of the web chat, by time, cost or duration, with the names of their spaces and keys. Turns with equal " +
        "values are sorted by id, newest first.",
      query: z.strictObject({ ...explorerFilters, ...explorerPage, ...testQuery, ...csvQuery }),
      answer: { status: 200, description: "A page of turns.", schema: listOf(turnSummarySchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { sort, direction, limit, offset, format, test: _test, bom: _bom, ...filters } }) => {
      const read = (page: { limit: number; offset: number }, found = filters) =>
        exploreTurns(c.get("ctx"), sessionOf(c), { filters: found, page: { sort, direction, ...page } })
      if (format !== "csv") return { ...(await read({ limit, offset })), limit, offset }
      const found = untilNow(c.get("ctx"), filters)
      return csvAnswer(c, "turns", COLUMNS, async (page) => (await read(page, found)).items)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turn-stats",
      id: "getTurnStats",
      tag,
      summary: "Count turns",
      description: STATS_DESCRIPTION,
      query: z.strictObject({ ...explorerFilters, ...testQuery }),
      answer: { status: 200, description: "The figures.", schema: turnStatsSchema },
      errors: [],
    },
    async (c, { query: { test: _test, ...filters } }) =>
      getTurnStats(c.get("ctx"), sessionOf(c), { all: false, filters }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/turns/{turn_id}/trace",
      id: "getTurnTrace",
      tag,
      summary: "Read a turn's trace",
      description:
        "How the turn's time was spent: waiting, model calls, tool calls and failed attempts, with the names of its space and key.",
      params: z.object({ turn_id: idParam }),
      query: z.strictObject(testQuery),
      answer: { status: 200, description: "The trace.", schema: turnTraceSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => getTrace(c.get("ctx"), sessionOf(c), params.turn_id),
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/search",
      id: "search",
      tag: "Account",
      summary: "Search the account",
      description:
        "Finds a turn, space, key, webhook, delivery, file or conversation by its id; a turn also by an event's id (`evt_…`), a request's " +
        "id (`req_…`) or its Idempotency-Key. Any other text finds spaces, end users, keys and webhooks with this part in their name.",
      query: z.strictObject({
        ...searchQuery,
        ...testQuery,
      }),
      answer: {
        status: 200,
        description: "The objects, the best first of each kind.",
        schema: listOf(searchHitSchema),
      },
      errors: [],
    },
    async (c, { query: { q } }) => wholeList(await searchAll(c.get("ctx"), sessionOf(c), { q, all: false })),
  )
}

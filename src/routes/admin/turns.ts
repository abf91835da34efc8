import * as z from "zod"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { idParam, listOf, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { anyReceiptSchema, getAnyReceipt } from "../../receipts/get-any-receipt.ts"
import { GET_RECEIPT_ERRORS } from "../../receipts/get-receipt.ts"
import { searchAll, searchHitSchema } from "../../search/search-all.ts"
import {
  type AdminTurnSummary,
  adminTurnSummarySchema,
  exploreAllTurns,
  getTurnStats,
  turnStatsSchema,
} from "../../turns/find-turns.ts"
import { adminTurnSchema, readAnyTurn } from "../../turns/read-any-turn.ts"
import { adminExplorerFilters, explorerPage, STATS_DESCRIPTION, searchQuery, untilNow } from "../explorer.ts"

const tag = "admin"

const COLUMNS: CsvColumns<AdminTurnSummary> = {
  turn_id: ({ turn_id }) => turn_id,
  created_at: ({ created_at }) => created_at,
  finished_at: ({ finished_at }) => finished_at,
  state: ({ state }) => state,
  waiting_for: ({ waiting }) => waiting?.for ?? null,
  status_reason: ({ status_reason }) => status_reason,
  user_id: ({ account }) => account.user_id,
  account_name: ({ account }) => account.name,
  account_email: ({ account }) => account.email,
  space: ({ space }) => space,
  key_id: ({ key }) => key?.key_id ?? null,
  end_user_ref: ({ end_user_ref }) => end_user_ref,
  model: ({ model }) => model,
  billed_cost_usd: ({ billed_cost_usd }) => billed_cost_usd,
  refunded_usd: ({ refunded_usd }) => refunded_usd,
  seconds: ({ seconds }) => seconds,
}

/** The turns of all accounts. A list has no texts, and each look at a turn is in the audit log. */
export function mountAllTurns(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/turns",
      id: "listAllTurns",
      tag,
      summary: "Explore the turns of all accounts",
      description: "By time, cost or duration, without texts. Turns with equal values are sorted by id, newest first.",
      query: z.strictObject({ ...adminExplorerFilters, ...explorerPage, ...csvQuery }),
      answer: {
        status: 200,
        description: "A page of turns.",
        schema: listOf(adminTurnSummarySchema),
        also: CSV_ANSWER,
      },
      errors: [],
    },
    async (c, { query: { sort, direction, limit, offset, format, test: _test, bom: _bom, ...filters } }) => {
      const read = (page: { limit: number; offset: number }, found = filters) =>
        exploreAllTurns(c.get("ctx"), sessionOf(c), { filters: found, page: { sort, direction, ...page } })
      if (format !== "csv") return { ...(await read({ limit, offset })), limit, offset }
      const found = untilNow(c.get("ctx"), filters)
      return csvAnswer(c, "all-turns", COLUMNS, async (page) => (await read(page, found)).items)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/turn-stats",
      id: "getAllTurnStats",
      tag,
      summary: "Count the turns of all accounts",
      description: STATS_DESCRIPTION,
      query: z.strictObject(adminExplorerFilters),
      answer: { status: 200, description: "The figures.", schema: turnStatsSchema },
      errors: [],
    },
    async (c, { query: { test: _test, ...filters } }) =>
      getTurnStats(c.get("ctx"), sessionOf(c), { all: true, filters }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/turns/{turn_id}",
      id: "getAnyTurn",
      tag,
      summary: "Read a turn of any account",
      description:
        "The turn with its account, trace and steps. The audit log records each look as `turn.read`. If the setting " +
        "`turn_texts_for_operators` asks for a reason, texts are shown only with one.",
      params: z.object({ turn_id: idParam }),
      query: z.strictObject({
        reason: z.string().trim().min(3).max(500).optional().meta({
          description: "Why you read the account's texts. The audit log records it.",
          example: "Ticket 4711: the reply is wrong",
        }),
      }),
      answer: { status: 200, description: "The turn.", schema: adminTurnSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { reason } }) =>
      readAnyTurn(c.get("ctx"), sessionOf(c), { turnId: params.turn_id, reason: reason ?? null }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/turns/{turn_id}/receipt",
      id: "getAnyTurnReceipt",
      tag,
      summary: "Read the receipt of a turn of any account",
      description:
        "The signed documents that the account reads (`getTurnReceipt`), and next to them the cost and the margin of each call. It has no " +
        "texts of the turn, so the audit log has no entry of it.",
      params: z.object({ turn_id: idParam }),
      answer: { status: 200, description: "The receipt and its costs.", schema: anyReceiptSchema },
      errors: GET_RECEIPT_ERRORS,
    },
    async (c, { params }) => getAnyReceipt(c.get("ctx"), sessionOf(c), params.turn_id),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/search",
      id: "searchEverything",
      tag,
      summary: "Search all accounts",
      description:
        "Finds a turn, space, key, webhook, delivery, file or conversation of any account by its id, and by a request's id (`req_…`) the " +
        "turn and the audit entries of it. An event's id (`evt_…`) finds its turn or its account. Any other text finds users and spaces with " +
        "this part in their name, end users whose name begins with it, and webhooks whose URL begins with it.",
      query: z.strictObject({
        ...searchQuery,
      }),
      answer: {
        status: 200,
        description: "The objects, the best first of each kind.",
        schema: listOf(searchHitSchema),
      },
      errors: [],
    },
    async (c, { query: { q } }) => wholeList(await searchAll(c.get("ctx"), sessionOf(c), { q, all: true })),
  )
}

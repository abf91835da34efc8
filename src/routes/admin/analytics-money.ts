import * as z from "zod"
import { COST_COLUMNS } from "../../analytics/costs.ts"
import { REPORT_POLICY } from "../../analytics/policies.ts"
import { type Breakdown, breakdownSchema, DIMENSIONS, reportBreakdown } from "../../analytics/report-breakdown.ts"
import { type CostRates, costRatesSchema, reportCostRates } from "../../analytics/report-cost-rates.ts"
import { type CostsReport, costsReportSchema, reportCosts } from "../../analytics/report-costs.ts"
import {
  type ProviderSpaces,
  providerSpacesSchema,
  reportProviderSpaces,
} from "../../analytics/report-provider-spaces.ts"
import { reportUserCosts, type UserCosts, userCostsSchema } from "../../analytics/report-user-costs.ts"
import type { ListPage } from "../../base/in-parts.ts"
import type { App } from "../../http/app.ts"
import { type CsvColumns, csvInParts, csvOf } from "../../http/csv.ts"
import { listInParts } from "../../http/in-parts.ts"
import { idParam, numberParam, wholeListQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { mountLedgerAnalytics } from "./analytics-ledger.ts"
import { reportAnswer, reportQuery, spanQuery, reportTag as tag, topQuery } from "./report.ts"

type ModelDay = CostsReport["models"][number] & { date: string }

const COSTS: CsvColumns<ModelDay> = { date: ({ date }) => date, model: ({ model }) => model, ...COST_COLUMNS }

const RATES: CsvColumns<CostRates["items"][number]> = {
  date: ({ date }) => date,
  ...COST_COLUMNS,
  cost_per_turn_usd: ({ cost }) => cost.per_turn_usd,
  cost_per_million_usd: ({ cost }) => cost.per_million_usd,
  cost_per_million_input_usd: ({ cost }) => cost.per_million_input_usd,
  cost_per_million_cached_usd: ({ cost }) => cost.per_million_cached_usd,
  cost_per_million_output_usd: ({ cost }) => cost.per_million_output_usd,
  billed_per_turn_usd: ({ billed }) => billed.per_turn_usd,
  billed_per_million_usd: ({ billed }) => billed.per_million_usd,
  billed_per_million_input_usd: ({ billed }) => billed.per_million_input_usd,
  billed_per_million_cached_usd: ({ billed }) => billed.per_million_cached_usd,
  billed_per_million_output_usd: ({ billed }) => billed.per_million_output_usd,
}

const USERS: CsvColumns<UserCosts["items"][number]> = {
  user_id: ({ user_id }) => user_id,
  name: ({ name }) => name,
  email: ({ email }) => email,
  ...COST_COLUMNS,
}

const PAIRS: CsvColumns<ProviderSpaces["items"][number]> = {
  provider_key: ({ provider_key }) => provider_key,
  space_id: ({ space_id }) => space_id,
  slug: ({ slug }) => slug,
  chat_key: ({ chat_key }) => chat_key,
  title: ({ title }) => title,
  owner_id: ({ owner_id }) => owner_id,
  ...COST_COLUMNS,
}

/** Everything there is, in pages that fit into an answer of the database. */
async function* allPairs(read: (page: ListPage) => ReturnType<typeof reportProviderSpaces>) {
  const limit = REPORT_POLICY.pairs
  for (let offset = 0; ; offset += limit) {
    const { head, parts } = await read({ limit, offset })
    yield* parts
    if (offset + limit >= head.pairs) return
  }
}

const PARTS: CsvColumns<Breakdown["items"][number]> = {
  key: ({ key }) => key,
  name: ({ name }) => name,
  chat_key: ({ chat_key }) => chat_key,
  ...COST_COLUMNS,
  share: ({ share }) => share,
}

const chatKey = z
  .string()
  .min(1)
  .max(300)
  .optional()
  .meta({ description: "Only of this chat.", example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" })

/** A day that every system can hold, and the next one too. */
const dateParam = z.iso
  .date()
  .refine((text) => text >= "1970-01-01" && text <= "9998-12-31", "must be in the years 1970 to 9998 (UTC)")

/** What usage costs, what is billed, and how balances develop (docs/contract.md). */
export function mountMoneyAnalytics(app: App) {
  mountLedgerAnalytics(app)

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/costs",
      id: "getCostsReport",
      tag,
      summary: "Report costs by day and model",
      description:
        "What model calls cost at the catalog's prices, what was billed for them, and the difference. Each call is under its own model, " +
        "and counts on the day on which its turn ended. A file has a row for each day and model.",
      query: z.strictObject(reportQuery(365)),
      answer: reportAnswer("The report.", costsReportSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportCosts(c.get("ctx"), sessionOf(c), asked)
      if (format === "json") return report
      const rows = report.items.flatMap(({ date, models }) => models.map((row) => ({ date, ...row })))
      return csvOf(c, "costs", COSTS, rows)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/cpm",
      id: "getCostRatesReport",
      tag,
      summary: "Report what turns and a million tokens cost, by day",
      description:
        "Of everybody, of one account, of one chat, or of one chat of one account; an unknown one has used nothing. Sums are exact. " +
        "What tokens of one kind cost is a share of a sum, in proportion to the prices in the catalog when the day began, by the models " +
        "of that day. For one account or chat, whose models are not kept by day, the shares are at the average prices of " +
        "everybody's calls in the range.",
      query: z.strictObject({
        ...reportQuery(365),
        user_id: numberParam.optional().meta({ description: "Only of this account.", example: 42 }),
        chat_key: chatKey,
      }),
      answer: reportAnswer("The report.", costRatesSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportCostRates(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "cpm", RATES, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/subscription-spaces",
      id: "getSubscriptionSpaces",
      tag,
      summary: "Report which provider served which space",
      description:
        "Calls that a member of a pool served are under its name. All others are under their provider, also those that a user's plan " +
        "paid for, by its number. Of one `subscription_id`, of one chat, or of both; an unknown one has used nothing.",
      query: z.strictObject({
        ...reportQuery(365),
        date_from: dateParam
          .optional()
          .meta({ description: "The first day (UTC), instead of `days`.", example: "2026-01-01" }),
        date_to: dateParam
          .optional()
          .meta({ description: "The last day, included. Default: today.", example: "2026-01-31" }),
        subscription_id: idParam.optional().meta({
          description: "Only of this `provider_key`. The number of a user's plan is none: see its provider.",
          example: "anthropic-1",
        }),
        chat_key: chatKey,
        ...wholeListQuery,
      }),
      answer: reportAnswer("The report.", providerSpacesSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const read = (page: ListPage) => reportProviderSpaces(c.get("ctx"), sessionOf(c), { ...asked, ...page })
      if (format === "csv") return csvInParts(c, "subscription-spaces", PAIRS, allPairs(read))
      return listInParts(c, await read(asked))
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/costs/per-user",
      id: "getUserCostsReport",
      tag,
      summary: "Report usage and costs by account",
      description: "Turns of an account's keys, and web-chat turns in its spaces, together.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The report.", userCostsSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportUserCosts(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "costs-per-user", USERS, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/breakdown",
      id: "getUsageBreakdown",
      tag,
      summary: "Break usage down by one dimension",
      description:
        "By space, by the account that is billed, by model, or by provider. A turn that used several models or providers is counted under " +
        "that of its first call, and each call under its own.",
      query: z.strictObject({
        dimension: z.enum(DIMENSIONS).default("space").meta({ description: "What each row stands for." }),
        ...reportQuery(365),
        limit: topQuery(1_000, 100),
        ...spanQuery,
      }),
      answer: reportAnswer("The report.", breakdownSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportBreakdown(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, `usage-by-${asked.dimension}`, PARTS, report.items) : report
    },
  )
}

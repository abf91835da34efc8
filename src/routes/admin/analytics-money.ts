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
import { reportAnswer, reportQuery, reportTag as tag, topQuery } from "./report.ts"

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

/** A `provider_key` never has digits only: that is the number of a plan (src/providers/provider-row.sql). */
const providerKeyParam = idParam.regex(
  /\D/,
  "is the number of a plan. Calls that a plan paid for count under their provider: send that, or read GET /api/admin/subscriptions/usage.",
)

/** All rows, read in pages that fit into one answer of the database. */
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
  .meta({ description: "Only this chat.", example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c" })

/** A date that every system can store, as can the day after it. */
const dateParam = z.iso
  .date()
  .refine((text) => text >= "1970-01-01" && text <= "9998-12-31", "must be in the years 1970 to 9998 (UTC)")

/** Reports about costs, billed amounts and balances (docs/contract.md). */
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
        "The cost of model calls at the catalog's prices, the billed amount, and the difference. Each call counts for its own model, " +
        "on the day on which its turn ended. A CSV file has one row per day and model.",
      query: z.strictObject(reportQuery(365)),
      answer: reportAnswer("The report.", costsReportSchema),
      errors: [],
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
      summary: "Report the cost per turn and per million tokens, by day",
      description:
        "For all accounts, one account, one chat, or one chat of one account. An unknown account or chat has no usage. Sums are exact. " +
        "The cost of tokens of one type is a share of a sum: in proportion to the catalog's prices at the start of the day, weighted by the " +
        "models of that day. The models of a single account or chat are not stored by day. Their shares use the average prices of " +
        "all calls in the range.",
      query: z.strictObject({
        ...reportQuery(365),
        user_id: numberParam.optional().meta({ description: "Only this account.", example: 42 }),
        chat_key: chatKey,
      }),
      answer: reportAnswer("The report.", costRatesSchema),
      errors: [],
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
      summary: "Report usage by provider and space",
      description:
        "Calls that a member of a pool served count under its name. All other calls count under their provider, including those that a " +
        "user's plan paid for. Filter by `subscription_id`, by chat, or by both. An unknown value has no usage.",
      query: z.strictObject({
        ...reportQuery(365),
        date_from: dateParam
          .optional()
          .meta({ description: "The first day (UTC), instead of `days`.", example: "2026-01-01" }),
        date_to: dateParam
          .optional()
          .meta({ description: "The last day (UTC), inclusive. Default: today.", example: "2026-01-31" }),
        subscription_id: providerKeyParam.optional().meta({
          description:
            "Only this `provider_key`. The number of a user's plan is rejected, since calls that a plan paid for count under their provider.",
          example: "anthropic-1",
        }),
        chat_key: chatKey,
        ...wholeListQuery,
      }),
      answer: reportAnswer("The report.", providerSpacesSchema),
      errors: [],
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
      description: "The sum of the turns of an account's keys and of the web-chat turns in its spaces.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The report.", userCostsSchema),
      errors: [],
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
      summary: "Report usage by one dimension",
      description:
        "By space, by billed account, by model, or by provider. If a turn used several models or providers, the turn counts for " +
        "the model or provider of its first call, and each call for its own.",
      query: z.strictObject({
        dimension: z
          .enum(DIMENSIONS)
          .default("space")
          .meta({ description: "The dimension of the rows. Default: `space`." }),
        ...reportQuery(365),
        limit: topQuery(1_000, 100),
      }),
      answer: reportAnswer("The report.", breakdownSchema),
      errors: [],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportBreakdown(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, `usage-by-${asked.dimension}`, PARTS, report.items) : report
    },
  )
}

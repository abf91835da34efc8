import type { Context as HonoContext } from "hono"
import * as z from "zod"
import { parseBaseEnv } from "../../base/env.ts"
import { answerJson } from "../../http/answer-json.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { idParam, listOf, wholeList, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { createRedis } from "../../platform/redis.ts"
import { type PoolContext, poolsSchema, readPools } from "../../providers/capacity.ts"
import {
  DISABLE_PROVIDER_ERRORS,
  disableProvider,
  disableProviderSchema,
  enableProvider,
  removeProvider,
} from "../../providers/change-provider.ts"
import { altPoolSchema, getAltPool, listProviders } from "../../providers/list-providers.ts"
import { poolSchema, providerSchema } from "../../providers/provider-row.ts"
import {
  type CapacityPoint,
  type CapacitySpend,
  capacityReportSchema,
  readCapacity,
} from "../../providers/read-capacity.ts"
import { REFRESH_LIMITS_ERRORS, refreshLimits } from "../../providers/refresh-limits.ts"

const tag = "admin"
const BASE = "/api/admin/providers"
const params = z.object({ provider_id: idParam.meta({ example: "team-one" }) })
const accountParams = z.object({ account_id: idParam.meta({ example: "alt-3f9a0c1d2e4b" }) })
const provider = { status: 200, description: "The current account.", schema: providerSchema } as const

type CsvRow = Partial<CapacityPoint & CapacitySpend>
const CSV: CsvColumns<CsvRow> = {
  row: (row) => (row.taken_at === undefined ? "spend" : "snapshot"),
  subscription_id: (row) => row.subscription_id ?? null,
  resource: (row) => row.resource ?? null,
  window_seconds: (row) => row.window_seconds ?? null,
  used_pct: (row) => row.used_pct ?? null,
  reset_at: (row) => row.reset_at ?? null,
  taken_at: (row) => row.taken_at ?? null,
  starts_at: (row) => row.starts_at ?? null,
  model_calls: (row) => row.model_calls ?? null,
  cost_usd: (row) => row.cost_usd ?? null,
  billed_usd: (row) => row.billed_usd ?? null,
}

/** Accounts at the model providers: their state, their remaining capacity, and enabling or disabling them. */
export function mountProviders(app: App) {
  const list = async (c: HonoContext<AppEnv>) => wholeList(await listProviders(c.get("ctx"), sessionOf(c)))
  app.operation(
    {
      method: "get",
      path: BASE,
      id: "listProviders",
      tag,
      summary: "List subscriptions used for inference",
      description:
        "The accounts of the main pool, and all other accounts with an API key. The path with a trailing slash returns the same.",
      answer: { status: 200, description: "All accounts, oldest first.", schema: listOf(providerSchema) },
      errors: [],
    },
    list,
  )
  app.get(`${BASE}/`, async (c) => answerJson(c, await list(c)))

  app.operation(
    {
      method: "get",
      path: `${BASE}/pool`,
      id: "getPools",
      tag,
      summary: "Read the capacity of both pools",
      description:
        "The capacity of the accounts of each pool, as last published. It is published at least once a minute, and when an account changes or cools. " +
        "`available` is false if nothing was published for three minutes.",
      answer: { status: 200, description: "Both pools.", schema: poolsSchema },
      errors: [],
    },
    async (c) => readPools(poolContext(c), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: `${BASE}/capacity`,
      id: "getCapacity",
      tag,
      summary: "Read quota snapshots and spending",
      description:
        "The usage of the accounts' quota windows over the last hours, as reported by their providers, and the calls that these accounts served by hour " +
        "(UTC). Both remain for removed accounts. In a CSV file, the column `row` is `snapshot` or `spend`.",
      query: z.strictObject({
        hours: wholeParam(1, 2160).default(72).meta({ description: "The number of hours up to now." }),
        provider: poolSchema.optional().meta({ description: "Only this pool. Default: both pools." }),
        ...csvQuery,
      }),
      answer: { status: 200, description: "The report.", schema: capacityReportSchema, also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { hours, provider, format } }) => {
      const report = await readCapacity(c.get("ctx"), sessionOf(c), { hours, provider: provider ?? null })
      if (format !== "csv") return report
      const rows: CsvRow[] = [...report.snapshots, ...report.spend]
      return csvAnswer(c, "capacity", CSV, async ({ limit, offset }) => rows.slice(offset, offset + limit))
    },
  )

  app.operation(
    {
      method: "post",
      path: `${BASE}/{provider_id}/disable`,
      id: "disableProvider",
      tag,
      summary: "Disable a subscription",
      description:
        "From the next model call on, no calls are routed to the account, and its credential is not refreshed. If you leave the reason out, " +
        "it keeps its value. The last enabled and healthy account of the alt-pool is rejected with LAST_HEALTHY_ACCOUNT.",
      versioned: "checked",
      params,
      body: disableProviderSchema,
      answer: provider,
      errors: DISABLE_PROVIDER_ERRORS,
    },
    async (c, { params: { provider_id: providerId }, body: { reason }, ifVersion }) =>
      disableProvider(poolContext(c), sessionOf(c), { providerId, reason, ifVersion }),
  )

  app.operation(
    {
      method: "post",
      path: `${BASE}/{provider_id}/enable`,
      id: "enableProvider",
      tag,
      summary: "Enable a subscription",
      description:
        "Enables the account. If it needs a login, is suspended or is contained, and has a credential, it is tried again: its next call or refresh shows " +
        "whether the credential works. An account that is cooling continues to cool.",
      versioned: "checked",
      params,
      answer: provider,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId }, ifVersion }) =>
      enableProvider(poolContext(c), sessionOf(c), { providerId, ifVersion }),
  )

  app.operation(
    {
      method: "post",
      path: `${BASE}/{provider_id}/refresh-limits`,
      id: "refreshProviderLimits",
      tag,
      summary: "Refresh an account's limits",
      description:
        "Sends one cheap request with the account's credential, and stores the window limits from the response. The setting " +
        "`provider_limit_requests` defines the request. Windows that are not in the response keep their values. PROVIDER_DISABLED: the account is disabled. " +
        "PROVIDER_FAILED: the provider did not answer or rejected the request, and nothing has changed.",
      versioned: "shown",
      params,
      answer: provider,
      errors: REFRESH_LIMITS_ERRORS,
    },
    async (c, { params: { provider_id } }) => refreshLimits(poolContext(c), sessionOf(c), provider_id),
  )

  app.operation(
    {
      method: "delete",
      path: `${BASE}/{provider_id}`,
      id: "removeProvider",
      tag,
      summary: "Remove a subscription",
      description:
        "Removes the account and its credential. Its past calls and snapshots stay in every report. You can also remove the last healthy account " +
        "of a pool: `last_healthy` of the account says so before, and in the response.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The account as it was before.", schema: providerSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId }, ifVersion }) =>
      removeProvider(poolContext(c), sessionOf(c), { providerId, ifVersion }),
  )

  mountAltPool(app)
}

function mountAltPool(app: App) {
  app.operation(
    {
      method: "get",
      path: `${BASE}/alt-pool`,
      id: "getAltPool",
      tag,
      summary: "Read the alt-pool",
      description: "The pool's accounts, their usage, and the active account.",
      answer: { status: 200, description: "The pool.", schema: altPoolSchema },
      errors: [],
    },
    async (c) => getAltPool(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "post",
      path: `${BASE}/alt-pool/accounts/{account_id}/disable`,
      id: "disableAltPoolAccount",
      tag,
      summary: "Disable an account of the alt-pool",
      description:
        "Same as for any subscription. The last account that is enabled and healthy is rejected with LAST_HEALTHY_ACCOUNT. A cooling account counts as healthy, " +
        "and a suspended one does not.",
      versioned: "checked",
      params: accountParams,
      answer: provider,
      errors: DISABLE_PROVIDER_ERRORS,
    },
    async (c, { params: { account_id: providerId }, ifVersion }) =>
      disableProvider(poolContext(c), sessionOf(c), { providerId, pool: "alt-pool", ifVersion }),
  )

  app.operation(
    {
      method: "post",
      path: `${BASE}/alt-pool/accounts/{account_id}/enable`,
      id: "enableAltPoolAccount",
      tag,
      summary: "Enable an account of the alt-pool",
      description: "Same as for any subscription.",
      versioned: "checked",
      params: accountParams,
      answer: provider,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { account_id: providerId }, ifVersion }) =>
      enableProvider(poolContext(c), sessionOf(c), { providerId, pool: "alt-pool", ifVersion }),
  )
}

/** The context of verbs of provider accounts: the invocation's context with Redis. */
function poolContext(c: HonoContext<AppEnv>): PoolContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}

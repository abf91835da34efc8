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
import { refreshLimits } from "../../providers/refresh-limits.ts"

const tag = "admin"
const BASE = "/api/admin/providers"
const params = z.object({ provider_id: idParam.meta({ example: "team-one" }) })
const accountParams = z.object({ account_id: idParam.meta({ example: "alt-3f9a0c1d2e4b" }) })
const provider = { status: 200, description: "The account as it is now.", schema: providerSchema } as const

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

/** Accounts at the providers of models: what there is, what it has left, and which of it may be used. */
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
        "The accounts of the main pool, and all others with an API key. The same with a slash at the end of the path.",
      answer: { status: 200, description: "All of them, the oldest first.", schema: listOf(providerSchema) },
      errors: ["ADMIN_REQUIRED"],
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
        "What the accounts of each pool can serve, as it was published last: at least once a minute, and when an account changes or cools. " +
        "`available` is false where nothing was published for three minutes.",
      answer: { status: 200, description: "Both pools.", schema: poolsSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c) => readPools(poolContext(c), sessionOf(c)),
  )

  app.operation(
    {
      method: "get",
      path: `${BASE}/capacity`,
      id: "getCapacity",
      tag,
      summary: "Read quota snapshots and spend",
      description:
        "What the windows of accounts had used over the last hours, as their providers said it, with what these accounts served by the hour " +
        "(UTC). Removed accounts keep both. As CSV, `row` says which of the two a line is.",
      query: z.strictObject({
        hours: wholeParam(1, 2160).default(72).meta({ description: "How many hours, up to now." }),
        provider: poolSchema.optional().meta({ description: "One pool; left out: both." }),
        ...csvQuery,
      }),
      answer: { status: 200, description: "The report.", schema: capacityReportSchema, also: CSV_ANSWER },
      errors: ["ADMIN_REQUIRED"],
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
        "From the next model call on it is neither routed to nor moved to, and its credential is not refreshed. A reason that is left out " +
        "stays as it is. The last enabled and healthy account of the alt-pool is refused with LAST_HEALTHY_ACCOUNT.",
      versioned: "checked",
      params,
      body: disableProviderSchema,
      answer: provider,
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "LAST_HEALTHY_ACCOUNT"],
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
        "Clears the flag. An account that needs a login, is suspended or is contained is tried again, if it has a credential: its next call or refresh shows " +
        "whether that works. One that cools goes on cooling.",
      versioned: "checked",
      params,
      answer: provider,
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
      summary: "Ask a provider for an account's limits",
      description:
        "Makes one cheap request with the account's credential, and notes what its answer says of the account's windows (the setting " +
        "`provider_limit_requests` says which request). A window that it does not tell of stays as it was. CONFLICT for a disabled account; " +
        "PROVIDER_FAILED when the provider does not answer, or refuses: then nothing has changed.",
      versioned: "shown",
      params,
      answer: provider,
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "CONFLICT", "PROVIDER_FAILED"],
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
        "Removes the account with its credential. What it served, and its snapshots, stay in every report. The last healthy account of a " +
        "pool may be removed too.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The account as it was.", schema: providerSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
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
      description: "Its accounts, what they served, and which of them is active.",
      answer: { status: 200, description: "The pool.", schema: altPoolSchema },
      errors: ["ADMIN_REQUIRED"],
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
        "As for any subscription. The last account that is enabled and healthy is refused with LAST_HEALTHY_ACCOUNT; one that cools is healthy, " +
        "one that is suspended is not.",
      versioned: "checked",
      params: accountParams,
      answer: provider,
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "LAST_HEALTHY_ACCOUNT"],
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
      description: "As for any subscription.",
      versioned: "checked",
      params: accountParams,
      answer: provider,
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
    },
    async (c, { params: { account_id: providerId }, ifVersion }) =>
      enableProvider(poolContext(c), sessionOf(c), { providerId, pool: "alt-pool", ifVersion }),
  )
}

/** What the verbs of accounts at providers take: the invocation's context, and Redis. */
function poolContext(c: HonoContext<AppEnv>): PoolContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}

import { dayBefore } from "../../src/provider-books/report-day.ts"
import type { AdminFixtures } from "./admin-requests.ts"
import { storeAccount } from "./provider-accounts.ts"
import { REPORTS_URL } from "./provider-reports.ts"

const ANSWER = { headers: { "anthropic-ratelimit-unified-5h-utilization": "0.25" } }

/** An account with reports that can be read, and its day before yesterday. */
async function storeReport({ world, admin }: Parameters<AdminFixtures[string]>[0]) {
  const provider_id = await storeAccount(world)
  world.serve("reports.test", () => Response.json({ data: [], has_more: false, next_page: null }))
  const body = { format: "anthropic", api_key: "sk-admin-canary", base_url: REPORTS_URL }
  const [status] = await admin.json("PUT", `/api/admin/providers/${provider_id}/report`, body)
  if (status !== 200) throw new Error(`the report's setting was answered with ${status}`)
  const day = dayBefore(world.clock.now(), 2)
  return { provider_id, day }
}

async function storeBook(estate: Parameters<AdminFixtures[string]>[0]) {
  const params = await storeReport(estate)
  await estate.admin.json("POST", `/api/admin/provider-books/${params.provider_id}/${params.day}/compare`)
  return params
}

export const ADMIN_PROVIDERS: AdminFixtures = {
  listProviders: async ({ world }) => {
    await storeAccount(world)
    return {}
  },
  getPools: async () => ({}),
  getCapacity: async () => ({ query: "?hours=24&provider=alt-pool" }),
  disableProvider: async ({ world }) => ({
    params: { provider_id: await storeAccount(world) },
    body: { reason: "Paid until Friday" },
  }),
  enableProvider: async ({ world }) => ({
    params: { provider_id: await storeAccount(world, { disabled_at: world.clock.now() }) },
  }),
  refreshProviderLimits: async ({ world }) => {
    world.serve("models.provider.example", () => Response.json({ data: [] }, ANSWER))
    return { params: { provider_id: await storeAccount(world) } }
  },
  removeProvider: async ({ world }) => ({ params: { provider_id: await storeAccount(world) } }),
  putProviderReport: async (estate) => ({
    params: { provider_id: (await storeReport(estate)).provider_id },
    body: { format: "openai", api_key: "sk-admin-canary-7f3a" },
  }),
  removeProviderReport: async (estate) => ({ params: { provider_id: (await storeReport(estate)).provider_id } }),
  listProviderBooks: async (estate) => {
    await storeBook(estate)
    return { query: "?days=10" }
  },
  getProviderBook: async (estate) => ({ params: await storeBook(estate) }),
  compareProviderBook: async (estate) => ({ params: await storeReport(estate) }),
  seeProviderBook: async (estate) => ({ params: await storeBook(estate) }),
  getAltPool: async ({ world }) => {
    await storeAccount(world, { pool: "alt-pool" })
    return {}
  },
  disableAltPoolAccount: async ({ world }) => {
    await storeAccount(world, { pool: "alt-pool" })
    return { params: { account_id: await storeAccount(world, { pool: "alt-pool" }) } }
  },
  enableAltPoolAccount: async ({ world }) => ({
    params: { account_id: await storeAccount(world, { pool: "alt-pool", disabled_at: world.clock.now() }) },
  }),
}
